/** Wires the service that opens composers. */
import { join } from 'node:path'
import {
  Clock,
  Composers,
  definePlugin,
  Home,
  MediaFiles,
  Plugins,
  ReadableFolders,
  Secrets,
  TextLayout,
  translator,
} from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    const pastesFolder = () => ctx.use(Home).path('pastes')
    ctx.add(ReadableFolders, { name: ctx.name, path: pastesFolder() })
    ctx.provide(Composers, () => ({
      async open(host) {
        const { Composer } = await import('./composer.ts')
        return new Composer({
          cwd: host.cwd,
          layout: ctx.use(TextLayout),
          clock: ctx.use(Clock),
          t: translator(ctx),
          historyFile: join(ctx.dataDir, 'history.jsonl'),
          pastesFolder: pastesFolder(),
          signal: ctx.signal,
          complete: (text) => host.complete(text),
          media: () => ctx.use(Plugins).bring(MediaFiles),
          environment: (name) => ctx.use(Secrets).get(name),
          changed: () => host.changed(),
          failed: (error) => host.failed(error),
        })
      },
    }))
  },
})
