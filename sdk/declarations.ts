/**
 * Tokens: the typed constants by which everything shared is named.
 * A token is identified by its `id`, so two copies of the SDK agree; its types never exist at run time.
 */
import type { HookOptions } from './plugin.ts'
import { type HookDecision, type HookDecisionResult, parseDecision, parseToolDecision } from './verdict.ts'

/** Information about the call. `signal` aborts when the time limit of the listener has passed. @since 0.2 */
export interface HookContext {
  readonly hook: string
  readonly signal: AbortSignal
}

/**
 * A moment that plugins may listen to. Made by `notify`, `transform`, `decide` or `wrap`.
 * `L` is the listener, `V` the value called with, `C` the context (or the innermost function of a wrap), `R` the result.
 * @since 0.1
 */
export interface Hook<L, V, C, R> {
  readonly id: string
  /** How listeners are run; it also fixes what a failing listener means. */
  readonly kind: 'notify' | 'transform' | 'decide' | 'wrap'
  /** Milliseconds one listener may take. */
  readonly limitMs: number
  /** `decide`: the verdict of a listener that fails, times out or is suspended. */
  readonly verdict?: (error: unknown) => unknown
  /** `decide`: the verdict for a returned value; undefined if it is not a verdict. */
  readonly parse?: (value: unknown) => HookDecision | undefined
  /** `transform`: whether a returned value has the shape that the next listener and the caller rely on. */
  readonly accepts?: (value: unknown) => boolean
  /** `wrap`: whether a failing listener is left out or fails the call. */
  readonly failure?: 'skip' | 'fail'
  /** `wrap`: whether a listener may pass `after` on where it was given `before`. */
  readonly mayPass?: (before: unknown, after: unknown) => boolean
  /** The tools that a call is about, by all their names: what `HookOptions.tools` is compared with. */
  readonly toolNames?: (value: unknown, context: unknown) => readonly string[]
  /**
   * A gate: while no running plugin guards it, see `Manifest.guards`, it denies. `installation`: the guard has to be part of the
   * installation; plugins of users check such a gate, and do not stand in for a guard that is absent.
   */
  readonly gate?: boolean | 'installation'
  /** Types only; never set. */
  readonly _types?: { listener: L; value: V; context: C; result: R }
}

/** The kinds of hooks. @since 0.1 */
export type HookKind = Hook<unknown, unknown, unknown, unknown>['kind']

/** A hook whose listeners are called in order. A failing listener is skipped and reported. @since 0.1 */
export type NotifyHook<E> = Hook<(event: E, call: HookContext) => void | Promise<void>, E, undefined, void>

/**
 * A hook whose listeners rewrite a value in turn; `undefined` means unchanged. A failing listener leaves it as it was.
 * @since 0.1
 */
export type TransformHook<V, C = undefined> = Hook<
  (value: V, context: C, call: HookContext) => V | undefined | void | Promise<V | undefined | void>,
  V,
  C,
  V
>

/**
 * A hook that every listener is heard in and the strictest verdict wins: deny, ask, allow, abstain. `undefined` abstains.
 * A failing listener, and one that returns anything else than a verdict, counts as the declared verdict. The caller gets
 * the verdict that won, or undefined when all abstained.
 * @since 0.1
 */
export type DecideHook<E, R = HookDecisionResult> = Hook<
  (event: E, call: HookContext) => R | undefined | void | Promise<R | undefined | void>,
  E,
  undefined,
  HookDecision | undefined
>

/** A hook around a piece of work. A listener gets `next` and may change what goes in and what comes out. @since 0.1 */
export type WrapHook<I, O> = Hook<
  (input: I, next: (input: I) => Promise<O>, call: HookContext) => Promise<O>,
  I,
  (input: I) => Promise<O>,
  O
>

function readTimeout(
  { timeoutMs, limitMs }: Pick<HookOptions, 'timeoutMs' | 'limitMs'>,
  usual: number,
): { limitMs: number } {
  return { limitMs: timeoutMs ?? limitMs ?? usual }
}

/** Declares a `notify` hook. `timeoutMs` bounds each listener (default 5,000). @since 0.2 */
export function notifyHook<E>(id: string, options: Pick<HookOptions, 'timeoutMs' | 'limitMs'> = {}): NotifyHook<E> {
  return { id, kind: 'notify', ...readTimeout(options, 5000) }
}

/**
 * Declares a `transform` hook. `timeoutMs` bounds each listener (default 5,000). `accepts` checks what each listener
 * returns: a value it refuses counts as that listener's failure. `gate` closes the hook while its guard does not run.
 * @since 0.2
 */
export function transformHook<V, C = undefined>(
  id: string,
  options: Pick<HookOptions, 'timeoutMs' | 'limitMs'> & {
    accepts?: (value: unknown) => boolean
    gate?: boolean | 'installation'
    toolNames?: (value: V, context: C) => readonly string[]
  } = {},
): TransformHook<V, C> {
  const { timeoutMs: _, ...rest } = options
  return { id, kind: 'transform', ...rest, ...readTimeout(options, 5000) } as TransformHook<V, C>
}

/** Declares a `decide` hook. `verdict` is what a failing listener counts as: gates fail closed. @since 0.2 */
export function decisionHook<E, R = HookDecisionResult>(
  id: string,
  options: Pick<HookOptions, 'timeoutMs' | 'limitMs'> & {
    verdict: (error: unknown) => NonNullable<R>
    gate?: boolean | 'installation'
    toolNames?: (event: E) => readonly string[]
    /** Takes the `context` of decisions. */
    takesContext?: true
  },
): DecideHook<E, R> {
  const { timeoutMs: _, takesContext = false, ...rest } = options
  const parse = takesContext ? parseToolDecision : parseDecision
  return { id, kind: 'decide', parse, ...rest, ...readTimeout(options, 5000) } as DecideHook<E, R>
}

/**
 * Declares a `wrap` hook. `failure: 'skip'` runs the rest without a listener that fails before calling `next`;
 * `'fail'` fails the call. `timeoutMs` covers the listener and all it wraps (default 0: no limit). `mayPass` says whether a
 * listener may call `next` with `after` where it was given `before`; otherwise the call fails and names the listener.
 * @since 0.2
 */
export function wrapHook<I, O>(
  id: string,
  options: Pick<HookOptions, 'timeoutMs' | 'limitMs'> & {
    failure: 'skip' | 'fail'
    mayPass?: (before: I, after: I) => boolean
    gate?: boolean | 'installation'
    toolNames?: (input: I) => readonly string[]
  },
): WrapHook<I, O> {
  const { timeoutMs: _, mayPass, ...rest } = options
  return {
    id,
    kind: 'wrap',
    ...rest,
    ...readTimeout(options, 0),
    ...(mayPass && { mayPass: mayPass as Hook<never, I, never, O>['mayPass'] }),
  } as WrapHook<I, O>
}

/** The plugin that calls a method of a service. @since 0.1 */
export interface ServiceCaller {
  readonly plugin: string
  /** A user installed it: it is neither built in nor part of an embedding program. */
  readonly isForeign: boolean
}

/** Options of a service. @since 0.1 */
export interface ServiceOptions<T> {
  /**
   * Methods that register something for their caller and return its disposer, something with a `close`, or a promise of
   * either. What they register ends with the calling plugin, whether it disposes of it or not.
   */
  readonly registers?: readonly (keyof T & string)[]
  /**
   * Methods whose second argument is the plugin that calls, as a `ServiceCaller`: whatever the caller gives there is
   * replaced. Undefined for calls that do not come from a plugin.
   */
  readonly callers?: readonly (keyof T & string)[]
  /** What a plugin of a user may use of it without naming the service in its manifest: everything, or these members. */
  readonly free?: true | readonly (keyof T & string)[]
  /**
   * What a plugin of a user may call without naming the service, where the first argument is the key of an item that its
   * manifest contributes to this point: a provider takes its own keys.
   */
  readonly own?: { readonly point: string; readonly members: readonly (keyof T & string)[] }
  /** Never for plugins of users, whatever their manifests name. */
  readonly closed?: true
  /**
   * Everybody gets the object itself, so that what outlives a generation of a plugin can be kept by it. It must be frozen,
   * and its methods may only compute.
   */
  readonly shared?: true
}

/** Something one plugin provides and others use by its interface `T`. @since 0.1 */
export interface Service<T> {
  readonly id: string
  readonly registers?: readonly string[]
  readonly callers?: readonly string[]
  readonly free?: true | readonly string[]
  readonly own?: { readonly point: string; readonly members: readonly string[] }
  readonly closed?: true
  readonly shared?: true
  readonly _type?: T
}

/** Declares a service. @since 0.2 */
export function defineService<T>(id: string, options: ServiceOptions<T> = {}): Service<T> {
  return { id, ...options }
}

/**
 * An item as readers of its point get it: the members `Keys`, which its author may leave out, have their defaults.
 * @since 0.2
 */
export type Registered<T, Keys extends keyof T> = T & { readonly [Key in Keys]-?: NonNullable<T[Key]> }

/** An item of a point. All points have it, and all give it one meaning. @since 0.2 */
export interface Ordered {
  /** The place among the items of the point: lower comes first (default 50). Items of one order are as they were added. */
  readonly order?: number
}

/** Options of a point. @since 0.2 */
export interface ExtensionPointOptions {
  /** What is wrong with an item, as a sentence's end: "has no run"; undefined when it can be used. */
  readonly problem?: (item: unknown) => string | undefined
  /** Accepts items after set-up that the manifest does not name; they are reported. Otherwise they are refused. */
  readonly acceptsLate?: boolean
}

/**
 * A list that plugins add to. `key` names an item, `aliases` are its other names; each may be taken once. Authors add a `T`,
 * or a `Given` where that is another type: readers get a `T`, with the defaults of the members that were omitted.
 * @since 0.2
 */
export interface ExtensionPoint<T, Given = unknown> extends ExtensionPointOptions {
  readonly id: string
  readonly key: (item: T) => string
  readonly aliases?: (item: T) => readonly string[]
  /** The members that an item lacks, with their defaults; `plugin` is the name of its plugin. */
  readonly defaults?: (item: never, plugin: string) => Partial<T>
  /** Types only; never set. */
  readonly _given?: Given
}

/** Declares a contribution point. @since 0.2 */
export function extensionPoint<T, Given = unknown>(
  id: string,
  key: (item: T) => string,
  aliases?: ((item: T) => readonly string[]) | undefined,
  options: ExtensionPointOptions & Pick<ExtensionPoint<T>, 'defaults'> = {},
): ExtensionPoint<T, Given> {
  return { id, key, ...(aliases && { aliases }), ...options }
}

/**
 * What a member of an item must be: a JavaScript type, `schema` (Standard Schema), or a list; `?` where it may be left out.
 * @since 0.1
 */
export type MemberKind = 'string' | 'number' | 'boolean' | 'function' | 'object' | 'list' | 'schema'

/**
 * A `problem` of `ExtensionPointOptions` that checks the members of an item: `members({ name: 'string', run: 'function' })`.
 * @since 0.2
 */
export function checkMembers(kinds: Readonly<Record<string, MemberKind | `${MemberKind}?`>>) {
  return (item: unknown): string | undefined => {
    if (typeof item !== 'object' || item === null) return 'is not an object'
    const bad = Object.entries(kinds).find(([name, kind]) => !fits((item as Record<string, unknown>)[name], kind))
    if (!bad) return undefined
    const [name, kind] = bad
    return name in item ? `has a ${name} that is not a ${kind.replace('?', '')}` : `has no ${name}`
  }
}

function fits(value: unknown, kind: string): boolean {
  return (value === undefined && kind.endsWith('?')) || hasKind(value, kind.replace('?', '') as MemberKind)
}

function hasKind(value: unknown, kind: MemberKind): boolean {
  if (kind === 'list') return Array.isArray(value)
  if (kind !== 'schema') return typeof value === kind && value !== null
  const standard = (value as { readonly '~standard'?: { readonly validate?: unknown } } | undefined)?.['~standard']
  return typeof standard?.validate === 'function'
}
