/** How a server is reached. */
import type { McpTransport } from 'svc/sdk/mcp'
import type { ServerSettings } from './config.ts'

/** The transport that settings ask for; `http` falls back to SSE unless `transport` names it. */
export function chooseTransport({ transport, command }: Pick<ServerSettings, 'transport' | 'command'>): McpTransport {
  return transport ?? (command === undefined ? 'http' : 'stdio')
}
