import { CliCommands, definePlugin } from 'svc/sdk'
import { UninstallSteps, Updates } from 'svc/sdk/operations'
import { createUpdateCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createUpdateCommand(ctx))
    ctx.add(UninstallSteps, {
      name: 'program',
      phase: 'program',
      find: async (signal) => (await import('./uninstall-step.ts')).findProgram(ctx, signal),
    })
    ctx.provide(Updates, () => ({
      apply: async ({ signal, ...options }) =>
        (await import('./apply.ts')).apply(ctx, { ...options, signal: AbortSignal.any([signal, ctx.signal]) }),
      check: async ({ signal }) => (await import('./check.ts')).check(ctx, AbortSignal.any([signal, ctx.signal])),
    }))
  },
})
