/** The log: one JSON line per event in `logs/svc.log`, secrets masked, plugin named. */
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { kernelOwner, runAs } from '../kernel/owner.ts'
import { errorMessage } from '../sdk/errors.ts'
import type { Logger } from '../sdk/plugin.ts'
import type { Clock } from '../sdk/ports.ts'
import type { Secrets } from '../sdk/secrets.ts'
import { readStack } from './stacks.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

const MAX_BYTES = 5 * 2 ** 20
const KEEP = 3
const MAX_LINE = 16_384

export interface LogOptions {
  /** The file, or undefined to keep nothing. */
  readonly file: string | undefined
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'mask'>
  /** The least level that is written (default `info`). */
  readonly level?: Level
  /** Told of every error too: what a person at a terminal should see. */
  readonly onError?: (plugin: string, message: string) => void
}

/** Makes loggers that write to one file. A log that cannot be written is reported once on standard error. */
export class Log {
  #options: LogOptions
  #least: number
  #size: number | undefined
  #broken = false

  constructor(options: LogOptions) {
    this.#options = options
    const wanted = levels.indexOf(options.level ?? 'info')
    this.#least = wanted < 0 ? levels.indexOf('info') : wanted
  }

  /** The logger of one plugin, or of the kernel. */
  for(plugin: string): Logger {
    const logger = {} as Record<Level, Logger[Level]>
    for (const level of levels)
      logger[level] = (message, fields) => {
        if (level === 'error') this.#options.onError?.(plugin, this.#options.secrets.mask(message))
        if (levels.indexOf(level) >= this.#least) this.#write(level, plugin, message, fields)
      }
    return logger
  }

  #write(level: Level, plugin: string, message: string, fields: object | undefined): void {
    if (!this.#options.file || this.#broken) return
    const line = `${this.#line(level, plugin, message, fields)}\n`
    try {
      this.#rotate(this.#options.file, line.length)
      appendFileSync(this.#options.file, line, { mode: 0o600 })
    } catch (error) {
      this.#broken = true
      const text = `svc: the log ${this.#options.file} cannot be written: ${errorMessage(error)}\n`
      // What a plugin writes there comes back to this log.
      runAs(kernelOwner, () => process.stderr.write(text))
    }
  }

  /** Masked before it is cut, so that no half of a secret is left. Without its fields when they are too much or no data. */
  #line(level: Level, plugin: string, message: string, fields: object | undefined): string {
    const time = new Date(this.#options.clock.now()).toISOString()
    const said = this.#options.secrets.mask(message).slice(0, MAX_LINE / 4)
    const without = (why: string) => JSON.stringify({ time, level, plugin, message: said, fields: why })
    const masked = (_key: string, value: unknown) => {
      const shown = toPlainData(value)
      return typeof shown === 'string' ? this.#options.secrets.mask(shown) : shown
    }
    try {
      const text = JSON.stringify({ time, level, plugin, message, ...fields }, masked)
      return text.length > MAX_LINE ? without(`left out: ${text.length} characters`) : text
    } catch (error) {
      return without(`left out: ${errorMessage(error)}`)
    }
  }

  #rotate(file: string, more: number): void {
    if (this.#size === undefined) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      this.#size = existsSync(file) ? statSync(file).size : 0
    }
    this.#size += more
    if (this.#size <= MAX_BYTES) return
    for (let n = KEEP - 1; n > 0; n--) if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
    if (existsSync(file)) renameSync(file, `${file}.1`)
    this.#size = more
  }
}

/** Errors as data with their causes; everything else as JSON has it. */
function toPlainData(value: unknown): unknown {
  if (value instanceof Error)
    return {
      message: value.message,
      stack: readStack(value),
      ...(value.cause === undefined ? {} : { cause: value.cause }),
    }
  return typeof value === 'bigint' ? String(value) : value
}
