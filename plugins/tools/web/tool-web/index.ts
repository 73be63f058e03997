/** Wires the web tools and the built-in reader of pages. */
import { join } from 'node:path'
import { AuxiliaryModels, Clock, definePlugin, logFault, Secrets, Tools } from 'svc/sdk'
import { ToolsetChoices } from 'svc/sdk/operations'
import { ReadableFolders } from 'svc/sdk/safety'
import { SafeFetch, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'
import { type WebDeps, webTools } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const host: WebDeps = {
      config: ctx.config,
      folder: join(ctx.dataDir, 'pages'),
      backends: () => ctx.all(WebSearchProviders).all(),
      onFault: (name, error) =>
        logFault(ctx.log, `the web backend ${name} failed`, error, ctx.all(WebSearchProviders).owner(name)),
      guard: () => ctx.use(SafeFetch),
      clock: () => ctx.use(Clock),
      auxiliary: () => ctx.find(AuxiliaryModels),
      mask: (text) => ctx.use(Secrets).mask(text),
    }
    ctx.add(ReadableFolders, { name: ctx.name, path: host.folder })
    for (const tool of webTools(host)) ctx.add(Tools, tool)
    const backends = ctx.all(WebSearchProviders)
    ctx.add(ToolsetChoices, {
      ...{ name: 'web', setting: 'web.backend' },
      backends: () =>
        backends.all().map((each) => {
          const { name, label } = each
          return { name, label, missing: each.missing(), plugin: backends.owner(name) }
        }),
    })
    ctx.add(WebSearchProviders, {
      name: 'local',
      label: 'Built-in reader',
      order: 90,
      missing: () => undefined,
      extract: async (url, options) => (await import('./local.ts')).readPage(url, options, host.guard()),
    })
  },
})
