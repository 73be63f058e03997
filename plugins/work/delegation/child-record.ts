/** What the events of a subagent come to. The same events give the same result, live and from the journal. */
import type { TurnEndReason, TurnEvent, Usage } from 'svc/sdk'
import { totalUsage } from 'svc/sdk/sessions'
import type { ChildResult, ChildStatus, TracedCall } from './delegation.ts'

/** What a model says instead of nothing. */
const NOTHING = new Set(['', '(empty)', '(no response)'])

export class ChildRecord {
  /** How its last turn ended; undefined while one is under way. */
  reason: TurnEndReason | undefined
  hasBegun = false
  usage: Usage = {}
  error: { readonly code: string; readonly message: string } | undefined
  model = ''
  apiCalls = 0
  readonly #calls: Map<string, TracedCall> = new Map()
  #answer = ''
  #draft = ''

  take(event: TurnEvent): void {
    switch (event.type) {
      case 'turn.start':
      case 'turn.resume':
        this.hasBegun = true
        this.reason = undefined
        this.error = undefined
        if (event.type === 'turn.start') this.model = event.model
        break
      case 'model.start':
        this.model = event.model
        this.#draft = ''
        break
      case 'message.delta':
        this.#draft += event.text
        break
      case 'message.complete':
        if (!NOTHING.has(event.text.trim().toLowerCase())) this.#answer = event.text.trim()
        this.#draft = ''
        break
      case 'tool.start':
        this.#calls.set(event.callId, {
          tool: event.name,
          args_bytes: jsonBytes(event.input),
          result_bytes: 0,
          status: 'error',
        })
        break
      case 'tool.complete':
        this.#complete(event)
        break
      case 'usage':
        this.apiCalls++
        this.usage = totalUsage(this.usage, event.usage)
        break
      case 'error':
        this.error = { code: event.code, message: event.message }
        break
      case 'turn.end':
        this.reason = event.reason
        break
      default:
    }
  }

  get toolCalls(): number {
    return this.#calls.size
  }

  /** Its last answer; before that, what it was about to say. */
  get summary(): string | null {
    const draft = this.#draft.trim()
    const text = this.reason === 'completed' || draft === '' ? this.#answer || draft : draft
    return NOTHING.has(text.toLowerCase()) ? null : text
  }

  /** `cut`: what ended it, where that was not its model. */
  result(about: {
    readonly index: number
    readonly sessionId: string
    readonly ms: number
    readonly cut?: Cut
  }): ChildResult {
    const { index, sessionId, ms, cut } = about
    const { summary, usage, error } = this
    const status = this.#status(summary, cut)
    const why = status === 'completed' ? undefined : (cut?.message ?? error?.message ?? reasonText(status, this.reason))
    return {
      task_index: index,
      status,
      summary,
      exit_reason: this.#exitReason(status),
      api_calls: this.apiCalls,
      duration_seconds: Math.round(ms / 10) / 100,
      model: this.model,
      tokens: { input: usage.input ?? 0, output: usage.output ?? 0 },
      ...(usage.costUsd !== undefined && { cost_usd: usage.costUsd }),
      tool_trace: [...this.#calls.values()],
      session_id: sessionId,
      ...(why !== undefined && { error: why }),
    }
  }

  #status(summary: string | null, cut: Cut | undefined): ChildStatus {
    if (cut) return cut.status
    if (this.reason === 'interrupted') return 'interrupted'
    // A cap on model calls is no failure where there is an answer.
    const hasEnded = this.reason === 'completed' || this.reason === 'max-iterations'
    return hasEnded && summary !== null ? 'completed' : 'failed'
  }

  #exitReason(status: ChildStatus): ChildResult['exit_reason'] {
    if (this.reason === 'max-iterations' && status !== 'interrupted' && status !== 'timeout') return 'max_iterations'
    return status === 'completed' ? 'completed' : 'interrupted'
  }

  #complete({ callId, name, ok, text }: Extract<TurnEvent, { type: 'tool.complete' }>): void {
    const begun = this.#calls.get(callId) ?? { tool: name, args_bytes: 0 }
    this.#calls.set(callId, { ...begun, result_bytes: Buffer.byteLength(text), status: ok ? 'ok' : 'error' })
  }
}

/** What ended a subagent from outside. */
export interface Cut {
  readonly status: 'interrupted' | 'timeout' | 'failed'
  readonly message: string
}

function reasonText(status: ChildStatus, reason: TurnEndReason | undefined): string {
  if (status === 'interrupted') return 'It was interrupted.'
  if (reason === 'max-iterations') return 'It used all of its model calls without an answer.'
  return reason === 'completed' ? 'It ended without an answer.' : 'It failed.'
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
