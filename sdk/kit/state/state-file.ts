/** A value in a JSON file that several processes share. */

import { mkdirSync, readFileSync, renameSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, SvcError } from '../../errors.ts'
import type { Registration } from '../../plugin.ts'
import type { Clock, Random } from '../../ports.ts'
import type { PluginState, StateSchema } from '../../state.ts'
import { toRegistration } from '../async/registration.ts'
import { Repeater } from '../async/repeater.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { withFileLock } from '../process/file-lock.ts'
import { checkSchema, fromStored, toStored, UnusableContent } from './versioned.ts'

/** Where the value is, what it is, and who is told of trouble. @since 0.2 */
export interface StateFileOptions<T> extends StateSchema<T> {
  readonly file: string
  /** In messages: `the state "places" of weather`. */
  readonly what: string
  readonly clock: Clock
  readonly random: Random
  /** Told once of content that cannot be used, and of what a listener or a look at the file throws. */
  readonly onProblem: (error: unknown) => void
}

const MAX_BYTES = 16 * 2 ** 20
/** How often the file is looked at while there is a listener. */
const LOOK_MS = 1000

/** Changes of one process to one file, one after the other: a lock between processes does not order them. */
const queues: Map<string, Promise<unknown>> = new Map()

/** @since 0.2 */
export class StateFile<T> implements PluginState<T> {
  readonly #options: StateFileOptions<T>
  readonly #listeners: Set<(value: T) => void> = new Set()
  #known: { readonly mark: string; readonly value: T } | undefined
  #reported = ''
  #repeater: Repeater | undefined

  /** Reads nothing yet. Throws `STATE_INVALID` for an initial value that does not fit. */
  constructor(options: StateFileOptions<T>) {
    checkSchema(options.what, options)
    this.#options = options
  }

  get(): T {
    return this.#read().value
  }

  async set(value: T): Promise<void> {
    await this.#write(() => value)
  }

  update(change: (value: T) => T): Promise<T> {
    return this.#write(change)
  }

  onChange(listener: (value: T) => void): Registration {
    this.#listeners.add(listener)
    if (!this.#repeater) {
      // What is there now is not a change.
      this.#attempt(() => this.#read())
      const { clock, random, onProblem } = this.#options
      this.#repeater = new Repeater({ clock, random, everyMs: LOOK_MS, run: () => this.#look(), onError: onProblem })
      this.#repeater.start()
    }
    return toRegistration(async () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      const repeater = this.#repeater
      this.#repeater = undefined
      await repeater?.stop()
    })
  }

  /** The value of the file, or the initial one with the reason why the content cannot be used. */
  #read(): { readonly value: T; readonly unusable?: unknown } {
    const { file, what } = this.#options
    const mark = toMark(statSync(file, { throwIfNoEntry: false }))
    if (this.#known?.mark === mark) return this.#known
    try {
      const value = mark === '' ? toStored(what, this.#options, this.#options.initial).value : this.#parse(file)
      this.#known = { mark, value }
      return this.#known
    } catch (error) {
      if (!(error instanceof UnusableContent)) throw error
      if (this.#reported !== mark) {
        this.#reported = mark
        const message = `${what} cannot be used: ${error.message}. It begins with its initial value; the next change keeps ${file} under another name.`
        this.#options.onProblem(new SvcError('STATE_INVALID', message))
      }
      return { value: toStored(what, this.#options, this.#options.initial).value, unusable: error }
    }
  }

  #parse(file: string): T {
    const { what } = this.#options
    const { size } = statSync(file)
    if (size > MAX_BYTES) throw tooLarge(`${what} (${file})`, size)
    let stored: unknown
    try {
      stored = JSON.parse(readFileSync(file, 'utf8'))
    } catch (error) {
      throw new UnusableContent(errorMessage(error))
    }
    return fromStored(what, this.#options, stored)
  }

  #write(change: (value: T) => T): Promise<T> {
    const { file } = this.#options
    const before = queues.get(file) ?? Promise.resolve()
    const next = before.then(() => this.#writeLocked(change))
    const settled = next
      .catch(() => undefined)
      .then(() => {
        if (queues.get(file) === settled) queues.delete(file)
      })
    queues.set(file, settled)
    return next
  }

  async #writeLocked(change: (value: T) => T): Promise<T> {
    const { file, what, clock, random } = this.#options
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const onTimeout = () => new SvcError('STATE_BUSY', `${what} is being changed by another process. Try again.`)
    const value = await withFileLock({ file: `${file}.lock`, clock, random, onTimeout }, async () => {
      const { value: old, unusable } = this.#read()
      const { stored, value: next } = toStored(what, this.#options, change(old))
      const text = `${JSON.stringify(stored)}\n`
      const size = Buffer.byteLength(text)
      if (size > MAX_BYTES) throw tooLarge(what, size)
      if (unusable !== undefined) this.#keepAside(file)
      await writeAtomically(file, text, { isLocked: true })
      this.#known = { mark: toMark(statSync(file, { throwIfNoEntry: false })), value: next }
      return next
    })
    this.#tell(value)
    return value
  }

  #keepAside(file: string): void {
    const at = new Date(this.#options.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    renameSync(file, `${file.replace(/\.json$/, '')}.invalid-${at}-${this.#options.random.hex(2)}.json`)
  }

  /** Whether another process changed it. */
  #look(): void {
    const before = this.#known
    const { value } = this.#read()
    if (this.#known !== before && this.#known) this.#tell(value)
  }

  #tell(value: T): void {
    for (const listener of [...this.#listeners]) this.#attempt(() => listener(value))
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.onProblem(error)
    }
  }
}

/** Another text after each write: an atomic write gives the file another inode. */
function toMark(stats: Stats | undefined): string {
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : ''
}

function tooLarge(what: string, size: number): SvcError {
  const mib = (size / 2 ** 20).toFixed(1)
  return new SvcError(
    'STATE_TOO_LARGE',
    `${what} has ${mib} MiB as JSON; 16 MiB is the limit. What is stored was not changed. Use the Storage service for more.`,
  )
}
