import { CliCommands, definePlugin } from 'svc/sdk'
import { McpPicker } from 'svc/sdk/mcp'
import { catalogCommands } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(McpPicker, () => ({ pick: async (io) => (await import('./picker.ts')).pick(ctx, io) }))
    for (const command of catalogCommands(ctx)) ctx.add(CliCommands, command)
  },
})
