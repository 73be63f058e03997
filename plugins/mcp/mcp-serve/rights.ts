/** What a client may see: all, or, with a key of its own, what `mcp_serve.clients` says. */
import { defineSessionState, errorCode, type PluginContext, type SessionState, Sessions, SvcError } from 'svc/sdk'
import type { McpClient } from 'svc/sdk/mcp'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

/** The account that began a session. */
const Owner: SessionState<string> = defineSessionState('mcp-serve:owner', {
  undo: 'keeps',
  parse: (value) => (typeof value === 'string' ? value : undefined),
})

export function seesAll({ config }: Context, { account }: McpClient): boolean {
  return account === undefined || config.clients[account]?.sessions === 'all'
}

/** Names of tools of svc that the client may call. */
export function listTools({ config }: Context, { account }: McpClient): readonly string[] {
  return account === undefined ? config.tools : (config.clients[account]?.tools ?? [])
}

/** Whether the client may read and continue the session. Throws `SESSION_NOT_FOUND`. */
export function maySee(ctx: Context, client: McpClient, id: string): boolean {
  return seesAll(ctx, client) || ctx.use(Sessions).open(id).state(Owner) === client.account
}

/** Throws `MCP_SERVE_SESSION` for a session that is not there, and for one that the client may not see. */
export function requireSession(ctx: Context, client: McpClient, id: string): void {
  if (!isVisible(ctx, client, id))
    throw new SvcError('MCP_SERVE_SESSION', `There is no session "${id.slice(0, 100)}".`, { status: 404 })
}

/** Whether there is such a session, and the client may see it. */
export function isVisible(ctx: Context, client: McpClient, id: string): boolean {
  try {
    return maySee(ctx, client, ctx.use(Sessions).summary(id).id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return false
    throw error
  }
}

/** The session is the client's from now on. */
export function ownSession(ctx: Context, { account }: McpClient, id: string): void {
  if (account !== undefined) ctx.use(Sessions).open(id).setState(Owner, account)
}
