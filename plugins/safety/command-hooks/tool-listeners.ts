/** Hooks around calls of tools: what they may change, deny, ask about, and add to a result. */
import {
  Agent,
  type Clock,
  type HookDecisionResult,
  logFault,
  type PluginContext,
  type ToolCallDraft,
  type ToolCallEvent,
  type ToolContext,
  type ToolDecision,
  type ToolDeclaration,
  type ToolResult,
  Tools,
  type TurnContext,
} from 'svc/sdk'
import type { ToolBatch } from 'svc/sdk/hooks'
import type { Outcome } from './answer.ts'
import type { Config } from './config.ts'
import type { EventName } from './events.ts'
import type { Say } from './fire.ts'
import type { HookRunner } from './runner.ts'
import { inputFor, inputFrom, type KnownCall, listNames } from './tool-names.ts'

/** What hooks said of a call, and the input that they said it of. */
interface Judged {
  readonly outcome: Outcome
  readonly input: string
}

type Call = KnownCall & { readonly turn: ToolContext }

export class ToolListeners {
  readonly #ctx: PluginContext<Config>
  readonly #runner: HookRunner
  readonly #clock: () => Clock
  readonly #say: Say
  /** By turn and call, until the gate has read it. */
  readonly #judged = new Map<string, Judged>()
  /** When calls began to run, by turn and call. */
  readonly #begun = new Map<string, number>()

  constructor(ctx: PluginContext<Config>, runner: HookRunner, clock: () => Clock, say: Say) {
    this.#ctx = ctx
    this.#runner = runner
    this.#clock = clock
    this.#say = say
  }

  /** Contract: a listener of `BeforeToolInput`. */
  async prepare(
    draft: ToolCallDraft,
    { turn, tool }: { readonly turn: ToolContext; readonly tool: ToolDeclaration },
  ): Promise<ToolCallDraft | undefined> {
    const call = await this.#callOf(draft, turn, tool)
    if (!call) return undefined
    const outcome = await this.#fire('PreToolUse', call)
    const input = outcome.decision === 'deny' ? undefined : outcome.updatedInput
    if (input === undefined) {
      this.#judged.set(getKey(turn), { outcome, input: await this.#parsed(draft.name, draft.input) })
      return undefined
    }
    this.#judged.set(getKey(turn), { outcome, input: await this.#parsed(draft.name, input) })
    return { name: draft.name, input }
  }

  /** Contract: a listener of `BeforeToolCall`. A call that was not judged as it is now is judged here. */
  async decide({ name, input, turn, tool, acts }: ToolCallEvent): Promise<ToolDecision | undefined> {
    const key = getKey(turn)
    const judged = this.#judged.get(key)
    this.#judged.delete(key)
    if (judged?.input === JSON.stringify(input)) return toVerdict(judged.outcome)
    const outcome = await this.#fire('PreToolUse', { name, input, turn, cwd: turn.cwd, tool, acts })
    if (outcome.updatedInput !== undefined && outcome.decision !== 'deny')
      return { decision: 'deny', reason: 'a hook changes its input, which cannot be changed any more at this place' }
    return toVerdict(outcome)
  }

  /** Contract: a listener of `AroundToolCall`. */
  async run(request: ToolCallEvent, next: (request: ToolCallEvent) => Promise<ToolResult>): Promise<ToolResult> {
    this.#begun.set(getKey(request.turn), this.#clock().monotonic())
    return next(request)
  }

  /** Contract: a listener of `AfterToolCall`. It ignores calls that did not run. */
  async complete(
    result: ToolResult,
    { name, input, turn, tool, acts }: ToolCallEvent,
  ): Promise<ToolResult | undefined> {
    const begun = this.#begun.get(getKey(turn))
    this.#begun.delete(getKey(turn))
    if (begun === undefined) return undefined
    const ms = Math.round(this.#clock().monotonic() - begun)
    const call = { name, input, turn, cwd: turn.cwd, tool, acts }
    const event = result.failed ? 'PostToolUseFailure' : 'PostToolUse'
    const outcome = await this.#fire(event, call, { ...toResponse(result), duration_ms: ms })
    const { contexts, updatedOutput, decision } = outcome
    if (contexts.length === 0 && updatedOutput === undefined && decision === undefined) return undefined
    const notes = contexts.map((text) => `[hook ${event}] ${text}`)
    return { ...result, text: [updatedOutput ?? result.text, ...notes].join('\n\n') }
  }

  /** Contract: a listener of `AfterToolBatch`. */
  async completeBatch(
    batch: ToolBatch,
    { sessionId, cwd, signal }: TurnContext & { readonly signal: AbortSignal },
  ): Promise<ToolBatch | undefined> {
    const calls = batch.calls.map(({ callId, result, ...call }) => {
      const known = { ...call, cwd, acts: {} }
      const [name = call.name] = listNames(known)
      const about = { tool_name: name, tool_input: inputFor(known, name), tool_use_id: callId, svc_tool: call.name }
      return { ...about, tool_response: { text: result.text, ...(result.failed && { is_error: true }) } }
    })
    const asked = { event: 'PostToolBatch', sessionId, cwd, signal, subjects: [] } as const
    const outcome = await this.#runner.fire({ ...asked, input: () => ({ tool_calls: calls }) })
    for (const message of outcome.messages) this.#say(sessionId, message)
    if (outcome.stop !== undefined) {
      this.#say(sessionId, outcome.stop)
      this.#ctx.find(Agent)?.interrupt(sessionId)
    }
    if (outcome.contexts.length === 0) return undefined
    const notes = outcome.contexts.map((text) => `[hook PostToolBatch] ${text}`)
    return { ...batch, context: [...(batch.context ? [batch.context] : []), ...notes].join('\n\n') }
  }

  /** What is left of a turn that ended. */
  forget(turnId: string): void {
    for (const map of [this.#judged, this.#begun])
      for (const key of map.keys()) if (key.startsWith(`${turnId}\0`)) map.delete(key)
  }

  async #fire(event: EventName, call: Call, more: Readonly<Record<string, unknown>> = {}): Promise<Outcome> {
    const { turn, cwd } = call
    let subject = call.name
    const outcome = await this.#runner.fire({
      ...{ event, cwd, sessionId: turn.sessionId, signal: turn.signal, subjects: listNames(call) },
      input: (name) => {
        subject = name
        const about = {
          tool_name: name,
          tool_input: inputFor(call, name),
          tool_use_id: turn.callId,
          svc_tool: call.name,
        }
        return { ...about, ...more }
      },
    })
    for (const message of [...outcome.messages, ...(outcome.stop === undefined ? [] : [outcome.stop])])
      this.#say(turn.sessionId, message)
    if (outcome.stop !== undefined) this.#ctx.find(Agent)?.interrupt(turn.sessionId)
    const { updatedInput } = outcome
    if (updatedInput === undefined) return outcome
    const own = inputFrom(call, subject, updatedInput)
    if (own !== undefined) return { ...outcome, updatedInput: own }
    const { updatedInput: _, ...rest } = outcome
    return { ...rest, decision: 'deny', reason: `a hook changed a field that ${call.name} does not have` }
  }

  /** Undefined for a call that its tool refuses anyway, or cannot describe: the gate sees it, if it gets there. */
  async #callOf({ name, input }: ToolCallDraft, turn: ToolContext, tool: ToolDeclaration): Promise<Call | undefined> {
    try {
      const { cwd, sessionId } = turn
      const whole = this.#ctx.all(Tools).get(name)
      const parsed = await whole?.input['~standard'].validate(structuredClone(input))
      if (!whole || !parsed || parsed.issues) return undefined
      const acts = (await whole.acts?.(parsed.value, { cwd, sessionId })) ?? {}
      return { name, input, turn, cwd, tool, acts }
    } catch (error) {
      logFault(this.#ctx.log, `a call of ${name} could not be described to hooks`, error)
      return undefined
    }
  }

  /** The input as gates will see it, for comparison. */
  async #parsed(name: string, input: unknown): Promise<string> {
    const parsed = await this.#ctx.all(Tools).get(name)?.input['~standard'].validate(structuredClone(input))
    return JSON.stringify(parsed && !parsed.issues ? parsed.value : input)
  }
}

function getKey({ turnId, callId }: ToolContext): string {
  return `${turnId}\0${callId}`
}

/** What the model is to read with the result goes along, whatever is decided. */
function toVerdict(outcome: Outcome): ToolDecision | undefined {
  const verdict = toDecision(outcome)
  if (outcome.contexts.length === 0) return verdict
  const context = outcome.contexts.map((text) => `[hook PreToolUse] ${text}`).join('\n\n')
  return { ...verdict, context }
}

function toDecision({ decision, reason, stop }: Outcome): HookDecisionResult | undefined {
  if (stop !== undefined) return { decision: 'deny', reason: stop }
  if (decision === 'deny') return { decision: 'deny', reason: reason || 'a hook denied it' }
  if (decision !== 'ask') return decision && { decision }
  return {
    decision: 'ask',
    question: { reason: `is to be confirmed, as a hook of the user asks${reason && `: ${reason}`}` },
  }
}

function toResponse({ text, data, failed }: ToolResult): Readonly<Record<string, unknown>> {
  if (failed) return { error: text, tool_response: { text, is_error: true } }
  return { tool_response: { text, ...(data !== undefined && { data }) } }
}
