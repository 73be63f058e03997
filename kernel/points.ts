/** Contributions: every list that plugins add to. */
import { disableCommand } from '../sdk/advice.ts'
import { itemClaim } from '../sdk/claims.ts'
import type { ExtensionPoint, Ordered } from '../sdk/declarations.ts'
import { SvcError } from '../sdk/errors.ts'
import { toRegistration } from '../sdk/kit/async/registration.ts'
import type { ContributionRegistry, Dispose } from '../sdk/plugin.ts'
import { type Owner, runAs, sees } from './owner.ts'
import type { Plan } from './plan.ts'
import { Replacements, type Served } from './replacements.ts'
import { replaces } from './services.ts'

interface Entry {
  item: unknown
  owner: Owner
  keys: readonly string[]
  /** When calls into it failed, of the last minute. */
  failures: number[]
  /** Of a replacement: makes what it replaced serve again. */
  onSuspended?: () => void
}

/** Told of every failed call into an item; `suspended` when it was the one too many. */
export type OnItemError = (owner: Owner, place: string, error: unknown, suspended: boolean) => void

type Members = Readonly<Record<string, unknown>>

/** The order of an item that has none, see `Ordered`. */
const USUAL_ORDER = 50
const MAX_FAILURES = 5
const WINDOW_MS = 60_000

/** Everything contributed to one point. */
class Registry {
  entries: readonly Entry[] = []
  /** Made when it is read: a plugin may add hundreds of items one after the other. */
  #ordered: readonly Entry[] | undefined
  readonly #byKey: Map<string, readonly Entry[]> = new Map()
  watchers: Set<() => void> = new Set()
  /** By the key of the item that is replaced. */
  readonly replacements: Map<string, Replacements> = new Map()
  readonly id: string

  constructor(id: string) {
    this.id = id
  }

  /** The same by their order. */
  get ordered(): readonly Entry[] {
    this.#ordered ??= this.entries.toSorted((one, two) => getOrder(one.item) - getOrder(two.item))
    return this.#ordered
  }

  /** Those that have a key, the one that was added first at the beginning. */
  named(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? []
  }

  set(entry: Entry, state: 'added' | 'removed'): void {
    const change = (list: readonly Entry[]) =>
      state === 'added' ? [...list, entry] : list.filter((other) => other !== entry)
    this.entries = change(this.entries)
    this.#ordered = undefined
    for (const key of entry.keys) this.#byKey.set(key, change(this.named(key)))
    this.changed()
  }

  changed(): void {
    for (const watcher of [...this.watchers]) watcher()
  }
}

export class Points {
  #registries: Map<string, Registry> = new Map()
  /** Points by who contributes to them: each plugin is compared with its manifest at every start. */
  #byOwner: Map<Owner, Set<Registry>> = new Map()
  readonly #replacingEntries: WeakMap<object, Entry> = new WeakMap()
  readonly #checks: WeakMap<Replacements, (item: unknown) => void> = new WeakMap()
  #now: () => number
  #onError: OnItemError
  /** The plugins whose manifests have a name, by the keys of `listClaims`, whether they are loaded or not. */
  claims: Plan['claims'] = new Map()

  /** `now` in milliseconds, of a clock that never goes back. */
  constructor(now: () => number = () => 0, onError: OnItemError = () => {}) {
    this.#now = now
    this.#onError = onError
  }

  add<T>(point: ExtensionPoint<T>, given: unknown, owner: Owner): Dispose {
    if (typeof point?.id !== 'string' || typeof point.key !== 'function')
      throw new SvcError('POINT_UNKNOWN', `${owner.name} contributes to something that is not a point of this SDK.`)
    const problem = findItemProblem(point, given)
    if (problem !== undefined)
      throw new SvcError('CONTRIBUTION_INVALID', `${owner.name} adds something to ${point.id} that ${problem}.`)
    const item = complete(point, given, owner.name)
    if (isPlain(item)) Object.freeze(item)
    const registry = this.#of(point.id)
    const keys = [point.key(item), ...(point.aliases?.(item) ?? [])]
    const entry: Entry = { item, owner, keys, failures: [] }
    this.#checkClaims(point.id, entry)
    for (const clash of entry.keys) {
      const other = registry.named(clash).find((each) => each.owner.state !== 'retired' && !replaces(owner, each.owner))
      if (!other) continue
      const taken = `${owner.name} adds "${clash}" to ${point.id}`
      throw new SvcError(
        'CONTRIBUTION_TAKEN',
        owner.name === other.owner.name
          ? `${taken} twice. Remove the first one before you add another.`
          : `${taken}, but ${other.owner.name} already did. Disable one of them.`,
      )
    }
    registry.set(entry, 'added')
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? new Set()).add(registry))
    return () => this.#remove(registry, entry)
  }

  /**
   * Names that are only known at run time must not depend on which plugin is loaded first: a plugin of a user cannot take
   * one that the manifest of another plugin has, even when that plugin is not loaded yet.
   */
  #checkClaims(point: string, { owner, keys }: Entry): void {
    if (owner.contributes === undefined) return
    for (const key of keys) {
      const other = this.claims.get(itemClaim(point, key))?.manifest.name
      if (other === undefined || other === owner.name) continue
      const has = `${other} has by its plugin.json. To use it: ${disableCommand(other)}`
      throw new SvcError('CONTRIBUTION_TAKEN', `${owner.name} adds "${key}" to ${point}, which ${has}`)
    }
  }

  /**
   * Puts an item in the place of the one that has this key, now or later. Throws `REPLACEMENT_REFUSED`, and what `make` throws
   * for an item that is there.
   */
  replace<T>(point: ExtensionPoint<T>, key: string, owner: Owner, make: (inner: T) => T): Dispose {
    const registry = this.#of(point.id)
    const place = `${point.id} "${key}"`
    const all = registry.replacements.get(key) ?? new Replacements(place, (...given) => this.#onError(...given, true))
    if (all.has(owner)) throw new SvcError('CONTRIBUTION_TAKEN', `${owner.name} replaces ${place} twice.`)
    const check = (item: unknown) => checkReplacement(point, key, item as T)
    const entry = registry.named(key).find((each) => sees(owner, each.owner))
    if (entry?.owner.isGuard)
      throw new SvcError(
        'REPLACEMENT_REFUSED',
        `${owner.name} cannot replace ${place}: ${entry.owner.name} guards svc with it.`,
      )
    if (entry) check(runAs(owner, () => make(entry.item as T)))
    registry.replacements.set(key, all)
    this.#checks.set(all, check)
    const undo = all.add(owner, make as (inner: never) => unknown)
    registry.changed()
    return () => {
      undo()
      if (all.isEmpty) registry.replacements.delete(key)
      registry.changed()
    }
  }

  /** What a viewer is served for an entry. */
  #served(registry: Registry, entry: Entry, viewer: Owner): Served {
    const original: Served = { item: entry.item, owner: entry.owner }
    if (registry.replacements.size === 0 || entry.owner.isGuard) return original
    const all = entry.keys.flatMap((key) => registry.replacements.get(key) ?? [])
    return all.reduce(
      (served, each) => each.apply(served, viewer, ({ item }) => item, this.#checks.get(each) ?? (() => {})),
      original,
    )
  }

  #remove(registry: Registry, entry: Entry): void {
    registry.set(entry, 'removed')
    const mine = this.#byOwner.get(entry.owner)
    if (registry.entries.some(({ owner }) => owner === entry.owner)) return
    mine?.delete(registry)
    if (mine?.size === 0) this.#byOwner.delete(entry.owner)
  }

  /** The view that `viewer` has of a point. */
  view<T>(point: ExtensionPoint<T>, viewer: Owner): ContributionRegistry<T> {
    const registry = this.#of(point.id)
    const listSeen = () => registry.ordered.filter((entry) => sees(viewer, entry.owner))
    const named = (key: string) => {
      const entry = registry.named(key).find((each) => sees(viewer, each.owner))
      return entry && this.#served(registry, entry, viewer)
    }
    return {
      get: (key) => named(key)?.item as T | undefined,
      all: () => listSeen().map((entry) => this.#served(registry, entry, viewer).item as T),
      owner: (key) => named(key)?.owner.name,
      attempt: (item: T, work: () => never, accepts?: (value: unknown) => boolean) =>
        this.#attempt(registry, item, work, accepts),
      onChange(listener) {
        registry.watchers.add(listener)
        return toRegistration(() => void registry.watchers.delete(listener))
      },
    }
  }

  #attempt<R>(registry: Registry, item: unknown, work: () => R, accepts?: (value: unknown) => boolean): R | undefined {
    const entry = registry.entries.find((other) => other.item === item) ?? this.#replacing(registry, item)
    if (!entry || entry.failures.length >= MAX_FAILURES) return undefined
    const charge = (error: unknown) => this.#charge(registry, entry, error)
    const accepted = <V>(value: V): V => {
      if (accepts?.(value) !== false) return value
      const shown = JSON.stringify(value)?.slice(0, 80)
      throw new SvcError('CONTRIBUTION_INVALID', `it returned ${shown}, which cannot be used`)
    }
    try {
      const value = runAs(entry.owner, work)
      if (!(value instanceof Promise)) return accepted(value)
      return value.then(accepted).catch(charge) as R
    } catch (error) {
      return charge(error)
    }
  }

  /** Failures of a replacement count by themselves; when there are too many, what it replaced serves. */
  #replacing(registry: Registry, item: unknown): Entry | undefined {
    for (const [key, all] of registry.replacements) {
      const owner = all.ownerOf(item)
      if (!owner) continue
      const known = this.#replacingEntries.get(item as object)
      const entry = known ?? { item, owner, keys: [key], failures: [], onSuspended: () => all.switchOff(owner) }
      this.#replacingEntries.set(item as object, entry)
      return entry
    }
    return undefined
  }

  #charge(registry: Registry, entry: Entry, error: unknown): undefined {
    const now = this.#now()
    entry.failures = [...entry.failures.filter((at) => now - at < WINDOW_MS), now]
    const isSuspended = entry.failures.length >= MAX_FAILURES
    this.#onError(entry.owner, `${registry.id} "${entry.keys[0]}"`, error, isSuspended)
    if (!isSuspended || !entry.onSuspended) return
    entry.onSuspended()
    registry.changed()
  }

  /** Notifies the watchers of every point to which an added or removed generation contributed. */
  refresh(owners: readonly Owner[]): void {
    for (const registry of this.#registries.values())
      if (registry.entries.some((entry) => owners.includes(entry.owner))) registry.changed()
  }

  /** What one generation has contributed: keys by point. */
  ownedBy(owner: Owner): Record<string, string[]> {
    return this.#namesBy(owner, ([key]) => [key as string])
  }

  /** The other names of what one generation has contributed, by point. */
  aliasesBy(owner: Owner): Record<string, string[]> {
    return this.#namesBy(owner, ([, ...aliases]) => aliases)
  }

  #namesBy(owner: Owner, pick: (keys: readonly string[]) => string[]): Record<string, string[]> {
    const registries = [...(this.#byOwner.get(owner) ?? [])]
    return Object.fromEntries(
      registries.map(({ id, entries }) => {
        return [id, entries.filter((entry) => entry.owner === owner).flatMap((entry) => pick(entry.keys))]
      }),
    )
  }

  #of(id: string): Registry {
    let registry = this.#registries.get(id)
    if (!registry) {
      registry = new Registry(id)
      this.#registries.set(id, registry)
    }
    return registry
  }
}

/** Throws `CONTRIBUTION_INVALID` for an item that cannot stand in the place of the one with this key. */
function checkReplacement<T>(point: ExtensionPoint<T>, key: string, item: T): void {
  const problem = findItemProblem(point, item)
  const named = problem === undefined ? [point.key(item), ...(point.aliases?.(item) ?? [])] : []
  if (problem !== undefined || !named.includes(key))
    throw new SvcError(
      'CONTRIBUTION_INVALID',
      `what replaces ${point.id} "${key}" ${problem ?? `has the name "${named[0]}"; it must keep the name`}.`,
    )
  if (isPlain(item)) Object.freeze(item)
}

const getOrder = (item: unknown): number => (item as Ordered).order ?? USUAL_ORDER

/** What is wrong with an item: it can have any shape until it was looked at. */
function findItemProblem<T>(point: ExtensionPoint<T>, item: unknown): string | undefined {
  try {
    const problem = point.problem?.(item)
    if (problem !== undefined) return problem
    const { order } = item as Ordered
    if (order !== undefined && !Number.isFinite(order)) return 'has an order that is not a number'
    const key: unknown = point.key(item as T)
    return typeof key === 'string' && key !== '' ? undefined : 'has no name'
  } catch {
    return 'cannot be read'
  }
}

/**
 * The item with the defaults of the members that it lacks. It stays the same object where that is possible: its author may
 * compare with it, and an instance of a class has private fields.
 */
function complete<T>(point: ExtensionPoint<T>, given: unknown, plugin: string): T {
  const defaults = Object.entries(point.defaults?.(given as never, plugin) ?? {})
  const missing = Object.fromEntries(defaults.filter(([name]) => (given as Members)[name] === undefined))
  if (Object.keys(missing).length === 0) return given as T
  if (Object.isExtensible(given)) return Object.assign(given as object, missing) as T
  const own = Object.getOwnPropertyDescriptors(given)
  const added = Object.getOwnPropertyDescriptors(missing)
  return Object.create(Object.getPrototypeOf(given), { ...own, ...added }) as T
}

/** What is shared is not changed by one of those who share it; instances of classes look after themselves. */
function isPlain(item: unknown): item is object {
  return typeof item === 'object' && item !== null && Object.getPrototypeOf(item) === Object.prototype
}
