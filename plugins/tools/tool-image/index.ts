/** Wires the tool that makes pictures, and its backends. */
import { join } from 'node:path'
import {
  Budgets,
  definePlugin,
  ImageBackends,
  MediaFiles,
  Models,
  ReadableFolders,
  Secrets,
  Tools,
  webService,
} from 'svc/sdk'
import { type BackendHost, customBackend, openaiBackend } from './backends.ts'
import { config } from './config.ts'
import { imageTool } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const media = () => ctx.use(MediaFiles)
    const host: BackendHost = {
      config: ctx.config,
      key: (name) => ctx.use(Secrets).get(name),
      service: (about) => webService(ctx, { ...about, code: 'IMAGE_FAILED' }),
      media,
    }
    const folder = join(ctx.dataDir, 'images')
    ctx.add(ReadableFolders, { name: ctx.name, path: folder })
    ctx.add(ImageBackends, customBackend(host))
    ctx.add(ImageBackends, openaiBackend(host))
    ctx.add(
      Tools,
      imageTool({
        config: ctx.config,
        folder,
        unloaded: ctx.signal,
        backends: () => ctx.all(ImageBackends).all(),
        budgets: () => ctx.find(Budgets),
        media,
        models: () => ctx.find(Models),
      }),
    )
  },
})
