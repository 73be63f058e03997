/** The tool calls of a script: counted, run one after the other unless they only read, and answered. */
import { errorMessage, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import { z } from 'zod'
import { explainNotInScript } from './script-tools.ts'

const request = z.object({ id: z.number(), tool: z.string(), input: z.record(z.string(), z.unknown()) })

/** What calls need of the outside. */
export interface CallDeps {
  readonly turn: ToolContext
  readonly most: number
  /** Those that the script may call. */
  readonly tools: readonly Tool[]
  /** Told when the first call of several begins and when the last one ends: the script's time stands still meanwhile. */
  readonly busy: (state: 'begins' | 'ends') => void
}

/** Answers lines of a script with lines. */
export class Calls {
  readonly #deps: CallDeps
  #made = 0
  #underWay = 0
  #last: Promise<unknown> = Promise.resolve()
  readonly #open: Set<Promise<unknown>> = new Set()

  constructor(deps: CallDeps) {
    this.#deps = deps
  }

  /** Calls that were allowed to run. */
  get made(): number {
    return this.#made
  }

  /** The answer to a line, as a line. Never rejects. */
  async answer(line: string): Promise<string> {
    const parsed = request.safeParse(parseJson(line))
    const { id, tool, input } = parsed.success ? parsed.data : { id: 0, tool: '', input: {} }
    const refused = parsed.success ? this.#refusal(tool, input) : 'The call is no JSON object with id, tool and input.'
    const result = refused === undefined ? await this.#run(tool, input) : { text: refused, failed: true }
    const { text, data, failed } = result
    return `${JSON.stringify({ id, text, data, ...(failed && { failed }) })}\n`
  }

  /** Resolves when no call is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#open)
  }

  #refusal(tool: string, input: Record<string, unknown>): string | undefined {
    const { turn, most, tools } = this.#deps
    if (turn.signal.aborted) return 'Not run: the turn was interrupted.'
    const refused = explainNotInScript(tools, tool, input)
    if (refused !== undefined) return refused
    return this.#made >= most ? `The script has made its ${most} tool calls; no more are run.` : undefined
  }

  #run(tool: string, input: Record<string, unknown>): Promise<ToolResult> {
    this.#made++
    if (this.#underWay++ === 0) this.#deps.busy('begins')
    const { turn, tools } = this.#deps
    const isPure = tools.some(({ name, effect }) => name === tool && effect === 'pure')
    const call = () =>
      turn.call(tool, input).catch((error: unknown) => ({ text: errorMessage(error), failed: true }) as ToolResult)
    const running = isPure ? call() : this.#last.then(call)
    if (!isPure) this.#last = running
    const noted = running.finally(() => {
      this.#open.delete(noted)
      if (--this.#underWay === 0) this.#deps.busy('ends')
    })
    this.#open.add(noted)
    return noted
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
