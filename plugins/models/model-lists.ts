/** What servers said of their models when they were asked, remembered in `cache/model-lists.json`. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Clock, errorMessage, Home, type ModelInfo, oncePerRound, type PluginContext, Random } from 'svc/sdk'

/** What a server said of one model; `fresh` for an hour. */
export interface Listed {
  readonly model: ModelInfo
  readonly fresh: boolean
  /** When it was said, in milliseconds since 1970. */
  readonly at: number
}

interface List {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly models: readonly ModelInfo[]
}

const FRESH_MS = 60 * 60_000
/** Old lists help nobody. */
const KEEP_MS = 30 * 24 * 60 * 60_000

/** One file for all providers. It is a cache: what cannot be read or written is done without, and said. */
export class ModelLists {
  #ctx: Pick<PluginContext<unknown>, 'use' | 'log'>
  #seen: { readonly stamp: string; readonly lists: ReadonlyMap<string, List> } | undefined
  /** Times that it was written here. */
  #writes = 0
  /** Every call asks several times. */
  readonly #look = oncePerRound((_writes: number) => this.#readFile())

  constructor(ctx: Pick<PluginContext<unknown>, 'use' | 'log'>) {
    this.#ctx = ctx
  }

  /** What is remembered of one model. */
  find({ provider, model }: { readonly provider: string; readonly model: string }): Listed | undefined {
    const list = this.#read().get(provider)
    const info = list?.models.find(({ id }) => id === model)
    if (!list || !info) return undefined
    return { model: info, fresh: this.#ctx.use(Clock).now() - list.at < FRESH_MS, at: list.at }
  }

  /** The list of a provider that was asked within the last hour. */
  fresh(provider: string): readonly ModelInfo[] | undefined {
    const list = this.#read().get(provider)
    return list && this.#ctx.use(Clock).now() - list.at < FRESH_MS ? list.models : undefined
  }

  /** Keeps what a provider has just said; an empty list says nothing. */
  remember(provider: string, models: readonly ModelInfo[]): void {
    if (models.length === 0) return
    const now = this.#ctx.use(Clock).now()
    const lists = new Map([...this.#read()].filter(([, { at }]) => now - at < KEEP_MS)).set(provider, {
      at: now,
      models,
    })
    try {
      replace(this.#file, JSON.stringify(Object.fromEntries(lists)), this.#ctx.use(Random).hex(4))
      this.#writes++
    } catch (error) {
      this.#ctx.log.warn('the lists of models cannot be remembered', { file: this.#file, error: errorMessage(error) })
    }
  }

  get #file(): string {
    return this.#ctx.use(Home).path('cache', 'model-lists.json')
  }

  #read(): ReadonlyMap<string, List> {
    return this.#look(this.#writes)
  }

  #readFile(): ReadonlyMap<string, List> {
    const file = this.#file
    try {
      const found = statSync(file, { throwIfNoEntry: false })
      if (!found) return new Map()
      const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`
      if (this.#seen?.stamp !== stamp) this.#seen = { stamp, lists: parseLists(readFileSync(file, 'utf8')) }
      return this.#seen.lists
    } catch (error) {
      this.#ctx.log.warn('the lists of models cannot be read', { file, error: errorMessage(error) })
      return new Map()
    }
  }
}

/** In one step, so that nobody reads half of it; `mark` keeps two writers apart. */
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

/** Lists that are none are left out. */
function parseLists(text: string): ReadonlyMap<string, List> {
  const value: unknown = JSON.parse(text)
  return new Map(Object.entries(value ?? {}).filter((entry): entry is [string, List] => isList(entry[1])))
}

function isList(value: unknown): value is List {
  const { at, models } = (value ?? {}) as Partial<Record<keyof List, unknown>>
  return (
    typeof at === 'number' &&
    Array.isArray(models) &&
    models.every((model) => typeof (model as { id?: unknown } | undefined)?.id === 'string')
  )
}
