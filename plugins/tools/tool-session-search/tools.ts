/** The tool `session_search`, as the model is told of it. Its work is imported when it is first used. */
import { defineTool, type Sessions, type Tool } from 'svc/sdk'
import { z } from 'zod'
import { searchView } from './view.ts'

const input = z.object({
  query: z.string().trim().optional().describe('words; leave out for the latest sessions'),
  limit: z.int().min(1).max(10).default(3).describe('sessions'),
  session_id: z.string().optional().describe('read this one'),
  around: z.int().min(0).optional().describe('message number'),
  window: z.int().min(1).max(20).default(5),
  role_filter: z.enum(['user', 'assistant', 'tool']).optional(),
  sort: z.enum(['newest', 'oldest']).default('newest'),
})

/** What the model asked for. */
export type SearchInput = z.infer<typeof input>

/** Makes the tool. */
export function sessionSearchTool(sessions: () => Sessions): Tool {
  return defineTool<SearchInput>({
    name: 'session_search',
    description: 'Search earlier conversations, or read one. Use it when the user refers to something from before.',
    input,
    effect: 'pure',
    toolset: 'session_search',
    reach: 'nothing',
    view: searchView,
    scope: { core: true },
    parallel: true,
    untrusted: true,
    run: async (asked, turn) => {
      if (asked.session_id !== undefined) {
        const { readSession } = await import('./read.ts')
        return readSession(sessions(), asked.session_id, asked)
      }
      const { findSessions, latestSessions } = await import('./find.ts')
      return asked.query
        ? findSessions(sessions(), asked.query, asked, turn.sessionId)
        : latestSessions(sessions(), asked, turn.sessionId)
    },
  })
}
