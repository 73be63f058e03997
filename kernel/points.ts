/** Contributions: every list that plugins add to. */
import { SvcError } from '../sdk/errors.ts'
import type { Contributions, Disposer } from '../sdk/plugin.ts'
import type { Point } from '../sdk/token.ts'
import { type Owner, sees } from './owner.ts'
import { replaces } from './services.ts'

interface Entry {
  item: unknown
  owner: Owner
  keys: readonly string[]
}

/** Everything contributed to one point, in the order it was added. */
class Registry {
  entries: readonly Entry[] = []
  watchers: Set<() => void> = new Set()
  readonly id: string

  constructor(id: string) {
    this.id = id
  }

  set(entries: readonly Entry[]): void {
    this.entries = entries
    this.changed()
  }

  changed(): void {
    for (const watcher of [...this.watchers]) watcher()
  }
}

export class Points {
  #registries: Map<string, Registry> = new Map()

  add<T>(point: Point<T>, item: T, owner: Owner): Disposer {
    if (typeof point?.id !== 'string' || typeof point.key !== 'function')
      throw new SvcError('POINT_UNKNOWN', `${owner.name} contributes to something that is not a point of this SDK.`)
    const registry = this.#of(point.id)
    const entry: Entry = { item, owner, keys: [point.key(item), ...(point.aliases?.(item) ?? [])] }
    for (const other of registry.entries) {
      if (other.owner.state === 'retired' || replaces(owner, other.owner)) continue
      const clash = entry.keys.find((key) => other.keys.includes(key))
      if (clash !== undefined)
        throw new SvcError(
          'CONTRIBUTION_TAKEN',
          `${owner.name} adds "${clash}" to ${point.id}, but ${other.owner.name} already did. Disable one of them.`,
        )
    }
    registry.set([...registry.entries, entry])
    return () => registry.set(registry.entries.filter((other) => other !== entry))
  }

  /** The view that `viewer` has of a point. */
  view<T>(point: Point<T>, viewer: Owner): Contributions<T> {
    const registry = this.#of(point.id)
    const seen = () => registry.entries.filter((entry) => sees(viewer, entry.owner))
    const named = (key: string) => seen().find((entry) => entry.keys.includes(key))
    return {
      get: (key) => named(key)?.item as T | undefined,
      all: () => seen().map((entry) => entry.item as T),
      owner: (key) => named(key)?.owner.name,
      onChange(listener) {
        registry.watchers.add(listener)
        return () => void registry.watchers.delete(listener)
      },
    }
  }

  /** A generation appeared or went: tell whoever watches what it contributed to. */
  refresh(owners: readonly Owner[]): void {
    for (const registry of this.#registries.values())
      if (registry.entries.some((entry) => owners.includes(entry.owner))) registry.changed()
  }

  /** What one generation has contributed: keys by point. */
  ownedBy(owner: Owner): Record<string, string[]> {
    const all = [...this.#registries].map(([id, { entries }]) => {
      const keys = entries.filter((entry) => entry.owner === owner).map((entry) => entry.keys[0] as string)
      return [id, keys] as const
    })
    return Object.fromEntries(all.filter(([, keys]) => keys.length > 0))
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
