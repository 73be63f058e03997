/** Wires the browser tools. */
import { join } from 'node:path'
import { AuxiliaryModels, Browser, Clock, definePlugin, MediaFiles, ReadableFolders, Tools, UrlGuard } from 'svc/sdk'
import type { BrowserHost } from './actions.ts'
import { browserTools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const folder = join(ctx.dataDir, 'shots')
    ctx.add(ReadableFolders, { name: ctx.name, path: folder })
    const host: BrowserHost = {
      browser: () => ctx.use(Browser),
      guard: () => ctx.use(UrlGuard),
      clock: () => ctx.use(Clock),
      models: () => ctx.find(AuxiliaryModels),
      keep: async ({ mediaType, data }) => {
        const file = { bytes: Buffer.from(data, 'base64'), extension: mediaType === 'image/jpeg' ? 'jpg' : 'png' }
        return { path: await ctx.use(MediaFiles).keep(folder, file), mediaType }
      },
    }
    const { mayEvaluate } = host.browser()
    for (const tool of browserTools(host, { mayEvaluate })) ctx.add(Tools, tool)
  },
})
