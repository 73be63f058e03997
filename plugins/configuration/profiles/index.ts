/** Wires the shell command `svc profile`, and what the board asks of profiles. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { WorkerProfiles } from 'svc/sdk/kanban'
import { profileCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    const open = async () => (await import('./worker-profiles.ts')).workerProfiles(ctx)
    ctx.provide(WorkerProfiles, () => ({
      list: async () => (await open()).list(),
      describe: async (name, text) => (await open()).describe(name, text),
      describeByModel: async (name, options) => (await open()).describeByModel(name, options),
    }))
    ctx.add(CliCommands, profileCommand(ctx))
  },
})
