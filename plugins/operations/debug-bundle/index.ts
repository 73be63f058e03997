import { CliCommands, definePlugin } from 'svc/sdk'
import { DebugBundles } from 'svc/sdk/operations'
import { createDebugCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createDebugCommand(ctx))
    ctx.provide(DebugBundles, () => ({
      create: async (options) => (await import('./share.ts')).create(ctx, options),
    }))
  },
})
