/** Answers that do not end a turn: cut by the output limit, interrupted, or empty. Each is retried a limited number of times. */
import { Clock, type Message, Models, type PluginContext } from 'svc/sdk'
import { type ModelFailure, retryDelayMs } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import { type Answer, isSilent } from './model-answer.ts'
import type { Turn } from './turn.ts'

const MAX_CONTINUATIONS = 4
const MAX_RECONNECTS = 2
const MAX_EMPTY = 2
/** The output limit is doubled up to this, unless the model is known to have another one. */
const MAX_OUTPUT_TOKENS = 32_768
const USUAL_OUTPUT_TOKENS = 4096
const CONTINUE = 'Your answer was cut by the output limit. Go on exactly where it stopped; repeat nothing.'
const RECONNECTED = 'The connection broke in the middle of your answer. Go on exactly where it stopped; repeat nothing.'
const SHORTER =
  'The output limit cut your answer before there was anything of it to use. Think less and put less into one call.'
const SPEAK = 'You ended without an answer. Say what you found or did.'
/** In place of a jitter: a replay has to wait as the turn did. */
const STEADY = 0.5
/** The text that came is good; only the way it came broke. */
const BROKEN: readonly ModelFailure['kind'][] = ['cut', 'unreachable', 'timeout', 'server', 'overloaded']

function isBroken({ kind, retryable }: ModelFailure): boolean {
  return kind === 'cut' || (retryable && BROKEN.includes(kind))
}

/** What one turn has retried so far. */
export class Retries {
  readonly #ctx: PluginContext<Config>
  readonly #turn: Turn
  #continuations = 0
  #reconnects = 0
  #empty = 0
  /** Answers in a row of which the limit left nothing to use. */
  #used = 0

  constructor(ctx: PluginContext<Config>, turn: Turn) {
    this.#ctx = ctx
    this.#turn = turn
  }

  /** Whether the model is asked again; what it was shown to have said stays in the conversation. */
  async goOn(answer: Answer): Promise<boolean> {
    const { text, calls, images, reason, failure } = answer
    if (this.#turn.signal.aborted) return false
    if (failure) return text !== '' && isBroken(failure) && this.#reconnect(answer, failure)
    if (reason === 'length') return this.#extend(answer)
    this.#used = 0
    if (text.trim() || calls.length || images.length || this.#empty >= MAX_EMPTY) return false
    this.#empty++
    const isAfterTools = this.#turn.messages.at(-1)?.role === 'tool'
    const speak: Message[] = isAfterTools ? [{ role: 'user', text: SPEAK }] : []
    this.#turn.record(
      [{ type: 'notice', text: 'The model returned an empty response; retrying.', isPassing: true }],
      speak,
    )
    return true
  }

  /** A call that the limit cut is not run: its arguments may end anywhere. */
  #extend(answer: Answer): boolean {
    if (this.#continuations >= MAX_CONTINUATIONS) return false
    // A partial structured answer is invalid, and a continuation would be a second whole one.
    const isUseless = isSilent(answer) || this.#turn.shaping?.isHeld === true
    if (!isUseless) this.#used = 0
    else if (this.#used++ > 0) return false
    if (!isUseless && !answer.text.trim()) return false
    const before = this.#turn.outputLimit
    this.#turn.outputLimit = this.#higherLimit(answer) ?? before
    const limit = this.#turn.outputLimit === before ? '' : ` with a limit of ${this.#turn.outputLimit} tokens`
    this.#continuations++
    if (!isUseless) this.#keep(answer, `${whatWasCut(answer)}${CONTINUE}`)
    const notice = `${cutMessage(answer)} Asking again${limit}.`
    const next: Message[] = isUseless ? [{ role: 'user', text: `${whatWasCut(answer)}${SHORTER}` }] : []
    if (answer.calls.length > 0 || isUseless) this.#turn.record([{ type: 'notice', text: notice }], next)
    return true
  }

  async #reconnect(answer: Answer, failure: ModelFailure): Promise<boolean> {
    if (this.#reconnects >= MAX_RECONNECTS) return false
    const waitMs = retryDelayMs(failure, this.#reconnects, STEADY)
    this.#reconnects++
    if (!this.#turn.shaping?.isHeld) this.#keep(answer, RECONNECTED)
    this.#turn.record([{ type: 'notice', text: `${failure.message} Going on from what was said.` }])
    try {
      await this.#ctx.use(Clock).sleep(waitMs, this.#turn.signal)
      return true
    } catch {
      return false
    }
  }

  #keep({ text, reasoning }: Answer, next: string): void {
    const message: Message = { role: 'assistant', text, ...(reasoning ? { reasoning } : {}) }
    this.#turn.record([{ type: 'message.complete', text }], [message, { role: 'user', text: next }], 'beforeVisible')
  }

  /** Twice what the answer had, as far as the model is known to go; undefined when it had that already. */
  #higherLimit({ outputTokens = 0 }: Answer): number | undefined {
    const { provider, model } = this.#turn.choice
    const most = this.#ctx.use(Models).describe({ provider: provider.name, model }).maxOutputTokens ?? MAX_OUTPUT_TOKENS
    const had = Math.max(outputTokens, this.#turn.outputLimit ?? USUAL_OUTPUT_TOKENS)
    return had < most ? Math.min(had * 2, most) : undefined
  }
}

/** What became of an answer that the output limit cut, for people. */
export function cutMessage({ calls, reasoning }: Pick<Answer, 'calls' | 'reasoning'>): string {
  const names = calls.map(({ name }) => name).join(', ')
  if (names) return `The answer was cut by the output limit inside a call of ${names}, which was not run.`
  const what = reasoning ? 'Thinking' : 'Thinking, or a call that was too long,'
  return `${what} used up the output limit before the model said anything.`
}

function whatWasCut({ calls }: Answer): string {
  return calls.length > 0 ? `Your call of ${calls.map(({ name }) => name).join(', ')} was not run. ` : ''
}
