/** The hook table. Tapable orders and runs the listeners; it cannot drop one, so the lists are kept here. */
import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook } from 'tapable'
import { SvcError } from '../sdk/errors.ts'
import type { Disposer, ListenOptions } from '../sdk/plugin.ts'
import type { Clock } from '../sdk/ports.ts'
import type { CallInfo, Hook, HookKind } from '../sdk/token.ts'
import { within } from './limit.ts'
import { currentOwner, type Owner, runAs } from './owner.ts'

const FAILURES = 5
const WINDOW_MS = 60_000

type AnyHook = Hook<unknown, unknown, unknown, unknown>
type Next = (input: unknown) => Promise<unknown>
type Listener = (...args: unknown[]) => unknown

/** One listener. Suspended after five failures in a minute, until its plugin is loaded anew. */
interface Tap {
  readonly owner: Owner
  readonly listener: Listener
  readonly options: ListenOptions
  failures: number[]
  suspended: boolean
}

type Run = (value: unknown, context: unknown) => Promise<unknown>

/** Told of every failure; `suspended` when it was the one too many. */
export type OnListenerError = (owner: Owner, hook: string, error: unknown, suspended: boolean) => void

export class HookTable {
  #taps: Map<string, Tap[]> = new Map()
  #compiled: Map<string, Run> = new Map()
  #clock: Clock
  #onError: OnListenerError

  constructor(clock: Clock, onError: OnListenerError) {
    this.#clock = clock
    this.#onError = onError
  }

  on(hook: AnyHook, owner: Owner, listener: Listener, options: ListenOptions = {}): Disposer {
    check(hook, `${owner.name} listens to`)
    const tap: Tap = { owner, listener, options, failures: [], suspended: false }
    this.#set(hook.id, [...(this.#taps.get(hook.id) ?? []), tap])
    return () =>
      this.#set(
        hook.id,
        (this.#taps.get(hook.id) ?? []).filter((other) => other !== tap),
      )
  }

  /** Calls under way finish with the listeners they started with. */
  async call(hook: AnyHook, value: unknown, context?: unknown): Promise<unknown> {
    let run = this.#compiled.get(hook?.id)
    if (!run) {
      check(hook, `${currentOwner()?.name ?? 'The program'} calls`)
      const live = (this.#taps.get(hook.id) ?? []).filter((tap) => tap.owner.state === 'live')
      run = this.#compile(hook, live)
      this.#compiled.set(hook.id, run)
    }
    return await run(value, context)
  }

  /** A generation appeared or went. */
  refresh(): void {
    this.#compiled.clear()
  }

  /** How many listeners a generation has, and how many of them are suspended. */
  ownedBy(owner: Owner): { taps: number; suspended: number } {
    const taps = [...this.#taps.values()].flat().filter((tap) => tap.owner === owner)
    return { taps: taps.length, suspended: taps.filter((tap) => tap.suspended).length }
  }

  #set(id: string, taps: Tap[]): void {
    if (taps.length) this.#taps.set(id, taps)
    else this.#taps.delete(id)
    this.#compiled.delete(id)
  }

  #compile(hook: AnyHook, taps: Tap[]): Run {
    if (!taps.length) return idle[hook.kind]
    if (hook.kind === 'wrap') return this.#onion(hook, ordered(taps))
    const compiled = series[hook.kind]()
    for (const tap of taps) compiled.tapPromise(placed(tap), this.#guarded(hook, tap) as never)
    return (value, context) => compiled.promise(value, context)
  }

  /** A listener that cannot throw: it answers what its failure stands for. */
  #guarded(hook: AnyHook, tap: Tap): Listener {
    const withContext = hook.kind === 'transform'
    return async (value, context) => {
      if (tap.suspended) return hook.verdict?.(new SvcError('HOOK_FAILED', `${tap.owner.name} is suspended`))
      try {
        return await within(this.#clock, hook.limitMs, `its listener of ${hook.id}`, (signal) => {
          const call = infoOf(hook, signal)
          return runAs(tap.owner, () => (withContext ? tap.listener(value, context, call) : tap.listener(value, call)))
        })
      } catch (error) {
        this.#failed(hook, tap, error)
        return hook.verdict?.(error)
      }
    }
  }

  #onion(hook: AnyHook, taps: Tap[]): Run {
    return (input, innermost) => {
      const layers = taps.reduceRight<Next>((next, tap) => this.#layer(hook, tap, next), innermost as Next)
      return layers(input)
    }
  }

  /** Errors of what is wrapped pass through untouched; only the listener's own count against it. */
  #layer(hook: AnyHook, tap: Tap, next: Next): Next {
    return async (input) => {
      if (tap.suspended && hook.failure === 'skip') return next(input)
      if (tap.suspended) throw new SvcError('HOOK_FAILED', `${tap.owner.name} is suspended in ${hook.id}.`)
      let inner: Promise<unknown> | undefined
      let failed: { readonly error: unknown } | undefined
      const once: Next = (changed) => {
        inner ??= next(changed).catch((error) => {
          failed = { error }
          throw error
        })
        return inner
      }
      try {
        return await within(this.#clock, hook.limitMs, `its listener of ${hook.id}`, (signal) =>
          runAs(tap.owner, () => tap.listener(input, once, infoOf(hook, signal)) as Promise<unknown>),
        )
      } catch (error) {
        if (failed && error === failed.error) throw error
        this.#failed(hook, tap, error)
        if (hook.failure === 'fail')
          throw new SvcError('HOOK_FAILED', `${tap.owner.name} failed around ${hook.id}.`, { cause: error })
        return inner ?? next(input)
      }
    }
  }

  #failed(hook: AnyHook, tap: Tap, error: unknown): void {
    const now = this.#clock.monotonic()
    tap.failures = [...tap.failures.filter((at) => now - at < WINDOW_MS), now]
    tap.suspended = tap.failures.length >= FAILURES
    this.#onError(tap.owner, hook.id, error, tap.suspended)
  }
}

/** Few listeners ask for the signal. */
const infoOf = (hook: AnyHook, signal: () => AbortSignal): CallInfo =>
  Object.defineProperty({ hook: hook.id } as CallInfo, 'signal', { get: signal, enumerable: true })

type Series = { tapPromise(options: { name: string }, run: never): void; promise: Run }

type Two = [unknown, unknown]
const series: Record<Exclude<HookKind, 'wrap'>, () => Series> = {
  notify: () => new AsyncSeriesHook<Two>(['value', 'context']) as unknown as Series,
  transform: () => new AsyncSeriesWaterfallHook<Two>(['value', 'context']) as unknown as Series,
  decide: () => new AsyncSeriesBailHook<Two, unknown>(['value', 'context']) as unknown as Series,
}

const idle: Record<HookKind, Run> = {
  notify: async () => undefined,
  decide: async () => undefined,
  transform: async (value) => value,
  wrap: (input, innermost) => (innermost as Next)(input),
}

function placed({ owner, options }: Tap): { name: string } {
  return { name: owner.name, before: options.before, stage: options.stage } as { name: string }
}

/** Tapable's order (stage, then before, then registration) for a kind it does not have. */
function ordered(taps: Tap[]): Tap[] {
  const order = new AsyncSeriesHook<[]>([])
  for (const tap of taps) order.tapPromise({ ...placed(tap), tap } as { name: string }, async () => {})
  return order.taps.map((entry) => (entry as unknown as { tap: Tap }).tap)
}

function check(hook: AnyHook, whoDoes: string): void {
  if (typeof hook?.id === 'string' && hook.kind in idle) return
  throw new SvcError('HOOK_UNKNOWN', `${whoDoes} something that is not a hook of this SDK.`)
}
