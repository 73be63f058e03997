/** Wires the browser tools. */
import { join } from 'node:path'
import { AuxiliaryModels, Clock, definePlugin, Tools } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { ReadableFolders } from 'svc/sdk/safety'
import { Browser, SafeFetch } from 'svc/sdk/web'
import type { BrowserDeps } from './actions.ts'
import { browserTools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const folder = join(ctx.dataDir, 'shots')
    ctx.add(ReadableFolders, { name: ctx.name, path: folder })
    const host: BrowserDeps = {
      browser: () => ctx.use(Browser),
      guard: () => ctx.use(SafeFetch),
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
