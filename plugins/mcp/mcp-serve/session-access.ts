/** Stored sessions, as clients read them. */
import { type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import type { McpClient } from 'svc/sdk/mcp'
import type { Config } from './config.ts'
import { maySee, seesAll } from './rights.ts'

/** The newest sessions of clients that are looked through for those of one client. */
const MAX_LOOKED_AT = 1_000
/** Characters of one message. */
const MAX_TEXT = 2_000

export interface SessionInfo {
  readonly id: string
  readonly title: string | null
  readonly surface: string
  readonly cwd: string
  readonly updated_at: string
  readonly message_count: number
}

export function toInfo({ id, title, surface, cwd, updatedAt, messageCount }: SessionSummary): SessionInfo {
  const updated_at = new Date(updatedAt).toISOString()
  return { id, title: title ?? null, surface, cwd, updated_at, message_count: messageCount }
}

/** Those that the client may see, the one used last first. */
export function listVisible(
  ctx: PluginContext<Config>,
  client: McpClient,
  { offset = 0, limit, surface }: { readonly offset?: number; readonly limit: number; readonly surface?: string },
): readonly SessionSummary[] {
  const sessions = ctx.use(Sessions)
  const where = surface === undefined ? {} : { surface }
  if (seesAll(ctx, client)) return sessions.list({ offset, limit, ...where })
  const all = sessions.list({ limit: MAX_LOOKED_AT, surface: 'mcp' })
  const own = all.filter((each) => (surface ?? each.surface) === each.surface && maySee(ctx, client, each.id))
  return own.slice(offset, offset + limit)
}

/** Ids of sessions with these words that the client may see, the newest hit first. */
export function searchVisible(
  ctx: PluginContext<Config>,
  client: McpClient,
  { search, limit, ...where }: { readonly search: string; readonly limit: number; readonly surface?: string },
): readonly string[] {
  const most = seesAll(ctx, client) ? limit : MAX_LOOKED_AT
  const hits = ctx.use(Sessions).search(search, { limit: most, ...where })
  const ids = [...new Set(hits.map(({ sessionId }) => sessionId))]
  return ids.filter((id) => maySee(ctx, client, id)).slice(0, limit)
}

export interface SessionPart {
  readonly total: number
  readonly messages: readonly { readonly role: string; readonly text: string; readonly at: string }[]
}

/** Throws `SESSION_NOT_FOUND`. */
export function readPart(
  ctx: PluginContext<Config>,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): SessionPart {
  const all = ctx.use(Sessions).open(id).entries()
  const messages = all.slice(offset, offset + limit).map(({ message: { role, text }, at }) => ({
    role,
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text,
    at: new Date(at).toISOString(),
  }))
  return { total: all.length, messages }
}
