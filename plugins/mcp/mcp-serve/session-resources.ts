/** Stored sessions as resources: `svc://sessions/<id>`, with `?offset=` and `?limit=` for a part. */
import { Clock, type PluginContext, type SessionSummary, Sessions, SvcError } from 'svc/sdk'
import type { McpClient, McpExportResources } from 'svc/sdk/mcp'
import type { Config } from './config.ts'
import { isVisible } from './rights.ts'
import { listVisible, readPart, toInfo } from './session-access.ts'

const PREFIX = 'svc://sessions/'
const MIME_TYPE = 'application/json'
/** Messages of one reading; left out, the last ones are read. */
const MAX_MESSAGES = 200
/** Other processes write sessions, too: they are looked at this often. */
const LOOK_MS = 1_000

export function sessionResources(ctx: PluginContext<Config>): McpExportResources {
  return {
    templates: [
      {
        uriTemplate: `${PREFIX}{id}{?offset,limit}`,
        name: 'session',
        description: `A conversation of svc: ${MAX_MESSAGES} messages from offset, without it the last ones.`,
        mimeType: MIME_TYPE,
        complete: (variable, value, _given, client) => {
          if (variable !== 'id') return []
          const ids = listVisible(ctx, client, { limit: 1_000 })
          return ids.map(({ id }) => id).filter((id) => id.startsWith(value))
        },
      },
    ],
    list: (client, { offset, limit }) =>
      listVisible(ctx, client, { offset, limit }).map(({ id, title, surface, updatedAt }) => ({
        uri: `${PREFIX}${encodeURIComponent(id)}`,
        name: title ?? id,
        description: `Conversation of ${surface}, used last at ${new Date(updatedAt).toISOString()}.`,
        mimeType: MIME_TYPE,
      })),
    read(uri, { client }) {
      const part = parse(uri)
      const summary = part && findSummary(ctx, part.id, client)
      if (!summary) return undefined
      const limit = readNumber(part.query, 'limit') ?? MAX_MESSAGES
      const offset = readNumber(part.query, 'offset') ?? Math.max(0, summary.messageCount - limit)
      const read = readPart(ctx, part.id, { offset, limit: Math.min(limit, MAX_MESSAGES) })
      const text = JSON.stringify({ ...toInfo(summary), offset, ...read }, null, 1)
      return [{ uri, mimeType: MIME_TYPE, text }]
    },
    watch(uri, client, changed) {
      const id = parse(uri)?.id
      const first = id === undefined ? undefined : findSummary(ctx, id, client)
      if (!first) return undefined
      let known = fingerprint(first)
      let cancel = () => {}
      const look = () => {
        const now = fingerprint(findSummary(ctx, first.id, client))
        if (now !== known) changed()
        known = now
        cancel = ctx.use(Clock).after(LOOK_MS, look, { background: true })
      }
      cancel = ctx.use(Clock).after(LOOK_MS, look, { background: true })
      return () => cancel()
    },
  }
}

function fingerprint(summary: SessionSummary | undefined): string {
  return summary ? `${summary.updatedAt} ${summary.messageCount} ${summary.title}` : ''
}

/** Undefined if it does not exist or the client may not see it. */
function findSummary(ctx: PluginContext<Config>, id: string, client: McpClient): SessionSummary | undefined {
  return isVisible(ctx, client, id) ? ctx.use(Sessions).summary(id) : undefined
}

function parse(uri: string): { readonly id: string; readonly query: URLSearchParams } | undefined {
  const [, id, query = ''] = /^svc:\/\/sessions\/([^/?#]+)(?:\?([^#]*))?$/.exec(uri) ?? []
  if (id === undefined) return undefined
  try {
    return { id: decodeURIComponent(id), query: new URLSearchParams(query) }
  } catch {
    return undefined
  }
}

/** Throws `MCP_SERVE_RESOURCE`. */
function readNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new SvcError('MCP_SERVE_RESOURCE', `${name} is not a whole number.`, { status: 400, param: name })
}
