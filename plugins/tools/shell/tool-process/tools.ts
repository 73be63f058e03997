/** The tool `process`, as the model is told of it. Its work is imported when it is first used. */
import { type Clock, defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'
import type { Registry } from './registry.ts'
import { processView } from './view.ts'

const input = z.object({
  action: z.enum(['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close']),
  id: z.string().optional(),
  data: z.string().optional().describe('to write; submit adds Enter'),
  timeout: z.number().positive().optional().describe('of wait, in seconds'),
  offset: z.number().int().min(0).optional().describe('of log: first line; left out: the last lines'),
  limit: z.number().int().min(1).max(2000).optional().describe('of log: lines'),
})

/** These only look at what runs. */
const LOOKING: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'wait'])

/** What the model asked for. */
export type ProcessInput = z.infer<typeof input>

export interface ProcessDeps {
  readonly clock: () => Clock
  readonly mask: (text: string) => string
  readonly registry: () => Promise<Registry>
}

/** Makes the tool. */
export function processTool(deps: ProcessDeps): Tool {
  return defineTool<ProcessInput>({
    name: 'process',
    description: 'Look after background commands of the tool terminal.',
    input,
    effect: 'once',
    toolset: 'terminal',
    scope: { core: true },
    acts: ({ action }) => (LOOKING.has(action) ? { writes: [] } : {}),
    // What is typed is put to the gates when it is known to which line it belongs.
    reach: 'machine',
    view: processView,
    run: async (request, turn) => (await import('./actions.ts')).act(request, turn, deps),
  })
}
