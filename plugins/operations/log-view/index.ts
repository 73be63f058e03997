import { CliCommands, Clock, definePlugin, Home } from 'svc/sdk'
import { LogFiles, Logs } from 'svc/sdk/operations'
import { createLogsCommand } from './cli.ts'
import { createLogs } from './service.ts'

export default definePlugin({
  setup(ctx) {
    const path = ctx.use(Home).path('logs', 'svc.log')
    const own = { name: 'svc', title: 'Messages of the kernel and of plugins', path }
    ctx.provide(Logs, () => createLogs({ files: () => [own, ...ctx.all(LogFiles).all()], clock: () => ctx.use(Clock) }))
    ctx.add(CliCommands, createLogsCommand({ logs: () => ctx.use(Logs), clock: () => ctx.use(Clock) }))
  },
})
