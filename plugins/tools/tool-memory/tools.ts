/** The tool `memory`, as the model is told of it. */
import { defineTool, type Random, type Tool } from 'svc/sdk'
import type { Storage } from 'svc/sdk/storage'
import { z } from 'zod'
import { memoryView } from './view.ts'

/** What is remembered: notes of the model's own, or what it knows of the user. */
export type Target = 'memory' | 'user'

export interface MemoryDeps {
  readonly folder: () => string
  /** Characters of each file. */
  readonly limits: Readonly<Record<Target, number>>
  readonly storage: () => Storage
  /** A database that holds nothing: its transaction is the lock between processes. */
  readonly lockFile: string
  readonly random: () => Random
  readonly mask: (text: string) => string
  readonly warn: (text: string) => void
}

const input = z.object({
  action: z.enum(['add', 'replace', 'remove']),
  target: z.enum(['memory', 'user']).default('memory'),
  content: z.string().optional().describe('for add, replace'),
  old_text: z.string().optional().describe('for replace, remove: unique words of the entry'),
})
export type MemoryInput = z.infer<typeof input>

/** Makes the tool. */
export function memoryTool(deps: MemoryDeps): Tool {
  let failures = { turnId: '', count: 0 }
  return defineTool<MemoryInput>({
    name: 'memory',
    description:
      'Remember short lasting facts for later sessions: user (who they are, how they like things) or memory (environment, conventions, lessons). No secrets, no progress of the task.',
    input,
    effect: 'idempotent',
    toolset: 'memory',
    reach: 'nothing',
    view: memoryView,
    scope: { core: true, notOn: ['subagent'] },
    run: async (asked, turn) => {
      const { turnId } = turn
      const { remember } = await import('./remember.ts')
      const { result, retryable } = await remember(deps, asked, turn)
      if (!result.failed) return result
      failures = { turnId, count: failures.turnId === turnId ? failures.count + 1 : 1 }
      if (!retryable || failures.count < 3) return result
      return { ...result, text: `${result.text}\nThat was the third failure in this turn: stop trying and continue.` }
    },
  })
}
