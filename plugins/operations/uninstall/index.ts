import { CliCommands, definePlugin } from 'svc/sdk'
import { Uninstaller, UninstallSteps } from 'svc/sdk/operations'
import { createUninstallCommand } from './cli.ts'
import { makePlan } from './plan.ts'

export default definePlugin({
  setup(ctx) {
    const steps = ctx.all(UninstallSteps)
    ctx.provide(Uninstaller, () => ({
      plan: (signal) => makePlan(steps.all(), { signal, log: ctx.log, owner: (step) => steps.owner(step) }),
    }))
    ctx.add(CliCommands, createUninstallCommand(ctx))
  },
})
