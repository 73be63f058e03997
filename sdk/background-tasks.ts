/** Work of an agent away from its conversation: tasks in the background and subagents. */
import type { TurnContext } from './agent.ts'
import { type NotifyHook, notifyHook, type TransformHook, transformHook } from './declarations.ts'
import type { Usage } from './messages.ts'
import type { TurnEndReason } from './turn-events.ts'

/** A task that runs in a session of its own beside the conversation that began it: `/background`. @since 0.2 */
export interface BackgroundTask {
  readonly sessionId: string
  /** The session of the conversation that began it. */
  readonly parentSessionId: string
  readonly task: string
}

/** A subagent: a turn that a tool call of another turn began. @since 0.2 */
export interface Subagent {
  /** The turn that began it. */
  readonly parent: TurnContext
  /** The call that began it. */
  readonly callId: string
  /** Its session. */
  readonly sessionId: string
  /** What it is to do. */
  readonly goal: string
  /** Its id in events of turns, where that is not its session. */
  readonly id?: string
  /** `leaf`: it begins no subagents. `orchestrator`: it may. Left out: it may not. */
  readonly role?: 'leaf' | 'orchestrator'
}

/** A subagent begins; its session exists, and its turn does not yet. @since 0.2 */
export const SubagentStarted: NotifyHook<Subagent> = notifyHook('subagent:started')

/** A subagent has ended: `text` is its answer, or the reason why it has no answer. @since 0.2 */
export const SubagentEnded: NotifyHook<
  Subagent & {
    readonly reason: TurnEndReason
    readonly text: string
    readonly usage: Usage
    readonly durationMs?: number
  }
> = notifyHook('subagent:ended')

/** A task in the background has begun; its session is stored. @since 0.2 */
export const BackgroundTaskStarted: NotifyHook<BackgroundTask> = notifyHook('background:started')

/** How a task in the background ended. @since 0.2 */
export interface EndedBackgroundTask extends BackgroundTask {
  readonly reason: Exclude<TurnEndReason, 'crashed'>
  /** The answer, or what went wrong. */
  readonly result: string
}

/**
 * A task in the background is over, and its turn is stored. Not called for what svc stops at its end: that is resumed.
 * @since 0.2
 */
export const BackgroundTaskEnded: NotifyHook<EndedBackgroundTask> = notifyHook('background:ended')

/** How the result of a task in the background is told. @since 0.2 */
export interface TaskDelivery {
  /** Markdown. */
  readonly text: string
  /** A chat instead of the conversation that began the task, as `OutboxTarget.target`. The plugin `outbox` has to be loaded. */
  readonly target?: string
}

/**
 * A task in the background is over and its result is about to be told where it began. A listener may change the text, or send it to a
 * chat instead. What cannot be sent there is told where the task began.
 * @since 0.2
 */
export const SelectTaskDelivery: TransformHook<TaskDelivery, EndedBackgroundTask> = transformHook(
  'background:delivering',
  { accepts: isDelivery },
)

function isDelivery(value: unknown): boolean {
  const { text, target } = (value ?? {}) as Record<string, unknown>
  return typeof text === 'string' && (target === undefined || typeof target === 'string')
}
