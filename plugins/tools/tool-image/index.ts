/** Wires the tool that makes pictures, and its backends. */
import { join } from 'node:path'
import { definePlugin, Models, Secrets, Tools } from 'svc/sdk'
import { ImageGenerators, MediaFiles } from 'svc/sdk/media'
import { ToolsetChoices } from 'svc/sdk/operations'
import { Budgets, ReadableFolders } from 'svc/sdk/safety'
import { createApiClient } from 'svc/sdk/web'
import { type BackendDeps, customBackend, openaiBackend } from './backends.ts'
import { config } from './config.ts'
import { imageTool } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const media = () => ctx.use(MediaFiles)
    const host: BackendDeps = {
      config: ctx.config,
      key: (name) => ctx.use(Secrets).get(name),
      service: (about) => createApiClient(ctx, { ...about, code: 'IMAGE_FAILED' }),
      media,
    }
    const folder = join(ctx.dataDir, 'images')
    ctx.add(ReadableFolders, { name: ctx.name, path: folder })
    ctx.add(ImageGenerators, customBackend(host))
    ctx.add(ImageGenerators, openaiBackend(host))
    const backends = ctx.all(ImageGenerators)
    ctx.add(ToolsetChoices, {
      ...{ name: 'image_gen', setting: 'image.backend' },
      backends: () =>
        backends.all().map((each) => {
          const { name, label } = each
          return { name, label, missing: each.missing(), plugin: backends.owner(name) }
        }),
    })
    ctx.add(
      Tools,
      imageTool({
        config: ctx.config,
        folder,
        unloaded: ctx.signal,
        backends: () => backends.all(),
        budgets: () => ctx.find(Budgets),
        media,
        models: () => ctx.find(Models),
      }),
    )
  },
})
