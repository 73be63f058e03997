/** Wires the tool that looks at pictures. */
import { AuxiliaryModels, definePlugin, Models, Tools } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { visionTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      visionTool({
        media: () => ctx.use(MediaFiles),
        models: () => ctx.find(Models),
        auxiliary: () => ctx.find(AuxiliaryModels),
      }),
    )
  },
})
