/** What servers said of their models when they were asked, kept in the cache `model-lists`. */
import { Clock, type PluginContext } from 'svc/sdk'
import type { ModelInfo } from 'svc/sdk/provider'
import { type Cache, Caches } from 'svc/sdk/storage'

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
/** Old lists are useless. */
const KEEP_MS = 30 * 24 * 60 * 60_000

/** One list for each provider. */
export class ModelLists {
  readonly #ctx: Pick<PluginContext<unknown>, 'use'>

  constructor(ctx: Pick<PluginContext<unknown>, 'use'>) {
    this.#ctx = ctx
  }

  /** What is remembered of one model. */
  find({ provider, model }: { readonly provider: string; readonly model: string }): Listed | undefined {
    const list = this.#cache.peek(provider)
    const info = list?.models.find(({ id }) => id === model)
    return list && info ? { model: info, fresh: this.#isFresh(list), at: list.at } : undefined
  }

  /** Before `find` is asked about a provider: lists may be kept by a server. */
  async warm(provider: string): Promise<void> {
    await this.#cache.warm(provider)
  }

  /** Keeps what a provider has just said; an empty list says nothing. */
  async remember(provider: string, models: readonly ModelInfo[]): Promise<void> {
    if (models.length > 0) await this.#cache.set(provider, { at: this.#ctx.use(Clock).now(), models })
  }

  get #cache(): Cache<List> {
    return this.#ctx.use(Caches).open({ name: 'model-lists', ttlMs: KEEP_MS, isValue: isList })
  }

  #isFresh({ at }: List): boolean {
    return this.#ctx.use(Clock).now() - at < FRESH_MS
  }
}

function isList(value: unknown): value is List {
  const { at, models } = (value ?? {}) as Partial<Record<keyof List, unknown>>
  return (
    typeof at === 'number' &&
    Array.isArray(models) &&
    models.every((model) => typeof (model as { id?: unknown } | undefined)?.id === 'string')
  )
}
