/** A terminal's two streams without a terminal: what is typed goes in, what is written is kept. */
import { PassThrough, Writable } from 'node:stream'

class Keyboard extends PassThrough {
  readonly isTTY = true
  isRaw = false
  setRawMode(mode: boolean): this {
    this.isRaw = mode
    return this
  }
}

class Display extends Writable {
  readonly isTTY = true
  columns: number
  rows: number
  text = ''
  /** Takes nothing more while it is set; called, it continues. */
  stuck: (() => void) | undefined
  #isStuck = false

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false, highWaterMark: 1000 })
    this.columns = columns
    this.rows = rows
  }

  stick(): void {
    this.#isStuck = true
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk
    this.stuck = () => {
      this.#isStuck = false
      done()
    }
    if (!this.#isStuck) done()
  }

  /** What was written since the last call. */
  take(): string {
    const { text } = this
    this.text = ''
    return text
  }
}

export function fakeStreams(columns: number, rows: number) {
  const keyboard = new Keyboard()
  const display = new Display(columns, rows)
  const input = keyboard as unknown as NodeJS.ReadStream
  const output = display as unknown as NodeJS.WriteStream
  return { keyboard, display, input, output }
}
