/** What the plain conversation shows of a turn besides its answer, as the block `display` says. */
import type { Translate, TurnEvent } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import { type DisplaySettings, formatCount, formatUsd } from 'svc/sdk/terminal'
import { oneLine, progressLine } from './progress.ts'

/** What it needs. */
export interface TurnLinesDeps {
  /** Undefined without the plugin `display`: then calls and failures are shown. */
  settings(): DisplaySettings | undefined
  now(): number
  readonly t: Translate
}

/** The settings that lines can follow; the others are of the full screen. */
type LineSettings = Pick<DisplaySettings, 'tool_progress' | 'show_reasoning' | 'show_cost' | 'timestamps'>

const DEFAULTS: LineSettings = { tool_progress: 'all', show_reasoning: false, show_cost: false, timestamps: false }

export class TurnLines {
  readonly #deps: TurnLinesDeps
  #thought = ''
  #tool = ''
  /** Calls of which nothing is shown. */
  #hidden: Set<string> = new Set()

  constructor(ports: TurnLinesDeps) {
    this.#deps = ports
  }

  /** Lines that stand before what the event itself shows; undefined for none. */
  before(event: TurnEvent): string | undefined {
    const settings = this.#settings
    if (event.type === 'reasoning.delta') this.#thought += event.text
    const lines: (string | undefined)[] = []
    if (this.#thought && event.type !== 'reasoning.delta') lines.push(this.#think(settings))
    if (event.type === 'turn.start') this.#begin(settings, lines)
    if (event.type === 'tool.start') this.#startCall(event, settings, lines)
    else if (event.type === 'tool.complete') this.#completeCall(event, settings, lines)
    else lines.push(progressLine(event, this.#deps.t))
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
    this.#tool = ''
    this.#hidden = new Set()
    if (timestamps) lines.push(this.#time())
  }

  #think({ show_reasoning }: LineSettings): string | undefined {
    const thought = safePiece(this.#thought).trim()
    this.#thought = ''
    if (!show_reasoning || !thought) return undefined
    return ['💭', ...thought.split('\n')].map((line) => `> ${line}`).join('\n')
  }

  #startCall(
    event: Extract<TurnEvent, { type: 'tool.start' }>,
    { tool_progress }: LineSettings,
    lines: (string | undefined)[],
  ) {
    const isRepeated = this.#tool === event.name
    this.#tool = event.name
    if (tool_progress === 'off' || (tool_progress === 'new' && isRepeated)) this.#hidden.add(event.callId)
    else lines.push(progressLine(event, this.#deps.t))
  }

  /** Files are for the person, whatever is shown of the calls. */
  #completeCall(
    event: Extract<TurnEvent, { type: 'tool.complete' }>,
    { tool_progress }: LineSettings,
    lines: (string | undefined)[],
  ): void {
    if (event.ok && tool_progress === 'verbose' && event.text) lines.push(`  ${oneLine(event.text)}`)
    if (event.ok || !this.#hidden.has(event.callId)) lines.push(progressLine(event, this.#deps.t))
  }

  #time(): string {
    const date = new Date(this.#deps.now())
    return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  }
}
