/** Which sessions plan now, and what they may do meanwhile. */
import type { Tool, ToolVerdict } from 'svc/sdk'

/** A plan that is being made. */
export interface Plan {
  readonly task: string
  say(text: string): void
}

const REFUSAL = 'Only looking is allowed while a plan is made. Put this step into the plan instead.'
/** They change nothing of the user's, although they are not pure. */
const HARMLESS = ['todo', 'clarify']

export class Planning {
  readonly #plans: Map<string, Plan> = new Map()

  begin(sessionId: string, plan: Plan): void {
    this.#plans.set(sessionId, plan)
  }

  /** The plan whose turn is over. */
  end(sessionId: string): Plan | undefined {
    const plan = this.#plans.get(sessionId)
    this.#plans.delete(sessionId)
    return plan
  }

  /** Denies what could change something. */
  verdict({ effect, toolset }: Pick<Tool, 'effect' | 'toolset'>, sessionId: string): ToolVerdict | undefined {
    if (!this.#plans.has(sessionId) || effect === 'pure' || HARMLESS.includes(toolset)) return undefined
    return { allow: false, reason: REFUSAL }
  }
}
