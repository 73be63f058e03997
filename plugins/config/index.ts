/** The one writer of the configuration, and the shell command `svc config`. */
import { CliCommands, ConfigFile, definePlugin } from 'svc/sdk'
import { configCommand } from './cli.ts'
import type { ConfigWriter } from './writer.ts'

export default definePlugin({
  setup(ctx) {
    let loading: Promise<ConfigWriter> | undefined
    const writer = () => {
      loading ??= import('./writer.ts').then(({ ConfigWriter }) => new ConfigWriter(ctx))
      return loading
    }
    ctx.provide(ConfigFile, () => ({
      write: async (edits, by) => (await writer()).write(edits, by),
      undo: async (id) => (await writer()).undo(id),
      history: async () => (await writer()).history(),
    }))
    ctx.add(CliCommands, configCommand(ctx, writer))
  },
})
