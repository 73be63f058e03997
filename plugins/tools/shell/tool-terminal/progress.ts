/** Tells people the last line of a running command, ten times a second at most. */
import type { Clock } from 'svc/sdk'
import { readableOutput } from 'svc/sdk/kit/terminal'

const INTERVAL_MS = 100
const LONGEST_LINE = 200

/** Follows an output. `stop` must be called when the command is over. */
export class Progress {
  readonly #clock: Clock
  readonly #tell: (text: string) => void
  readonly #mask: (text: string) => string
  #recent: Buffer = Buffer.alloc(0)
  #cancel: (() => void) | undefined
  #told = ''

  /** `mask` gets more than is told: a secret that came in two chunks, or that begins before the cut, is whole there. */
  constructor(clock: Clock, mask: (text: string) => string, tell: (text: string) => void) {
    this.#clock = clock
    this.#mask = mask
    this.#tell = tell
  }

  add(chunk: Buffer): void {
    this.#recent = chunk.length >= 1024 ? chunk.subarray(-1024) : Buffer.concat([this.#recent, chunk]).subarray(-1024)
    this.#cancel ??= this.#clock.after(INTERVAL_MS, () => this.#report(), { background: true })
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #report(): void {
    this.#cancel = undefined
    const lines = this.#mask(readableOutput(this.#recent.toString())).split('\n')
    const line = (lines.findLast((text) => text.trim() !== '') ?? '').trim().slice(-LONGEST_LINE)
    if (line === '' || line === this.#told) return
    this.#told = line
    this.#tell(line)
  }
}
