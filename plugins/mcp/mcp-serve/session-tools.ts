/** Stored sessions, to read. */
import { type PluginContext, Sessions } from 'svc/sdk'
import { z } from 'zod'
import type { Config } from './config.ts'
import { defineOwnTool, type OwnTool, toResult } from './served.ts'

/** Characters of one message. */
const MAX_TEXT = 2_000
const annotations = { readOnlyHint: true, openWorldHint: false }

export function sessionTools(ctx: PluginContext<Config>): OwnTool[] {
  return [
    defineOwnTool({
      name: 'list_sessions',
      description: 'List the conversations of svc, the one used last first; with search, those with these words.',
      input: z.object({
        limit: z.number().int().min(1).max(200).default(50),
        surface: z.string().optional().describe('Only those of this front end or platform: cli, telegram.'),
        search: z.string().optional().describe('Words that a message of the conversation contains.'),
      }),
      annotations,
      async run({ limit, surface, search }) {
        const sessions = ctx.use(Sessions)
        const of = surface === undefined ? {} : { surface }
        const ids =
          search === undefined
            ? sessions.list({ limit, ...of }).map(({ id }) => id)
            : [...new Set(sessions.search(search, { limit, ...of }).map(({ sessionId }) => sessionId))]
        const found = ids.map((id) => {
          const { title, surface: front, cwd, updatedAt, messageCount } = sessions.summary(id)
          const updated_at = new Date(updatedAt).toISOString()
          return { id, title: title ?? null, surface: front, cwd, updated_at, message_count: messageCount }
        })
        return toResult(JSON.stringify({ sessions: found }, null, 1), { sessions: found })
      },
    }),
    defineOwnTool({
      name: 'read_session',
      description: 'Read the messages of a conversation of svc. Long messages are cut.',
      input: z.object({
        session_id: z.string(),
        offset: z.number().int().min(0).default(0).describe('Messages to leave out at the start.'),
        limit: z.number().int().min(1).max(200).default(50),
      }),
      annotations,
      async run({ session_id, offset, limit }) {
        const all = ctx.use(Sessions).open(session_id).entries()
        const messages = all.slice(offset, offset + limit).map(({ message: { role, text }, at }) => ({
          role,
          text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text,
          at: new Date(at).toISOString(),
        }))
        const read = { session_id, total: all.length, messages }
        return toResult(JSON.stringify(read, null, 1), read)
      },
    }),
  ]
}
