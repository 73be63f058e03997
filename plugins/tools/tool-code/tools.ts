/** The tool `execute_code`, as the model is told of it. Its work is imported when it is first used. */
import { type Clock, defineTool, type Tool, type ToolContext } from 'svc/sdk'
import { z } from 'zod'
import { describeActs } from './acts.ts'
import type { Config } from './config.ts'
import type { Sandbox } from './sandbox.ts'
import { describeFunctions } from './script-tools.ts'
import { codeView } from './view.ts'

const MAX_CHARS = 200_000

const input = z.object({
  code: z.string().min(1).max(MAX_CHARS),
  language: z.enum(['javascript', 'python']).default('javascript'),
  attach: z.array(z.string().min(1)).max(10).optional().describe('files of it for the user'),
})

/** A script. */
export type Script = z.infer<typeof input>

export interface CodeDeps {
  readonly config: Config
  readonly sandbox: () => Promise<Sandbox>
  /** An approval gate is active. */
  readonly canAsk: () => boolean
  readonly clock: () => Clock
  readonly mask: (text: string) => string
  /** An environment variable that is no secret. */
  readonly variable: (name: string) => string | undefined
  /** Variables that plugins set for a script. */
  readonly variables: (code: string, turn: ToolContext) => Promise<Readonly<Record<string, string>>>
  /** The tools that scripts may call. */
  readonly tools: () => readonly Tool[]
}

/** Makes the tool. */
export function codeTool(deps: CodeDeps): Tool {
  /** Scripts of which the gates were told that they run locked up; by then they are frozen. */
  const lockedUp = new WeakSet<Script>()
  return defineTool<Script>({
    name: 'execute_code',
    // Read when the first turn begins: by then all tools are there.
    get description() {
      return `Run a script for work of many tool calls; only what it prints comes back. ${describeFunctions(deps.tools())} Failed calls throw. Writes and network only through them.`
    },
    input,
    effect: 'once',
    toolset: 'code_execution',
    reach: 'network',
    acts: async (script) => {
      const isLockedUp = async () => (await deps.sandbox()).works()
      const acts = await describeActs(script, { canAsk: deps.canAsk, isLockedUp })
      if (acts.confined) lockedUp.add(script)
      return acts
    },
    view: codeView,
    untrusted: true,
    run: async (script, turn) =>
      (await import('./run-code.ts')).runCode(script, turn, { ...deps, mustLockUp: lockedUp.has(script) }),
  })
}
