/**
 * Which sessions are in plan mode, and what they may do in it. The mode is state of the session: a resumed turn keeps
 * it.
 */
import {
  defineSessionState,
  errorCode,
  type Session,
  type SessionState,
  type Sessions,
  type Tool,
  type ToolDecision,
} from 'svc/sdk'

/** A plan that is being made. */
export interface Plan {
  readonly task: string
  /** The turn that makes it; left out until it begins. */
  readonly turnId?: string
}

const Planned: SessionState<Plan> = defineSessionState('plan:task', {
  undo: 'restores',
  parse: (value) => {
    const { task, turnId } = (value ?? {}) as { readonly task?: unknown; readonly turnId?: unknown }
    if (typeof task !== 'string') return undefined
    return typeof turnId === 'string' ? { task, turnId } : { task }
  },
})

const REFUSAL = 'Only looking is allowed while a plan is made. Put this step into the plan instead.'

/** How the message begins that asks for a plan. */
export function createPlanCommand(task: string): string {
  return `/plan ${task}`
}

/** Names a turn. */
interface TurnName {
  readonly sessionId: string
  readonly turnId: string
}

export class Planning {
  readonly #sessions: () => Sessions

  constructor(sessions: () => Sessions) {
    this.#sessions = sessions
  }

  /** The next turn of the session makes a plan. */
  begin(sessionId: string, task: string): void {
    this.#open(sessionId).setState(Planned, { task }, { with: 'next-message' })
  }

  /** A turn begins with a message: it makes the plan that was asked for, or that was given up. */
  turnBegins(text: string, { sessionId, turnId }: TurnName): void {
    const session = this.#open(sessionId)
    const plan = session.state(Planned)
    if (!plan || plan.turnId === turnId) return
    const isMeant = plan.turnId === undefined && text.startsWith(createPlanCommand(plan.task))
    session.setState(Planned, isMeant ? { ...plan, turnId } : undefined)
  }

  /** The plan whose turn is over. */
  end({ sessionId, turnId }: TurnName): Plan | undefined {
    const session = this.#open(sessionId)
    const plan = session.state(Planned)
    if (plan?.turnId !== turnId) return undefined
    session.setState(Planned, undefined)
    return plan
  }

  /** Denies what could change something. */
  verdict({ effect, scope }: Pick<Tool, 'effect' | 'scope'>, turn: TurnName): ToolDecision | undefined {
    if (effect === 'pure' || scope?.planning) return undefined
    return this.#isPlanned(turn) ? { allow: false, code: 'planning', reason: REFUSAL } : undefined
  }

  #isPlanned({ sessionId, turnId }: TurnName): boolean {
    try {
      return this.#open(sessionId).state(Planned)?.turnId === turnId
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return false
      throw error
    }
  }

  #open(sessionId: string): Session {
    return this.#sessions().open(sessionId)
  }
}
