/** `svc mcp serve`. */
import type { CliCommand, PluginContext } from 'svc/sdk'
import type { ConnectedClients } from './clients.ts'
import type { Config } from './config.ts'

export function serveCommand(ctx: PluginContext<Config>, clients: ConnectedClients): CliCommand {
  return {
    name: 'mcp serve',
    description:
      'Serve the agent to MCP clients: chat, sessions, skills, the tools of mcp_serve.tools, and what plugins export. Speaks over standard input and ' +
      'output, for a client that starts it, or with --http over HTTP, with the key MCP_SERVE_KEY.',
    options: [
      { flags: '--http', description: 'Listen for clients over streamable HTTP until Ctrl-C' },
      { flags: '--port <number>', description: 'Port to listen on; left out: mcp_serve.port' },
    ],
    examples: ['mcp serve', 'mcp serve --http --port 8645'],
    run: async (input, io) =>
      input.options['http'] === true
        ? (await import('./serve-http.ts')).serveHttp(ctx, io, { clients, port: input.options['port'] })
        : (await import('./serve-stdio.ts')).serveStdio(ctx, io, clients),
  }
}
