/** What is delegated and what comes of it, as plain data: it is stored and sent to models and programs in these forms. */
import type { BudgetLimits } from 'svc/sdk/safety'

export type Role = 'leaf' | 'orchestrator'

/** One part of a delegation, as the model asked for it. */
export interface Task {
  readonly goal: string
  readonly context?: string
  readonly role: Role
}

/** The turn that delegates, as far as its subagents need it. Stored: they may go on in another process. */
export interface Parent {
  readonly sessionId: string
  readonly turnId: string
  readonly callId: string
  readonly surface: string
  readonly cwd: string
  readonly provider: string
  readonly model: string
  readonly reasoning?: string
  /** Names of the tools that the turn has. */
  readonly tools: readonly string[]
  readonly groups: readonly string[]
  /** The id of the subagent whose turn it is. */
  readonly subagentId?: string
}

/** One delegation: all tasks of one call. */
export interface Unit {
  /** `deleg_` and eight hexadecimal digits. */
  readonly id: string
  /** The key of the call, by which a repeated call finds it. */
  readonly key: string
  readonly mode: 'inline' | 'background'
  readonly parent: Parent
  /** Levels of subagents above its own: 0 where a conversation delegates. */
  readonly depth: number
  readonly tasks: readonly Task[]
  /** Unix time in milliseconds. */
  readonly createdAt: number
  /** Characters of one answer that the model of the parent reads. */
  readonly summaryChars: number
  /** Files that the parent had read; absolute. */
  readonly parentRead?: readonly string[]
  readonly budget?: BudgetLimits
}

/** A subagent of a unit. */
export interface Child {
  /** `sa-`, its place and eight hexadecimal digits. */
  readonly id: string
  readonly index: number
  /** Undefined before it has begun. */
  readonly sessionId?: string
  readonly result?: ChildResult
}

/** One call of a subagent. Sizes in bytes of UTF-8; the arguments as JSON. */
export interface TracedCall {
  readonly tool: string
  readonly args_bytes: number
  readonly result_bytes: number
  readonly status: 'ok' | 'error'
}

export type ChildStatus = 'completed' | 'failed' | 'interrupted' | 'timeout'

/** What a subagent came to, as the model of its parent reads it. */
export interface ChildResult {
  readonly task_index: number
  readonly status: ChildStatus
  /** Its last answer, or what it had said so far; null when it said nothing. */
  readonly summary: string | null
  readonly exit_reason: 'completed' | 'interrupted' | 'max_iterations'
  readonly api_calls: number
  readonly duration_seconds: number
  readonly model: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly cost_usd?: number
  readonly tool_trace: readonly TracedCall[]
  readonly session_id: string
  readonly error?: string
  /** Absolute; 40 at most. */
  readonly files_written?: readonly string[]
  /** Of those, what the parent had read before: its model knows an earlier content. Absolute; eight at most. */
  readonly stale_paths?: readonly string[]
  /** Absolute; 40 at most. */
  readonly files_read?: readonly string[]
  readonly summary_truncated?: true
  readonly summary_full_path?: string
  /** Where text that is not the user's came from, if the subagent read some. */
  readonly origin?: string
}
