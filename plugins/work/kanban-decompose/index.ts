/** Wires `svc kanban decompose` and `svc kanban specify`, and what the gateway does by itself. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { decomposeCommand, specifyCommand } from './cli.ts'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(CliCommands, decomposeCommand(ctx))
    ctx.add(CliCommands, specifyCommand(ctx))
    ctx.onStart(async () => {
      if (ctx.process.role !== 'gateway') return
      const { startAuto } = await import('./auto.ts')
      ctx.defer(startAuto(ctx))
    })
  },
})
