/** The agent: one turn in, one typed event stream out. Every front end reads this stream and has no other way in. */
import type { ApprovalChoice, ApprovalRequest } from './approvals.ts'
import type { Image, Message, Usage } from './messages.ts'
import { type NotifyHook, notify, type Service, service, type TransformHook, transform } from './token.ts'

/** What a front end asks for. */
export interface TurnRequest {
  readonly sessionId: string
  readonly text: string
  readonly images?: readonly Image[]
  /** The front end: `cli`, `api`, a platform's name. */
  readonly surface: string
  readonly signal?: AbortSignal
  /** Overrides of `model.provider` and `model.default` for this turn. */
  readonly provider?: string
  readonly model?: string
  /** Overrides the cap on model calls. */
  readonly maxIterations?: number
}

/** How a turn ended. */
export type TurnEndReason = 'completed' | 'interrupted' | 'max-iterations' | 'failed' | 'crashed'

/** What happened, without its place in the stream. `usage` comes once for each model call. */
export type TurnEventBody =
  | { readonly type: 'turn.start'; readonly text: string; readonly provider: string; readonly model: string }
  | { readonly type: 'message.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.start'; readonly callId: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool.complete'
      readonly callId: string
      readonly name: string
      readonly ok: boolean
      readonly text: string
      readonly data?: unknown
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'approval.request'; readonly request: ApprovalRequest }
  | { readonly type: 'approval.answer'; readonly id: string; readonly choice: ApprovalChoice; readonly by: string }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'message.complete'; readonly text: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'turn.end'; readonly reason: TurnEndReason; readonly usage: Usage }

/** One event. `seq` counts up by one within a session and is durable before the event is seen. */
export type TurnEvent = TurnEventBody & { readonly sessionId: string; readonly turnId: string; readonly seq: number }

/** Provided by the plugin `agent`. */
export interface Agent {
  /**
   * Runs one turn. The stream always ends with `turn.end`; a failure is an `error` event before it.
   * Every event is on disk before it is yielded. Leaving the loop early interrupts the turn.
   */
  run(request: TurnRequest): AsyncIterable<TurnEvent>
}
export const Agent: Service<Agent> = service('agent')

/** A turn, as hooks see it. */
export interface TurnInfo {
  readonly sessionId: string
  readonly turnId: string
  readonly surface: string
}

/** A user's text came in and its sender is allowed. Listeners may rewrite it. */
export const MessageReceived: TransformHook<string, TurnInfo> = transform('message:received')

/** The messages about to be sent to the model. Compression lives here. */
export const RequestBuilding: TransformHook<readonly Message[], TurnInfo> = transform('request:building', {
  limitMs: 300_000,
})

/** A turn is over and its answer is stored. */
export const TurnEnded: NotifyHook<TurnInfo & { readonly reason: TurnEndReason; readonly usage: Usage }> =
  notify('turn:ended')
