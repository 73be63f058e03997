/** What stays open while the generations of one plugin replace each other, and the context it works with. */
import { SvcError } from '../sdk/errors.ts'
import type { PluginContext } from '../sdk/plugin.ts'
import { commonContext } from './context.ts'
import type { Ground } from './host.ts'
import { type Owner, runAs } from './owner.ts'
import { Scope } from './scope.ts'

/** One generation of the plugin. */
export interface Generation {
  readonly owner: Owner
  readonly config: unknown
  readonly dataDir: string
}

type Report = (stage: string, error: unknown) => void

interface LastingValue {
  readonly value: unknown
  readonly end: (value: unknown) => unknown
}

/** Begins with the first generation of a plugin and ends with the last one. A reload does not touch it. */
export class Lasting {
  readonly owner: Owner
  #generations: Set<Generation> = new Set()
  #kept: Map<string, LastingValue> = new Map()
  #scope: Scope = new Scope()
  #ground: Ground

  constructor(name: string, ground: Ground) {
    this.#ground = ground
    const adopt = this.#scope.defer.bind(this.#scope)
    this.owner = { name, generation: 0, batch: {}, state: 'live', adopt }
    for (const fact of ['named', 'contributes', 'unfit', 'isGuard'] as const)
      Object.defineProperty(this.owner, fact, { get: () => this.#serving?.owner[fact], enumerable: true })
  }

  /** It ended with its last generation: the next one begins another. */
  get isOver(): boolean {
    return this.#scope.isClosed
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  join(generation: Generation): void {
    this.#generations.add(generation)
  }

  /** Lasting values are disposed with the last generation, the newest first. */
  async leave(generation: Generation, report: Report): Promise<void> {
    if (!this.#generations.has(generation) || this.#generations.size > 1)
      return void this.#generations.delete(generation)
    const { ports } = this.#ground
    for (const { value, end } of this.#kept.values()) this.#scope.defer(async () => void (await end(value)))
    await runAs(this.owner, () =>
      this.#scope.close(
        ports.clock,
        () => this.#ground.disposeMs(),
        (error) => report('dispose', error),
      ),
    )
    this.#generations.clear()
    this.owner.state = 'retired'
  }

  /** The value of this key; `make` is called for the first generation that asks. */
  keep<T>(key: string, make: (ctx: PluginContext<never>) => T, end: (value: T) => unknown, report: Report): T {
    const known = this.#kept.get(key)
    if (known) return known.value as T
    const value = runAs(this.owner, () => make(this.#context(report) as PluginContext<never>))
    this.#kept.set(key, { value, end: end as LastingValue['end'] })
    return value
  }

  /** The generation that serves, else the newest. */
  get #serving(): Generation | undefined {
    const all = [...this.#generations]
    return all.findLast(({ owner }) => owner.state === 'live') ?? all.at(-1)
  }

  #context(report: Report): PluginContext<unknown> {
    const refuse = (verb: string) => () => {
      throw new SvcError('PLUGIN_FAILED', `${this.owner.name} calls ${verb} of a context that outlives its generation.`)
    }
    const dataDir = this.#serving?.dataDir ?? ''
    const common = commonContext({
      ground: this.#ground,
      owner: this.owner,
      scope: this.#scope,
      dataDir,
      report,
      whenStarted: (begin) => begin(),
    })
    const refused = {
      provide: refuse('provide'),
      add: refuse('add'),
      replace: refuse('replace'),
      wrap: refuse('wrap'),
      onStart: refuse('onStart'),
      keep: refuse('keep'),
    }
    const serving = () => this.#serving
    const scope = this.#scope
    return {
      ...common,
      ...refused,
      get signal() {
        return scope.signal
      },
      get config() {
        return serving()?.config
      },
    } as unknown as PluginContext<unknown>
  }
}
