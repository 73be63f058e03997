/** Stored sessions, as clients read them. */
import { type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import type { Config } from './config.ts'

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
