/** Wires the shell command `svc profile`, the routes of the dashboard, and what the board asks of profiles. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { WorkerProfiles } from 'svc/sdk/kanban'
import { UninstallSteps } from 'svc/sdk/operations'
import { profileCommand } from './cli.ts'
import { profileRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    const open = async () => (await import('./worker-profiles.ts')).workerProfiles(ctx)
    ctx.provide(WorkerProfiles, () => ({
      list: async () => (await open()).list(),
      describe: async (name, text) => (await open()).describe(name, text),
      describeByModel: async (name, options) => (await open()).describeByModel(name, options),
    }))
    ctx.add(CliCommands, profileCommand(ctx))
    ctx.add(UninstallSteps, {
      name: 'profile-commands',
      phase: 'files',
      find: async () => (await import('./alias.ts')).listAliasItems(ctx),
    })
    for (const route of profileRoutes(ctx)) ctx.add(DashboardRoutes, route)
  },
})
