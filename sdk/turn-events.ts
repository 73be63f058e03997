/** What happens in a turn, as events. */
import type { TurnRequest } from './agent.ts'
import type { ApprovalChoice, ApprovalRequest } from './approvals.ts'
import type { ResultFile } from './attachments.ts'
import type { ImageContent, Usage } from './messages.ts'
import type { ModelEvent, ModelFailure } from './providers.ts'
import type { UserQuestion } from './questions.ts'
import type { TurnSettings } from './turn-settings.ts'
import type { Denial } from './verdict.ts'

/** How a turn ended. @since 0.1 */
export type TurnEndReason = 'completed' | 'interrupted' | 'max-iterations' | 'failed' | 'crashed'

/**
 * What happened, without its place in the stream. `usage` comes once for each model call.
 * A tool call is `tool.start` (requested by the model), `tool.running` (allowed and started; not for pure tools) and
 * `tool.complete`.
 * @since 0.2
 */
export type TurnEventData =
  | {
      readonly type: 'turn.start'
      readonly text: string
      readonly provider: string
      readonly model: string
      /** Further inputs of the turn; it resumes with the same inputs after a crash. */
      readonly options?: TurnOptions
      /** `Session.kept` has the definitions of the tools that were sent to the model, as JSON. */
      readonly tools?: string
    }
  | { readonly type: 'turn.resume'; readonly attempt: number }
  | {
      readonly type: 'model.start'
      readonly provider: string
      readonly model: string
      /** SHA-256 of messages, tools and options, in hexadecimal: two requests that have the same are the same. */
      readonly digest: string
      /** The limit of the answer, once an earlier one was cut. */
      readonly maxOutputTokens?: number
    }
  | {
      readonly type: 'model.end'
      readonly reason: Extract<ModelEvent, { type: 'end' }>['reason'] | 'failed'
      readonly failure?: ModelFailure
      /** Names of the calls of an answer that was cut. Their arguments may end anywhere, so none of them runs. */
      readonly cutCalls?: readonly string[]
    }
  | { readonly type: 'message.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | {
      readonly type: 'tool.start'
      readonly callId: string
      readonly name: string
      readonly input: unknown
      /** The call of a tool that made this one. */
      readonly parent?: string
    }
  | { readonly type: 'tool.running'; readonly callId: string }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool.complete'
      readonly callId: string
      readonly name: string
      readonly ok: boolean
      readonly text: string
      readonly data?: unknown
      readonly images?: readonly ImageContent[]
      /** For the person: a front end delivers them once, also those of calls within calls. */
      readonly files?: readonly ResultFile[]
      /** Why the call did not run; left out for one that ran. */
      readonly refusal?: ToolRefusal
    }
  | { readonly type: 'image'; readonly image: ImageContent }
  | {
      readonly type: 'steer'
      readonly text: string
      /** Of the texts in it: what `steer` was given as `key`. @since 0.2 */
      readonly keys?: readonly string[]
    }
  | { readonly type: 'clarify.request'; readonly question: UserQuestion }
  | { readonly type: 'clarify.answer'; readonly id: string; readonly text: string; readonly by: string }
  /** A subagent was asked for. It may have to wait before `subagent.start`. */
  | { readonly type: 'subagent.spawn_requested'; readonly id: string; readonly goal: string }
  | {
      readonly type: 'subagent.start'
      readonly id: string
      readonly goal: string
      /** Its session, where that is not `id`. */
      readonly sessionId?: string
      /** Its place among those that were asked for together, from 0, and their number. */
      readonly index?: number
      readonly count?: number
      /** Subagents above it. */
      readonly depth?: number
      readonly model?: string
      /** It outlives the turn. */
      readonly isBackground?: true
    }
  /** What the model of a subagent thinks, or says before it calls tools. */
  | { readonly type: 'subagent.thinking'; readonly id: string; readonly text: string }
  /** A subagent calls a tool. `preview` is the call in a few words. */
  | { readonly type: 'subagent.tool'; readonly id: string; readonly name: string; readonly preview: string }
  | { readonly type: 'subagent.progress'; readonly id: string; readonly text: string }
  | {
      readonly type: 'subagent.complete'
      readonly id: string
      readonly ok: boolean
      readonly text: string
      /** How it ended: `completed`, `failed`, `interrupted` or `timeout`. */
      readonly status?: string
      readonly usage?: Usage
      readonly seconds?: number
      readonly toolCalls?: number
      /** Files that it changed; absolute. */
      readonly filesWritten?: readonly string[]
      /** Files that it read; absolute. */
      readonly filesRead?: readonly string[]
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The conversation was compressed; sizes are in tokens where they are known; `text` is the summary. */
  | { readonly type: 'compressed'; readonly before: number; readonly after: number; readonly text: string }
  | { readonly type: 'approval.request'; readonly request: ApprovalRequest }
  | { readonly type: 'approval.answer'; readonly id: string; readonly choice: ApprovalChoice; readonly by: string }
  /** With `isPassing` it matters only while the turn runs and does not describe its outcome. */
  | {
      readonly type: 'notice'
      readonly text: string
      readonly isPassing?: true
      /** The request is made again. */
      readonly retry?: ModelRetry
      /** Another model answers from here on. `label` is the name of its provider for people. */
      readonly fallback?: { readonly provider: string; readonly model: string; readonly label: string }
    }
  | { readonly type: 'message.complete'; readonly text: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'turn.end'; readonly reason: TurnEndReason; readonly usage: Usage }

/**
 * Why a tool call did not run: there is no such tool; its arguments are invalid, with the error of the tool's schema;
 * a gate or a person did not allow it; the turn was interrupted before; or it could not be prepared otherwise.
 * @since 0.1
 */
export type ToolRefusal =
  | { readonly kind: 'unknown-tool' | 'interrupted' | 'invalid' }
  | { readonly kind: 'arguments'; readonly issues?: readonly { readonly path: string; readonly message: string }[] }
  | ({ readonly kind: 'denied'; readonly reason: string } & Pick<Denial, 'code' | 'advice'>)

/**
 * One more try of a request that failed in passing. `jitter` is the random part of the pause, from 0 to 1.
 * @since 0.1
 */
export interface ModelRetry {
  /** Counts from 1. */
  readonly attempt: number
  readonly limit: number
  readonly waitMs: number
  readonly jitter: number
}

/**
 * What holds for a whole turn and is recorded with its start. The model is apart: another one may answer from some call on.
 * @since 0.1
 */
export type TurnOptions = Omit<TurnSettings, 'provider' | 'model'> &
  Pick<TurnRequest, 'surface' | 'key' | 'purpose' | 'parentTurnId' | 'sender'>

/** One event. `seq` counts up by one within a session and is durable before the event is seen. @since 0.1 */
export type TurnEvent = TurnEventData & { readonly sessionId: string; readonly turnId: string; readonly seq: number }
