/** Wires the web tools and the built-in reader of pages. */
import { join } from 'node:path'
import {
  AuxiliaryModels,
  Clock,
  definePlugin,
  logFault,
  ReadableFolders,
  Secrets,
  Tools,
  UrlGuard,
  WebBackends,
} from 'svc/sdk'
import { config } from './config.ts'
import { type WebHost, webTools } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const host: WebHost = {
      config: ctx.config,
      folder: join(ctx.dataDir, 'pages'),
      backends: () => ctx.all(WebBackends).all(),
      onFault: (name, error) =>
        logFault(ctx.log, `the web backend ${name} failed`, error, ctx.all(WebBackends).owner(name)),
      guard: () => ctx.use(UrlGuard),
      clock: () => ctx.use(Clock),
      auxiliary: () => ctx.find(AuxiliaryModels),
      mask: (text) => ctx.use(Secrets).mask(text),
    }
    ctx.add(ReadableFolders, { name: ctx.name, path: host.folder })
    for (const tool of webTools(host)) ctx.add(Tools, tool)
    ctx.add(WebBackends, {
      name: 'local',
      label: 'Built-in reader',
      order: 90,
      missing: () => undefined,
      extract: async (url, options) => (await import('./local.ts')).readPage(url, options, host.guard()),
    })
  },
})
