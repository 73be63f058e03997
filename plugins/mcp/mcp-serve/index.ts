/** Wires the server: its command, and the provider that runs calls of tools through a turn. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { serveCommand } from './cli.ts'
import { type Config, config } from './config.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    ctx.add(CliCommands, serveCommand(ctx))
  },
})
