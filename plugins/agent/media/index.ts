/** Wires the service that reads pictures and sounds. Its work is imported when it is first used. */
import { Clock, definePlugin, FileGuard, MediaFiles, Random, UrlGuard } from 'svc/sdk'
import type { MediaHost } from './source.ts'

export default definePlugin({
  setup(ctx) {
    const host: MediaHost = {
      files: () => ctx.use(FileGuard),
      addresses: () => ctx.use(UrlGuard),
      clock: () => ctx.use(Clock),
    }
    ctx.provide(MediaFiles, () => ({
      picture: async (request) => (await import('./picture.ts')).readPicture(request, host),
      sound: async (request) => (await import('./sound.ts')).readSound(request, host),
      keep: async (folder, file) => (await import('./keep.ts')).keepFile(folder, file, ctx.use(Random)),
    }))
  },
})
