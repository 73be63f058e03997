/** Wires the dispatcher: a job of the gateway, `svc kanban dispatch`, and the logs of workers. */
import { CliCommands, definePlugin, Home, Secrets } from 'svc/sdk'
import { TaskDispatch } from 'svc/sdk/kanban'
import { dispatchCommand } from './cli.ts'
import { logCommand } from './cli-log.ts'
import { type Config, config } from './config.ts'
import type { DispatchLoop } from './loop.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let loop: DispatchLoop | undefined
    const openLog = async () => {
      const [{ findFolders }, { readLog }] = await Promise.all([import('./folders.ts'), import('./read-log.ts')])
      const deps = { folder: findFolders(ctx.use(Home)).logs, mask: (text: string) => ctx.use(Secrets).mask(text) }
      return (id: string, options?: Parameters<typeof readLog>[2]) => readLog(deps, id, options)
    }
    ctx.provide(TaskDispatch, () => ({
      async dispatch(options = {}) {
        if (loop && options.isDry !== true) return { report: await loop.look(options) }
        const { dispatchOnce } = await import('./dispatch-once.ts')
        return dispatchOnce(ctx, options, ctx.signal)
      },
      log: async (id, options) => (await openLog())(id, options),
      clean: async () => (await import('./open.ts')).cleanAll(ctx),
    }))
    ctx.add(CliCommands, dispatchCommand(ctx))
    ctx.add(CliCommands, logCommand(ctx, openLog))
    if (ctx.process.role !== 'gateway' || !ctx.config.in_gateway) return
    let ended: Promise<void> | undefined
    ctx.onStart(() => {
      ended = import('./start-loop.ts').then(({ startLoop }) =>
        startLoop(ctx, {
          ...{ signal: ctx.signal, options: {}, isAlone: false },
          onHold: (held) => {
            loop = held
          },
        }),
      )
    })
    ctx.defer(() => ended)
  },
})
