/** Wires the service that reads pictures and sounds. Its work is imported when it is first used. */
import { Clock, definePlugin, Random } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { GuardedFiles } from 'svc/sdk/safety'
import { SafeFetch } from 'svc/sdk/web'
import type { MediaDeps } from './media-source.ts'

export default definePlugin({
  setup(ctx) {
    const host: MediaDeps = {
      files: () => ctx.use(GuardedFiles),
      addresses: () => ctx.use(SafeFetch),
      clock: () => ctx.use(Clock),
    }
    ctx.provide(MediaFiles, () => ({
      picture: async (request) => (await import('./picture.ts')).readPicture(request, host),
      sound: async (request) => (await import('./sound.ts')).readSound(request, host),
      keep: async (folder, file) => (await import('./save-media.ts')).keepFile(folder, file, ctx.use(Random)),
    }))
  },
})
