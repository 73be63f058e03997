/** A question that is withdrawn at a time: the time that is left stands above it, whatever is scrolled below. */
import type { Clock, Translate } from 'svc/sdk'
import type { TerminalInput, TextLayout } from 'svc/sdk/terminal'
import type { Dialog, DialogView, Room } from './dialogs.ts'

/** With fewer rows the question itself has all of them. */
const LEAST_ROWS = 3
const WARN_MS = 10_000

export interface TimedDialogDeps {
  readonly clock: Clock
  readonly layout: TextLayout
  readonly t: Translate
}

export class TimedDialog implements Dialog {
  readonly #inner: Dialog
  readonly #expiresAt: number
  readonly #deps: TimedDialogDeps

  constructor(inner: Dialog, expiresAt: number, deps: TimedDialogDeps) {
    this.#inner = inner
    this.#expiresAt = expiresAt
    this.#deps = deps
  }

  view({ width, rows }: Room): DialogView {
    if (rows < LEAST_ROWS) return this.#inner.view({ width, rows })
    const { clock, layout, t } = this.#deps
    const left = Math.max(0, this.#expiresAt - clock.now())
    const text = t('{time} left to answer', { time: formatCountdown(left) })
    const line = layout.cut([{ text, role: left <= WARN_MS ? 'warning' : 'dim' }], width)
    const { lines, cursor } = this.#inner.view({ width, rows: rows - 1 })
    return { lines: [line, ...lines], ...(cursor && { cursor: { ...cursor, row: cursor.row + 1 } }) }
  }

  input(input: TerminalInput): void {
    this.#inner.input(input)
  }

  cancel(): void {
    this.#inner.cancel()
  }
}

/** `0:09`, `12:00`, `1:00:00`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (count: number) => String(count).padStart(2, '0')
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}
