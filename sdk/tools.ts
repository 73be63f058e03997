/** Tools: what a model may do. */
import type { TurnEventBody, TurnInfo } from './agent.ts'
import type { Image } from './messages.ts'
import type { Schema } from './schema.ts'
import {
  type DecideHook,
  decide,
  type Point,
  point,
  type TransformHook,
  transform,
  type WrapHook,
  wrap,
} from './token.ts'

/**
 * What repeating a call would do. `pure`: nothing; `idempotent`: nothing when it carries the same `key`;
 * `once`: harm, so it is never repeated after a crash; `undoable`: it can be taken back.
 */
export type ToolEffect = 'pure' | 'idempotent' | 'once' | 'undoable'

/** The turn that a tool runs in. */
export interface ToolTurn {
  readonly sessionId: string
  readonly turnId: string
  /** The front end. */
  readonly surface: string
  /** Who will read the result. */
  readonly model: { readonly provider: string; readonly model: string }
  readonly callId: string
  /** The call of another tool that made this one. */
  readonly parent?: string
  /** Where the session works; relative paths start here. */
  readonly cwd: string
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal
  /** Stable across resumptions of one call: the key of an `idempotent` effect. */
  readonly key: string
  /** Tells people how far it is. */
  progress(text: string): void
  /** The call had begun before svc stopped, and is run once more: it may already have taken effect. */
  readonly again?: boolean
  /** Puts an event into the turn's stream: what a gate or a tool asks of people. On disk when it returns. */
  emit(event: TurnEventBody): void
  /** Runs another tool of this turn, with all gates; its events are in the stream. */
  call(name: string, input: unknown): Promise<ToolResult>
}

/** What the model reads, what front ends may show instead, and whether it went wrong. */
export interface ToolResult {
  readonly text: string
  readonly data?: unknown
  readonly failed?: boolean
  readonly images?: readonly Image[]
}

/** Contributed to `Tools`. A `run` that throws becomes a failed result with the error's message. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  /** Parsed before `run`; its JSON Schema is what the model is told. */
  readonly input: Schema<Input>
  readonly effect: ToolEffect
  /** The group it is switched on and off with: `file`, `terminal`, `web`, ... */
  readonly toolset: string
  /** May run beside other parallel calls of one answer (default false: it waits for all before it). */
  readonly parallel?: boolean
  /** Absolute paths it touches: parallel calls that overlap wait for each other, unless all of them are `pure`. */
  readonly paths?: (input: Input, cwd: string) => readonly string[]
  /** The result comes from outside and is marked as data for the model. */
  readonly untrusted?: boolean
  /** Why it cannot be offered now ("needs BRAVE_API_KEY"); undefined when it can. Cheap: asked once a turn. */
  readonly missing?: () => string | undefined
  /** What it does now stays within an isolated place, so nobody need approve it. Cheap: asked for every call. */
  readonly isolated?: () => boolean
  /** The call stands for one of another tool, which is then checked, allowed, shown and run in its place. */
  readonly redirect?: (input: Input) => { readonly name: string; readonly input: unknown } | undefined
  run(input: Input, turn: ToolTurn): Promise<string | ToolResult>
}
export const Tools: Point<Tool> = point('tools', (tool) => tool.name)

/** Types a tool by its schema; returns it as the point takes it. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}

/** A call with its parsed input. */
export interface ToolRequest {
  readonly name: string
  readonly input: unknown
  readonly turn: ToolTurn
  readonly tool: Pick<Tool, 'name' | 'effect' | 'toolset' | 'isolated'>
}

/** Whether a tool may run. `reason` goes to the model and to the user. */
export interface ToolVerdict {
  readonly allow: boolean
  readonly reason?: string
}

/** Tools by name. A model is told of the offered ones; it may also call those that are deferred. */
export interface ToolOffer {
  readonly offered: readonly string[]
  readonly deferred: readonly string[]
}

/** Which tools a turn has: toolsets switch them off, tool search defers them. Asked once at the start of a turn. */
export const ToolsOffering: TransformHook<ToolOffer, TurnInfo> = transform('tools:offering')

/** A tool is about to run. Approval lives here; an approver that fails denies. */
export const ToolCalling: DecideHook<ToolRequest, ToolVerdict> = decide('tool:calling', {
  limitMs: 600_000,
  verdict: () => ({ allow: false, reason: 'an approval check failed; see `svc plugins`' }),
})

/** Around the run of a tool: checkpoints, timing, caching. */
export const ToolRunning: WrapHook<ToolRequest, ToolResult> = wrap('tool:running', { failure: 'fail' })

/** A tool has answered; listeners may rewrite the result before the model reads it. */
export const ToolCompleted: TransformHook<ToolResult, ToolRequest> = transform('tool:completed')
