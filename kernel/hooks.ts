/** The hook table. Tapable orders and runs the listeners; it cannot remove one, so the lists are kept here. */
import { AsyncSeriesHook } from 'tapable'
import type { Hook, HookContext, HookKind } from '../sdk/declarations.ts'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import type { Person } from '../sdk/person.ts'
import type { Dispose, HookOptions } from '../sdk/plugin.ts'
import type { Clock } from '../sdk/ports.ts'
import { findDecisionAdvice, type HookDecision, strictestDecision } from '../sdk/verdict.ts'
import { currentOwner, type Owner, runAs } from './owner.ts'
import { isPromise, limited, within } from './time-limit.ts'

const FAILURES = 5
/** The order of a listener that has none. */
const USUAL_ORDER = 50
const WINDOW_MS = 60_000
/** The longest time that a listener may ask for. */
const LONGEST_MS = 600_000

type AnyHook = Hook<unknown, unknown, unknown, unknown>
type Next = (input: unknown) => Promise<unknown>
type Listener = (...args: unknown[]) => unknown

/** One listener. Suspended after five failures in a minute, until its plugin is reloaded. */
interface Tap {
  readonly owner: Owner
  readonly listener: Listener
  readonly options: HookOptions
  /** As its plugin declares the hook. */
  readonly kind: HookKind
  failures: number[]
  suspended: boolean
  /** That another plugin calls the hook as one of another kind was reported. */
  isMismatchTold?: true
}

type Run = (value: unknown, context: unknown) => Promise<unknown>

/** Told of every failure; `suspended` when it was the one too many. */
export type OnListenerError = (owner: Owner, hook: string, error: unknown, suspended: boolean) => void

/** The state of gates: which are closed, and whose listeners are required. */
export interface GateKeeper {
  /** Why nothing may pass a hook now, as a sentence with what to do; undefined when it may. */
  heldBy(hook: AnyHook): string | undefined
  guards(owner: Owner, hook: string): boolean
}

const noGates: GateKeeper = { heldBy: () => undefined, guards: () => false }

export class HookTable {
  #taps: Map<string, Tap[]> = new Map()
  #compiled: Map<string, Run> = new Map()
  #clock: Clock
  #onError: OnListenerError
  #gates: GateKeeper

  constructor(clock: Clock, onError: OnListenerError, gates: GateKeeper = noGates) {
    this.#clock = clock
    this.#onError = onError
    this.#gates = gates
  }

  on(hook: AnyHook, owner: Owner, listener: Listener, options: HookOptions = {}): Dispose {
    check(hook, `${owner.name} listens to`)
    checkMatcher(hook, owner, options)
    const tap: Tap = { owner, listener, options, kind: hook.kind, failures: [], suspended: false }
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
      const live = (this.#taps.get(hook.id) ?? []).filter((tap) => tap.owner.state === 'live' && this.#fits(hook, tap))
      const held = this.#gates.heldBy(hook)
      run = held === undefined ? this.#compile(hook, live) : shut(hook, held)
      this.#compiled.set(hook.id, run)
    }
    return await run(value, context)
  }

  /**
   * Whether a listener was made for a hook of this kind; what it returns would be lost or misread otherwise. A gate hears it all
   * the same: an invalid verdict denies.
   */
  #fits(hook: AnyHook, tap: Tap): boolean {
    if (tap.kind === hook.kind || hook.kind === 'decide') return true
    if (!tap.isMismatchTold) {
      tap.isMismatchTold = true
      const caller = currentOwner()?.name ?? 'the program'
      const message = `its listener of ${hook.id} is for a hook of the kind ${tap.kind}, but ${caller} calls it as ${hook.kind}. Declare the hook as ${caller} does.`
      this.#onError(tap.owner, hook.id, new SvcError('HOOK_UNKNOWN', message), false)
    }
    return false
  }

  /** A generation appeared or went, or a guard began or ceased to run. */
  refresh(): void {
    this.#compiled.clear()
  }

  /** How many listeners a generation has, and how many of them are suspended. */
  ownedBy(owner: Owner): { taps: number; suspended: number } {
    const counts = { taps: 0, suspended: 0 }
    for (const taps of this.#taps.values())
      for (const tap of taps) {
        if (tap.owner !== owner) continue
        counts.taps++
        if (tap.suspended) counts.suspended++
      }
    return counts
  }

  #set(id: string, taps: Tap[]): void {
    if (taps.length) this.#taps.set(id, taps)
    else this.#taps.delete(id)
    this.#compiled.delete(id)
  }

  #compile(hook: AnyHook, taps: Tap[]): Run {
    if (!taps.length) return idle[hook.kind]
    const ordered = orderTaps(taps)
    if (hook.kind === 'wrap') return this.#onion(hook, ordered)
    const listeners = ordered.map((tap) => this.#guarded(hook, tap))
    return series[hook.kind](listeners)
  }

  /** A listener that throws only if it is required; otherwise a failure yields the failure value of the hook. */
  #guarded(hook: AnyHook, tap: Tap): Listener {
    const { kind } = hook
    const stops = kind !== 'decide' && (tap.options.failure === 'stop' || this.#gates.guards(tap.owner, hook.id))
    const limit = getLimit(hook, tap)
    const what = `its listener of ${hook.id}`
    const fail = (error: unknown): never => {
      this.#failed(hook, tap, error)
      throw error
    }
    const validate = (result: unknown) => validateResult(hook, result)
    const listen = (value: unknown, context: unknown): unknown => {
      if (tap.suspended) throw new SvcError('HOOK_FAILED', `${tap.owner.name} is suspended`)
      const work = (signal: () => AbortSignal) => {
        const call = createInfo(hook, signal)
        return runAs(tap.owner, () =>
          kind === 'transform' ? tap.listener(value, context, call) : tap.listener(value, call),
        )
      }
      try {
        const result = limited(this.#clock, limit, what, work, () => isAsking(value) || isAsking(context))
        return isPromise(result) ? Promise.resolve(result).then(validate).catch(fail) : validate(result)
      } catch (error) {
        return fail(error)
      }
    }
    if (kind === 'decide')
      return (value) =>
        isMeant(hook, tap, value, undefined) ? readVote(hook, tap, () => listen(value, undefined)) : undefined
    const excuse = (error: unknown) => {
      if (!stops) return undefined
      const message = `${tap.owner.name} failed in ${hook.id}, which requires it to succeed: ${errorMessage(error)}`
      throw new SvcError('HOOK_STOPPED', message, { cause: error })
    }
    return (value, context) => {
      if (!isMeant(hook, tap, value, context)) return undefined
      try {
        const result = listen(value, context)
        return isPromise(result) ? result.catch(excuse) : result
      } catch (error) {
        return excuse(error)
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
    const isStrict = hook.failure === 'fail' || tap.options.failure === 'stop' || this.#gates.guards(tap.owner, hook.id)
    const run: Next = async (input) => {
      if (tap.suspended && !isStrict) return next(input)
      if (tap.suspended) throw new SvcError('HOOK_FAILED', `${tap.owner.name} is suspended in ${hook.id}.`)
      let inner: Promise<unknown> | undefined
      let failed: { readonly error: unknown } | undefined
      const once: Next = (changed) => {
        if (!inner) refuseChange(hook, tap, input, changed)
        inner ??= next(changed).catch((error) => {
          failed = { error }
          throw error
        })
        return inner
      }
      try {
        const work = (signal: () => AbortSignal) =>
          runAs(tap.owner, () => tap.listener(input, once, createInfo(hook, signal)) as Promise<unknown>)
        const limit = getLimit(hook, tap)
        return await within(this.#clock, limit, `its listener of ${hook.id}`, work, () => isAsking(input))
      } catch (error) {
        if (failed && error === failed.error) throw error
        this.#failed(hook, tap, error)
        if (isStrict)
          throw new SvcError('HOOK_FAILED', `${tap.owner.name} failed around ${hook.id}: ${errorMessage(error)}`, {
            cause: error,
          })
        return inner ?? next(input)
      }
    }
    return (input) => (isMeant(hook, tap, input, undefined) ? run(input) : next(input))
  }

  #failed(hook: AnyHook, tap: Tap, error: unknown): void {
    const now = this.#clock.monotonic()
    tap.failures = [...tap.failures.filter((at) => now - at < WINDOW_MS), now]
    tap.suspended = tap.failures.length >= FAILURES
    this.#onError(tap.owner, hook.id, error, tap.suspended)
  }
}

/** Few listeners ask for the signal. A class: an object with a getter of its own costs more than most listeners. */
class CallInfo implements HookContext {
  readonly hook: string
  readonly #ask: () => AbortSignal

  constructor(hook: string, ask: () => AbortSignal) {
    this.hook = hook
    this.#ask = ask
  }

  get signal(): AbortSignal {
    return this.#ask()
  }
}

const createInfo = (hook: AnyHook, signal: () => AbortSignal): HookContext => new CallInfo(hook.id, signal)

/** One listener after the other. Only those that take time are waited for: most answer at once. */
const series: Record<Exclude<HookKind, 'wrap'>, (listeners: readonly Listener[]) => Run> = {
  notify: (listeners) => async (value, context) => {
    for (const listen of listeners) {
      const result = listen(value, context)
      if (isPromise(result)) await result
    }
  },
  transform: (listeners) => async (value, context) => {
    let current = value
    for (const listen of listeners) {
      const given = listen(current, context)
      const result = isPromise(given) ? await given : given
      if (result !== undefined) current = result
    }
    return current
  },
  decide: (listeners) => async (value) => {
    const verdicts: HookDecision[] = []
    for (const listen of listeners) {
      const vote = listen(value)
      const verdict = (isPromise(vote) ? await vote : vote) as HookDecision | undefined
      if (verdict !== undefined) verdicts.push(verdict)
    }
    return strictestDecision(verdicts)
  },
}

const idle: Record<HookKind, Run> = {
  notify: async () => undefined,
  decide: async () => undefined,
  transform: async (value) => value,
  wrap: (input, innermost) => (innermost as Next)(input),
}

/** A hook without a limit has none for any listener. */
function getLimit({ limitMs }: AnyHook, { options }: Tap): number {
  return limitMs && Math.max(limitMs, Math.min(options.timeoutMs ?? options.limitMs ?? 0, LONGEST_MS))
}

/**
 * Whether a person is being asked through what a listener was given: its `person`, that of its `turn`, or that of where a
 * command runs. A person takes longer than any limit of a listener; the question has its own.
 */
function isAsking(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false
  const { person, turn, at } = given as { readonly person?: Person; readonly turn?: unknown; readonly at?: unknown }
  return person?.isAsked === true || isAsking(turn) || isAsking(at)
}

function refuseChange(hook: AnyHook, { owner }: Tap, before: unknown, after: unknown): void {
  if (hook.mayPass?.(before, after) !== false) return
  throw new SvcError('HOOK_INPUT', `${owner.name} may not change what ${hook.id} was called with`)
}

/** The value that a listener returned, if the hook accepts it. Throws `HOOK_VALUE`. */
function validateResult(hook: AnyHook, result: unknown): unknown {
  if (hook.kind === 'notify' || (result === undefined && hook.kind === 'transform')) return undefined
  const good = hook.kind === 'decide' ? hook.parse?.(result) : (hook.accepts?.(result) ?? true) && { result }
  if (!good) {
    const advice = hook.kind === 'decide' ? `. ${findDecisionAdvice(result)}` : ''
    throw new SvcError('HOOK_VALUE', `its listener of ${hook.id} returned ${describeValue(result)}${advice}`)
  }
  return hook.kind === 'decide' ? good : result
}

/** A listener's verdict with its author; a failure counts as the verdict that the hook declares. */
function readVote(hook: AnyHook, { owner }: Tap, vote: () => unknown): HookDecision | Promise<HookDecision> {
  const signed = (verdict: unknown): HookDecision => ({ ...(verdict as HookDecision), by: [owner.name] })
  const failed = (error: unknown) => signed(failureVerdict(hook, error))
  try {
    const verdict = vote()
    return isPromise(verdict) ? verdict.then(signed).catch(failed) : signed(verdict)
  } catch (error) {
    return failed(error)
  }
}

function failureVerdict(hook: AnyHook, error: unknown): HookDecision {
  return hook.parse?.(hook.verdict?.(error)) ?? { decision: 'deny', allow: false }
}

/** A hook that nothing passes. */
function shut(hook: AnyHook, reason: string): Run {
  const error = new SvcError('GUARD_MISSING', reason)
  return async () => {
    if (hook.kind !== 'decide') throw error
    return { ...failureVerdict(hook, error), decision: 'deny', allow: false, reason } satisfies HookDecision
  }
}

function describeValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(JSON.stringify(value) ?? value)
  return `${text.slice(0, 80)}, which it may not`
}

function toTapOptions({ owner, options }: Tap): { name: string } {
  const stage = options.order === undefined ? options.stage : options.order - USUAL_ORDER
  return { name: owner.name, before: options.before, stage } as { name: string }
}

/** Tapable's order (stage, which is 0 where `order` is 50, then before, then registration), and `after`, which it does not have. */
function orderTaps(taps: Tap[]): Tap[] {
  const isPlain = ({ options: { before, stage, order, after } }: Tap) =>
    !before && !stage && !after && (order === undefined || order === USUAL_ORDER)
  if (taps.every(isPlain)) return taps
  const order = new AsyncSeriesHook<[]>([])
  for (const tap of taps) order.tapPromise({ ...toTapOptions(tap), tap } as { name: string }, async () => {})
  return moveBehind(order.taps.map((entry) => (entry as unknown as { tap: Tap }).tap))
}

/** Each listener stands behind those of the plugins in its `after`. Of two that name each other the one that came last moves. */
function moveBehind(taps: Tap[]): Tap[] {
  const ordered = [...taps]
  for (const tap of taps) {
    const last = ordered.findLastIndex(({ owner }) => tap.options.after?.includes(owner.name))
    const at = ordered.indexOf(tap)
    if (last <= at) continue
    ordered.splice(at, 1)
    ordered.splice(last, 0, tap)
  }
  return ordered
}

/** Whether the call is one of those that the listener asked for. */
function isMeant(hook: AnyHook, { options: { tools } }: Tap, value: unknown, context: unknown): boolean {
  if (!tools || !hook.toolNames) return true
  return hook.toolNames(value, context).some((name) => tools.includes(name))
}

/** A matcher that would be ignored or match nothing is a fault of the plugin. */
function checkMatcher(hook: AnyHook, owner: Owner, { tools }: HookOptions): void {
  if (tools === undefined) return
  const isList = Array.isArray(tools) && tools.length > 0 && tools.every((name) => typeof name === 'string')
  if (isList && hook.toolNames) return
  const why = isList ? 'the hook is not about tools' : 'it is not a list with names of tools'
  throw new SvcError('HOOK_MATCHER', `${owner.name} listens to ${hook.id} with \`tools\`, but ${why}.`)
}

function check(hook: AnyHook, whoDoes: string): void {
  if (typeof hook?.id === 'string' && hook.kind in idle) return
  throw new SvcError('HOOK_UNKNOWN', `${whoDoes} something that is not a hook of this SDK.`)
}
