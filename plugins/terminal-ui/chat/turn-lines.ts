/** What the plain conversation shows of a turn besides its answer, as the block `display` says. */
import type { Translate, TurnEvent } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import { describeCall, isCallShown, reduceCalls, type TrackedCall } from 'svc/sdk/kit/views'
import { type DisplaySettings, formatCount, formatDuration, formatUsd } from 'svc/sdk/terminal'
import { callLine, type FindView, oneLine, progressLine } from './progress.ts'

export interface TurnLinesDeps {
  /** Undefined without the plugin `display`: then calls and failures are shown. */
  settings(): DisplaySettings | undefined
  now(): number
  readonly view: FindView
  readonly t: Translate
}

/** The settings that lines can follow; the others are of the full screen. */
type LineSettings = Pick<DisplaySettings, 'tool_progress' | 'tool_time' | 'show_reasoning' | 'show_cost' | 'timestamps'>

const DEFAULTS: LineSettings = {
  tool_progress: 'all',
  tool_time: true,
  show_reasoning: false,
  show_cost: false,
  timestamps: false,
}

export class TurnLines {
  readonly #deps: TurnLinesDeps
  #thought = ''
  #calls: readonly TrackedCall[] = []

  constructor(deps: TurnLinesDeps) {
    this.#deps = deps
  }

  /** Lines that stand before what the event itself shows; undefined for none. */
  before(event: TurnEvent): string | undefined {
    const settings = this.#settings
    if (event.type === 'reasoning.delta') this.#thought += event.text
    const lines: (string | undefined)[] = []
    this.#calls = reduceCalls(this.#calls, event, this.#deps.now())
    if (this.#thought && event.type !== 'reasoning.delta') lines.push(this.#think(settings))
    if (event.type === 'turn.start') this.#begin(settings, lines)
    if (event.type === 'tool.start') this.#startCall(settings, lines)
    else if (event.type === 'tool.complete') this.#completeCall(event, settings, lines)
    else lines.push(progressLine(event, this.#deps.t, this.#deps.view))
    return lines.filter((line) => line !== undefined).join('\n') || undefined
  }

  /** Lines behind the answer. */
  after(event: TurnEvent): string | undefined {
    const settings = this.#settings
    if (event.type !== 'turn.end') return undefined
    const { input = 0, output = 0, costUsd } = event.usage
    const cost = costUsd === undefined ? [] : [formatUsd(costUsd)]
    const counts =
      settings.show_cost && input + output > 0 ? [...cost, `↑ ${formatCount(input)} ↓ ${formatCount(output)}`] : []
    return [...(settings.timestamps ? [this.#time()] : []), ...counts].join(' · ') || undefined
  }

  get #settings(): LineSettings {
    return this.#deps.settings() ?? DEFAULTS
  }

  #begin({ timestamps }: LineSettings, lines: (string | undefined)[]): void {
    this.#calls = []
    if (timestamps) lines.push(this.#time())
  }

  #think({ show_reasoning }: LineSettings): string | undefined {
    const thought = safePiece(this.#thought).trim()
    this.#thought = ''
    if (!show_reasoning || !thought) return undefined
    return ['💭', ...thought.split('\n')].map((line) => `> ${line}`).join('\n')
  }

  #startCall({ tool_progress }: LineSettings, lines: (string | undefined)[]): void {
    const call = this.#calls.at(-1)
    if (call && isCallShown(call, tool_progress)) lines.push(callLine(call, this.#deps.view))
  }

  /** Files are for the person, whatever is shown of the calls. */
  #completeCall(
    event: Extract<TurnEvent, { type: 'tool.complete' }>,
    { tool_progress, tool_time }: LineSettings,
    lines: (string | undefined)[],
  ): void {
    const { t, view, now } = this.#deps
    const call = this.#calls.findLast(({ callId }) => callId === event.callId)
    if (!call) return
    const { ms } = describeCall(call, view(event.name), now())
    const time = tool_time && ms !== undefined ? ` · ${formatDuration(ms)}` : ''
    if (event.ok && tool_progress === 'verbose' && event.text) lines.push(`  ${oneLine(event.text)}${time}`)
    if (!event.ok && !isCallShown(call, tool_progress)) return
    // One that was left out at its start is named now that it has failed.
    const wasShown = isCallShown({ ...call, call: { ...call.call, state: 'wanted' } }, tool_progress)
    if (!event.ok && !wasShown) lines.push(callLine(call, view))
    const line = progressLine(event, t, view)
    lines.push(line === undefined || event.ok ? line : `${line}${time}`)
  }

  #time(): string {
    const date = new Date(this.#deps.now())
    return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  }
}
