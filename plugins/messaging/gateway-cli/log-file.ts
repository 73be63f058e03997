/** `logs/gateway.log`: what a gateway in the background says, a moment before each line, old files put aside. */
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const MAX_BYTES = 5 * 2 ** 20
const KEPT_FILES = 3
/** A line without an end is written when it is this long. */
const MAX_LINE = 16_384

export class LogFile {
  readonly #file: string
  readonly #now: () => number
  readonly #mostBytes: number
  #size: number | undefined
  #rest = ''

  constructor(file: string, now: () => number, mostBytes = MAX_BYTES) {
    this.#file = file
    this.#now = now
    this.#mostBytes = mostBytes
  }

  /** Buffers incomplete lines. A full disk is ignored. */
  write(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MAX_LINE) lines.push(this.#rest.slice(0, MAX_LINE))
    if (this.#rest.length > MAX_LINE) this.#rest = ''
    this.#append(lines.filter((line) => line.trim() !== ''))
  }

  #append(lines: readonly string[]): void {
    if (lines.length === 0) return
    const time = new Date(this.#now()).toISOString()
    const text = lines.map((line) => `${time} ${line}\n`).join('')
    try {
      this.#makeRoom(Buffer.byteLength(text))
      appendFileSync(this.#file, text, { mode: 0o600 })
    } catch {
      // A failure of the log cannot be logged.
    }
  }

  #makeRoom(more: number): void {
    if (this.#size === undefined) {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      this.#size = existsSync(this.#file) ? statSync(this.#file).size : 0
    }
    this.#size += more
    if (this.#size <= this.#mostBytes) return
    for (let number = KEPT_FILES - 1; number >= 0; number--) {
      const from = number === 0 ? this.#file : `${this.#file}.${number}`
      if (existsSync(from)) renameSync(from, `${this.#file}.${number + 1}`)
    }
    this.#size = more
  }
}
