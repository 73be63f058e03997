/** Stored sessions, to read with tools. */
import { type PluginContext, Sessions } from 'svc/sdk'
import { defineMcpTool, type McpExportTool } from 'svc/sdk/mcp'
import { z } from 'zod'
import type { Config } from './config.ts'
import { requireSession } from './rights.ts'
import { toResult } from './served.ts'
import { listVisible, readPart, searchVisible, toInfo } from './session-access.ts'

const annotations = { readOnlyHint: true, openWorldHint: false }

export function sessionTools(ctx: PluginContext<Config>): McpExportTool[] {
  return [
    defineMcpTool({
      name: 'list_sessions',
      description: 'List the conversations of svc, the one used last first; with search, those with these words.',
      input: z.object({
        limit: z.number().int().min(1).max(200).default(50),
        surface: z.string().optional().describe('Only those of this front end or platform: cli, telegram.'),
        search: z.string().optional().describe('Words that a message of the conversation contains.'),
      }),
      annotations,
      run({ limit, surface, search }, { client }) {
        const sessions = ctx.use(Sessions)
        const of = surface === undefined ? {} : { surface }
        const ids =
          search === undefined
            ? listVisible(ctx, client, { limit, ...of }).map(({ id }) => id)
            : searchVisible(ctx, client, { search, limit, ...of })
        const found = ids.map((id) => toInfo(sessions.summary(id)))
        return toResult(JSON.stringify({ sessions: found }, null, 1), { sessions: found })
      },
    }),
    defineMcpTool({
      name: 'read_session',
      description: 'Read the messages of a conversation of svc. Long messages are cut.',
      input: z.object({
        session_id: z.string(),
        offset: z.number().int().min(0).default(0).describe('Messages to leave out at the start.'),
        limit: z.number().int().min(1).max(200).default(50),
      }),
      annotations,
      run({ session_id, offset, limit }, { client }) {
        requireSession(ctx, client, session_id)
        const read = { session_id, ...readPart(ctx, session_id, { offset, limit }) }
        return toResult(JSON.stringify(read, null, 1), read)
      },
    }),
  ]
}
