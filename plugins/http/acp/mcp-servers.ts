/** MCP servers that an editor names for a session: https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers */
import type { McpServer } from '@agentclientprotocol/sdk'
import { type PluginContext, type Registration, SvcError } from 'svc/sdk'
import { McpServers } from 'svc/sdk/mcp'

interface NamedValue {
  readonly name: string
  readonly value: string
}

/** Ends with the session. Undefined where the editor names none. Throws `ACP_CONTENT` for kinds that svc did not say it takes. */
export function attachServers(
  ctx: PluginContext<undefined>,
  sessionId: string,
  named: readonly McpServer[],
  warn: (text: string) => void,
): Registration | undefined {
  if (named.length === 0) return undefined
  const servers = ctx.find(McpServers)
  if (!servers) {
    warn('The MCP servers of the editor are not connected: the plugin mcp is switched off.')
    return undefined
  }
  const settings = Object.fromEntries(named.map((server) => [server.name, toSettings(server)]))
  const { registration, refused } = servers.attach(sessionId, settings)
  for (const { name, problems } of refused)
    warn(`The MCP server ${name} of the editor is not connected. ${problems.join(' ')}`)
  return registration
}

/** As `mcp_servers` has them. */
function toSettings(server: McpServer): Readonly<Record<string, unknown>> {
  if (!('type' in server)) {
    const { command, args, env } = server
    return { command, args, env: toRecord(env) }
  }
  if (server.type !== 'http' && server.type !== 'sse')
    throw new SvcError('ACP_CONTENT', 'svc connects MCP servers over stdio, http and sse.', { status: 400 })
  return { url: server.url, transport: server.type, headers: toRecord(server.headers) }
}

function toRecord(values: readonly NamedValue[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]))
}
