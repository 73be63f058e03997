/** Wires the server: its command, and its clients. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { McpClients } from 'svc/sdk/mcp'
import { serveCommand } from './cli.ts'
import { ConnectedClients } from './clients.ts'
import { type Config, config } from './config.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const clients = new ConnectedClients()
    ctx.provide(McpClients, () => clients)
    ctx.add(CliCommands, serveCommand(ctx, clients))
  },
})
