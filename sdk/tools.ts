/** Tools: what a model may do. */
import type { TurnContext, TurnRequest, TurnRun } from './agent.ts'
import { isResultFileList, type ResultFile } from './attachments.ts'
import type { BudgetLimits } from './budgets.ts'
import {
  checkMembers,
  type DecideHook,
  decisionHook,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Registered,
  type TransformHook,
  transformHook,
  type WrapHook,
  wrapHook,
} from './declarations.ts'
import type { ImageContent } from './messages.ts'
import type { Person } from './person.ts'
import type { ToolDefinition } from './providers.ts'
import type { Schema, Unchecked } from './schema.ts'
import { scopeProblem, type ToolScope } from './tool-scope.ts'
import type { ToolCallView } from './tool-view.ts'
import type { TurnEventData } from './turn-events.ts'
import type { DecisionQuestion, Denial, ToolDecisionResult } from './verdict.ts'

/**
 * What repeating a call would do. `pure`: nothing; `idempotent`: nothing when it carries the same `key`;
 * `once`: harm, so it is never repeated after a crash; `undoable`: it can be taken back.
 * @since 0.1
 */
export type ToolEffect = 'pure' | 'idempotent' | 'once' | 'undoable'

/** The turn that a tool runs in. Relative paths start in `cwd`; `model` reads the result. @since 0.2 */
export interface ToolContext extends TurnContext {
  readonly callId: string
  /** The call of another tool that made this one. */
  readonly parent?: string
  /** Aborted when the turn is interrupted. */
  readonly signal: AbortSignal
  /** Stable across resumptions of one call: the key of an `idempotent` effect. */
  readonly key: string
  /** The person at the front end: to confirm, choose, ask, edit and say. */
  readonly person: Person
  /** Tells people how far it is. */
  progress(text: string): void
  /** The call had begun before svc stopped, and is run once more: it may already have taken effect. */
  readonly again?: boolean
  /** Puts an event into the turn's stream: what a gate or a tool asks of people. On disk when it returns. */
  emit(event: TurnEventData): void
  /**
   * Where text that is not the user's came from, of what the model of this conversation may have read so far: short
   * noun phrases such as "output of a command", each once. Empty while everything is the user's own.
   */
  origins(): readonly string[]
  /** Names of the tools that this turn may call, also of those that the model has to search for. */
  tools(): readonly string[]
  /** Groups whose budgets count what this turn spends: see `TurnSettings.groups`. */
  readonly groups: readonly string[]
  /** Runs another tool of this turn, with all gates; its events are in the stream. */
  call(name: string, input: unknown): Promise<ToolResult>
  /**
   * Begins a subagent: a turn in a session of its own, with the folder, the model, the tools and the settings of this turn unless
   * `request` has others. It is not offered the tool that began it. Its approvals and questions go to the person of this turn, and
   * what it spends counts for the groups of this turn. The events are those of its session; this turn's stream tells of it by
   * `subagent.start`, `subagent.progress` and `subagent.complete`. Begins when it is iterated or awaited; leaving the loop and
   * an interruption of this turn stop it.
   */
  child(request: ChildTurnRequest): TurnRun
  /**
   * Asks all gates about something that this call is about to do in addition to its `acts`: a line typed into a
   * program, a script that turned out to need the network. Brings in a person where a gate asks. Does not throw.
   */
  permit(acts: ToolActions): Promise<{ readonly allow: boolean } & Denial>
}

/** The task of a subagent and its settings. @since 0.2 */
export type ChildTurnRequest = Pick<
  TurnRequest,
  'provider' | 'model' | 'reasoning' | 'maxIterations' | 'toolsets' | 'systemPrompt' | 'format' | 'images'
> & {
  readonly text: string
  /** Names its session; left out: the beginning of `text`. */
  readonly title?: string
  /** The most that it may spend, besides the caps that hold anyway. */
  readonly budget?: BudgetLimits
}

/** The most that a tool can touch. `nothing`: only what svc itself keeps for the conversation. @since 0.1 */
export type ToolReach = 'nothing' | 'machine' | 'network'

/**
 * What one call would do, as its tool reads its input. Gates judge this; none of them knows a tool's fields.
 * @since 0.2
 */
export interface ToolActions {
  /** A shell command, or the command that would do the same. */
  readonly command?: string
  /** The shell that reads `command`; left out: a POSIX shell. */
  readonly shell?: 'posix' | 'powershell' | 'fish' | 'cmd'
  /** Where it begins; absolute. Left out: where the session works. */
  readonly cwd?: string
  /**
   * The execution environment that all of this is in, by the name of its backend (`ssh`): its paths are not paths of this
   * machine. Left out: this machine. See `ExecutionEnvironments`.
   */
  readonly environment?: string
  /**
   * Files that would be written, created or removed; absolute, or relative to `cwd`. Left out: not known, so a snapshot is
   * taken of the folder that the session works in. An empty list: it changes no file of the user.
   */
  readonly writes?: readonly string[]
  /** Files that would be read. */
  readonly reads?: readonly string[]
  /** It runs where nothing outside of `confined.writable` can be changed, and with the needs that were granted. */
  readonly confined?: {
    readonly writable: readonly string[]
    /** Additional needs: `network`, `network:registry.npmjs.org`, `port:3000`, `socket:docker`. */
    readonly needs: readonly string[]
  }
  /** Asked about whatever else is known of it; follows "It". */
  readonly ask?: DecisionQuestion
}

/** The result of a tool: the text for the model, what front ends may show instead, and whether it failed. @since 0.1 */
export interface ToolResult {
  readonly text: string
  readonly data?: unknown
  readonly failed?: boolean
  readonly images?: readonly ImageContent[]
  /** What the person is to get: the front end delivers them with the answer, once. The model is not shown them. */
  readonly files?: readonly ResultFile[]
  /**
   * Where the text came from when it is not the user's own: a short noun phrase such as "output of a command". The
   * text is then marked as data for the model, and `ToolTurn.origins` names it from then on.
   */
  readonly origin?: string
}

/**
 * A name that people know from elsewhere, such as `Bash`, and the fields of its input there: `{ file_path: 'path' }`.
 * @since 0.2
 */
export interface ToolAlias {
  readonly name: string
  /** The fields there, with the fields of the tool's own input that hold the same; fields of one name are left out. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Contributed to `Tools`. A `run` that throws becomes a failed result with the error's message. @since 0.1 */
export interface Tool<Input = unknown> extends Ordered {
  readonly name: string
  readonly description: string
  /** Parsed before `run`; its JSON Schema is sent to the model. */
  readonly input: Schema<Input>
  /** Left out: `once`, the one that never does harm. */
  readonly effect?: ToolEffect
  /** The group it is switched on and off with: `file`, `terminal`, `web`, ... (default: the name of the plugin). */
  readonly toolset?: string
  /** May run beside other parallel calls of one answer (default false: it waits for all before it). */
  readonly parallel?: boolean
  /** Absolute paths it touches: parallel calls that overlap wait for each other, unless all of them are `pure`. */
  readonly paths?: (input: Input, cwd: string) => readonly string[]
  /** Every result comes from outside and is marked as data for the model; for a single result use `ToolResult.origin`. */
  readonly untrusted?: boolean
  /** Why it cannot be offered now ("needs BRAVE_API_KEY"); undefined when it can. Cheap: asked once a turn. */
  readonly missing?: () => string | undefined
  /** The most that a call can touch. A tool without it requires approval. `effect` only describes repetition. */
  readonly reach?: ToolReach
  /**
   * What a call would do. Gates, checkpoints and front ends read this instead of the input. Called for every call,
   * before the gates; a throw counts as a refusal.
   */
  readonly acts?: (
    input: Input,
    place: { readonly cwd: string; readonly sessionId: string },
  ) => ToolActions | Promise<ToolActions>
  /** Where it belongs: for scripts, for plans, on which surfaces, always offered or found by searching. */
  readonly scope?: ToolScope
  /** The names under which the tools of other agents do the same, for rules and hooks that were written for those. */
  readonly knownAs?: readonly ToolAlias[]
  /** How its calls are shown to people. */
  readonly view?: ToolCallView
  /** Whether the call stays within an isolated environment and needs no approval. Cheap: called for every call. */
  readonly isolated?: () => boolean
  /** The call is an alias for a call of another tool, which is then checked, allowed, shown and run instead. */
  readonly redirect?: (input: Input) => { readonly name: string; readonly input: unknown } | undefined
  run(input: Input, turn: ToolContext): string | ToolResult | Promise<string | ToolResult>
}

/** A tool as the readers of `Tools` get it. @since 0.2 */
export type RegisteredTool = Registered<Tool, 'effect' | 'toolset'>

/**
 * A tool whose schema and function have the names that other libraries use; the point gives it those of `Tool` too.
 * @since 0.2
 */
export type ToolWithParameters<Input = unknown> = Omit<Tool<Input>, 'input' | 'run'> & {
  readonly parameters: Schema<Input>
  execute(input: Input, turn: ToolContext): string | ToolResult | Promise<string | ToolResult>
}

/** @since 0.1 */
export const Tools: ExtensionPoint<RegisteredTool, Tool<Unchecked> | ToolWithParameters<Unchecked>> = extensionPoint(
  'tools',
  (tool) => tool.name,
  undefined,
  {
    problem: toolProblem,
    defaults: toolDefaults,
    acceptsLate: true,
  },
)

function toolDefaults(given: Tool | ToolWithParameters, plugin: string): Partial<RegisteredTool> {
  const names = 'execute' in given ? { input: given.parameters, run: given.execute } : {}
  return { effect: 'once', toolset: plugin, ...names }
}

const membersProblem = checkMembers({
  name: 'string',
  description: 'string',
  effect: 'string?',
  toolset: 'string?',
  view: 'object?',
})
const inputProblem = checkMembers({ input: 'schema', run: 'function' })
const parametersProblem = checkMembers({ parameters: 'schema', execute: 'function' })

function toolProblem(item: unknown): string | undefined {
  const problem = membersProblem(item)
  if (problem !== undefined) return problem
  const hasParameters = 'execute' in (item as object) && !('run' in (item as object))
  return (
    (hasParameters ? parametersProblem(item) : inputProblem(item)) ??
    aliasesProblem(item) ??
    scopeProblem((item as { readonly scope?: unknown }).scope)
  )
}

function aliasesProblem(item: unknown): string | undefined {
  const { knownAs } = item as { readonly knownAs?: unknown }
  if (knownAs === undefined) return undefined
  const isAlias = (each: unknown) => {
    const { name, fields = {} } = (each ?? {}) as { readonly name?: unknown; readonly fields?: unknown }
    const areFields = typeof fields === 'object' && fields !== null
    return typeof name === 'string' && areFields && Object.values(fields).every((field) => typeof field === 'string')
  }
  return Array.isArray(knownAs) && knownAs.every(isAlias) ? undefined : 'has knownAs that is not a list of names'
}

/** Types a tool by its schema; returns it as the point takes it. @since 0.1 */
export function defineTool<Input>(tool: Tool<Input> | ToolWithParameters<Input>): Tool {
  return ('execute' in tool ? { ...tool, input: tool.parameters, run: tool.execute } : tool) as unknown as Tool
}

/** All that a tool declares of itself: everything but its schema, its looks and what runs it. @since 0.2 */
export type ToolDeclaration = Omit<RegisteredTool, 'input' | 'run' | 'acts' | 'redirect' | 'missing' | 'view' | 'order'>

/** A call with its parsed input, which is frozen. @since 0.2 */
export interface ToolCallEvent {
  readonly name: string
  readonly input: Unchecked
  readonly turn: ToolContext
  readonly tool: ToolDeclaration
  /** What it would do. */
  readonly acts: ToolActions
}

/** Whether a tool may run. `reason` goes to the model and to the user. @since 0.2 */
export type ToolDecision = ToolDecisionResult

/** Tools by name. The offered ones are sent to the model; it may also call deferred ones. @since 0.2 */
export interface ToolSelection {
  readonly offered: readonly string[]
  readonly deferred: readonly string[]
}

/**
 * Which tools a turn has: toolsets switch them off, tool search defers them. Asked once at the start of a turn.
 * @since 0.2
 */
export const SelectTools: TransformHook<ToolSelection, TurnContext> = transformHook('tools:offering', {
  gate: 'installation',
  accepts: isOffer,
})

/** A call that the gates have not seen yet. @since 0.2 */
export interface ToolCallDraft {
  readonly name: string
  readonly input: Unchecked
}

/**
 * The input of a call, before it is judged: the only place to change one. What comes out is parsed again, shown, recorded
 * and judged. A listener returns `{ name, input }` with the same name.
 * @since 0.2
 */
export const BeforeToolInput: TransformHook<
  ToolCallDraft,
  { readonly turn: ToolContext; readonly tool: ToolDeclaration }
> = transformHook('tool:preparing', { accepts: isDraft, toolNames: (_, { tool }) => listNames(tool) })

/**
 * A tool is about to run. All listeners are heard and the strictest wins; a listener that fails denies. `ask` brings in a
 * person with the listener's question. While no plugin that guards it runs, everything is denied.
 * @since 0.2
 */
export const BeforeToolCall: DecideHook<ToolCallEvent, ToolDecision> = decisionHook('tool:calling', {
  timeoutMs: 600_000,
  verdict: () => ({ decision: 'deny', reason: 'an approval check failed; see `svc plugins`' }),
  gate: 'installation',
  takesContext: true,
  toolNames: ({ tool }) => listNames(tool),
})

/**
 * Around the run of a tool: checkpoints, timing, caching. What runs is what was judged: name and input stay as they are.
 * @since 0.2
 */
export const AroundToolCall: WrapHook<ToolCallEvent, ToolResult> = wrapHook('tool:running', {
  failure: 'fail',
  mayPass: (before, after) => after?.name === before.name && after.input === before.input,
  toolNames: ({ tool }) => listNames(tool),
})

/**
 * A result that the model is about to read: also of a tool that failed, was denied or does not exist. Listeners may
 * rewrite it.
 * @since 0.2
 */
export const AfterToolCall: TransformHook<ToolResult, ToolCallEvent> = transformHook('tool:completed', {
  accepts: isResult,
  toolNames: (_, { tool }) => listNames(tool),
})

/** A call of a batch, with what the model reads of it. @since 0.2 */
export interface ToolBatchCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
  readonly tool: ToolDeclaration
  readonly result: ToolResult
}

/** The calls of one answer, in their order. @since 0.2 */
export interface ToolBatch {
  readonly calls: readonly ToolBatchCall[]
  /** A text for the model, which it reads behind the results. A listener keeps what an earlier one put there. */
  readonly context?: string
}

/**
 * All tool calls of one answer have ended, the refused ones too, and the model is asked next. A listener adds `context`; what else
 * it changes is ignored. Calls that tools make are part of their results. Not called after an interruption.
 * @since 0.2
 */
export const AfterToolBatch: TransformHook<ToolBatch, TurnContext & { readonly signal: AbortSignal }> = transformHook(
  'tools:completed',
  { accepts: isBatch, toolNames: ({ calls }) => calls.flatMap(({ tool }) => listNames(tool)) },
)

/**
 * What the model is told of the tools, at the start of a turn: listeners change descriptions and parameters, or leave tools out.
 * A definition whose name is not that of a tool of the turn is left out. The input of a call is checked by the schema of the
 * tool, whatever the definition says. The same definitions in each turn let the provider reuse its cache.
 * @since 0.2
 */
export const SelectToolDefinitions: TransformHook<readonly ToolDefinition[], TurnContext> = transformHook(
  'tools:defining',
  { accepts: areDefinitions },
)

/** A command that a tool is about to start. @since 0.2 */
export interface CommandStart {
  /** The name of the tool. */
  readonly tool: string
  /** The command or the script, as the tool was given it. */
  readonly command: string
  readonly turn: ToolContext
}

/**
 * Environment variables for a command or a script that a tool is about to start, wherever it runs. They are set in addition to
 * those that it has anyway, and for this command alone: in the shell of a session later commands have what was there before,
 * unless the command itself changed a variable. Other programs on the machine may be able to read the values.
 * @since 0.2
 */
export const SelectCommandEnvironment: TransformHook<Readonly<Record<string, string>>, CommandStart> = transformHook(
  'command:environment',
  { accepts: isEnvironment, toolNames: (_, { tool }) => [tool] },
)

function listNames({ name, knownAs = [] }: Pick<ToolDeclaration, 'name' | 'knownAs'>): readonly string[] {
  return knownAs.length === 0 ? [name] : [name, ...knownAs.map((alias) => alias.name)]
}

function isBatch(value: unknown): boolean {
  const { calls, context } = (value ?? {}) as Record<string, unknown>
  return Array.isArray(calls) && (context === undefined || typeof context === 'string')
}

function areDefinitions(value: unknown): boolean {
  const isDefinition = (each: unknown) => {
    const { name, description, parameters } = (each ?? {}) as Record<string, unknown>
    return typeof name === 'string' && typeof description === 'string' && typeof parameters === 'object' && !!parameters
  }
  return (
    Array.isArray(value) && value.every(isDefinition) && new Set(value.map(({ name }) => name)).size === value.length
  )
}

function isEnvironment(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const isVariable = ([name, text]: [string, unknown]) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && typeof text === 'string' && !text.includes('\0')
  return Object.entries(value).every(isVariable)
}

function isDraft(value: unknown): boolean {
  const { name, input } = (value ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof input === 'object' && input !== null
}

function isOffer(value: unknown): boolean {
  const { offered, deferred } = (value ?? {}) as Record<string, unknown>
  const isNames = (list: unknown) => Array.isArray(list) && list.every((name) => typeof name === 'string')
  return isNames(offered) && isNames(deferred)
}

function isResult(value: unknown): boolean {
  const { text, failed, images, files } = (value ?? {}) as Record<string, unknown>
  const isFlag = failed === undefined || typeof failed === 'boolean'
  const areFiles = files === undefined || isResultFileList(files)
  return typeof text === 'string' && isFlag && (images === undefined || Array.isArray(images)) && areFiles
}
