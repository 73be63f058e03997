/** Wires the dispatcher: a job of the gateway, and `svc kanban dispatch`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { dispatchCommand } from './cli.ts'
import { type Config, config } from './config.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    ctx.add(CliCommands, dispatchCommand(ctx))
    if (ctx.process.role !== 'gateway' || !ctx.config.in_gateway) return
    let ended: Promise<void> | undefined
    ctx.onStart(() => {
      ended = import('./start-loop.ts').then(({ startLoop }) =>
        startLoop(ctx, { signal: ctx.signal, options: {}, isAlone: false }),
      )
    })
    ctx.defer(() => ended)
  },
})
