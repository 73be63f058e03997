/** A cache in `cache/<name>.json` below SVC_HOME, which several processes read and write. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Clock, Home, Random } from 'svc/sdk'
import { memoizePerTick } from 'svc/sdk/kit/async'
import type { Cache, CacheOptions } from 'svc/sdk/storage'
import type { Deps } from './open-caches.ts'

/** The oldest are dropped beyond this. */
const MAX_VALUES = 1000

interface Entry {
  readonly value: unknown
  /** Milliseconds since 1970. */
  readonly expires: number
}

export class FileCache<Value> implements Cache<Value> {
  readonly #options: CacheOptions<Value>
  readonly #host: Pick<Deps, 'use' | 'log'>
  #seen: { readonly stamp: string; readonly entries: ReadonlyMap<string, Entry> } | undefined
  /** Times that it was written here. */
  #writes = 0
  /** Callers ask several times in a row. */
  readonly #look = memoizePerTick((_writes: number) => this.#readFile())

  constructor(options: CacheOptions<Value>, deps: Pick<Deps, 'use' | 'log'>) {
    this.#options = options
    this.#host = deps
  }

  peek(key: string): Value | undefined {
    const entry = this.#look(this.#writes).get(key)
    if (!entry || entry.expires <= this.#host.use(Clock).now()) return undefined
    return this.#options.isValue(entry.value) ? entry.value : undefined
  }

  async get(key: string): Promise<Value | undefined> {
    return this.peek(key)
  }

  async warm(): Promise<void> {}

  async set(key: string, value: Value): Promise<void> {
    this.#change((entries, now) => entries.set(key, { value, expires: now + this.#options.ttlMs }))
  }

  async delete(key: string): Promise<void> {
    this.#change((entries) => entries.delete(key))
  }

  async close(): Promise<void> {}

  get #file(): string {
    return this.#host.use(Home).path('cache', `${this.#options.name}.json`)
  }

  #change(edit: (entries: Map<string, Entry>, now: number) => unknown): void {
    const now = this.#host.use(Clock).now()
    const entries = new Map([...this.#look(this.#writes)].filter(([, { expires }]) => expires > now))
    edit(entries, now)
    const kept = [...entries].sort(([, one], [, other]) => other.expires - one.expires).slice(0, MAX_VALUES)
    try {
      replace(this.#file, JSON.stringify(Object.fromEntries(kept)), this.#host.use(Random).hex(4))
      this.#writes++
    } catch (error) {
      this.#host.log.warn('the cache cannot be written', { file: this.#file, error })
    }
  }

  #readFile(): ReadonlyMap<string, Entry> {
    const file = this.#file
    try {
      const found = statSync(file, { throwIfNoEntry: false })
      if (!found) return new Map()
      const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`
      if (this.#seen?.stamp !== stamp) this.#seen = { stamp, entries: parseEntries(readFileSync(file, 'utf8')) }
      return this.#seen.entries
    } catch (error) {
      this.#host.log.warn('the cache cannot be read', { file, error })
      return new Map()
    }
  }
}

/** Atomically, so that no reader sees half of it; `mark` keeps two writers apart. */
function replace(file: string, text: string, mark: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${mark}`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** What is not an entry is left out. */
function parseEntries(text: string): ReadonlyMap<string, Entry> {
  const value: unknown = JSON.parse(text)
  return new Map(Object.entries(value ?? {}).filter((entry): entry is [string, Entry] => isEntry(entry[1])))
}

function isEntry(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'value' in value && 'expires' in value && Number(value.expires) > 0
  )
}
