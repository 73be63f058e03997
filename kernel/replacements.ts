/** What plugins put in the place of something else: items of points, and services around services. */
import { type Owner, runAs, sees } from './owner.ts'

/** Told of a replacement that could not be made; the original serves. */
export type OnReplacementError = (owner: Owner, place: string, error: unknown) => void

/** What serves under a name, and whose code it is. */
export interface Served {
  readonly item: unknown
  readonly owner: Owner
}

interface Replacement {
  readonly owner: Owner
  readonly make: (inner: never) => unknown
  /** What was made, by what it was made of. */
  readonly made: Map<unknown, unknown>
  /** Its failures are over the limit: what it replaced serves. */
  isOff: boolean
}

/**
 * The replacements of one name. They are applied in the order of the names of their plugins, so that the result does not depend
 * on what is loaded first; each is made of the one before. Of two generations of a plugin the newer one counts.
 */
export class Replacements {
  readonly #place: string
  readonly #onError: OnReplacementError
  #all: readonly Replacement[] = []

  constructor(place: string, onError: OnReplacementError) {
    this.#place = place
    this.#onError = onError
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  has(owner: Owner): boolean {
    return this.#all.some((each) => each.owner === owner)
  }

  add(owner: Owner, make: (inner: never) => unknown): () => void {
    const fresh: Replacement = { owner, make, made: new Map(), isOff: false }
    this.#all = [...this.#all, fresh].sort((a, b) =>
      a.owner.name < b.owner.name ? -1 : Number(a.owner.name > b.owner.name),
    )
    return () => {
      this.#all = this.#all.filter((other) => other !== fresh)
    }
  }

  /** What `viewer` is served: a plugin that replaces something sees what it replaces. `check` throws for what cannot serve. */
  apply(
    original: Served,
    viewer: Owner,
    hand: (served: Served, to: Owner) => unknown,
    check: (item: unknown) => void,
  ): Served {
    let served = original
    for (const each of this.#all) {
      if (each.owner.name === viewer.name) break
      if (each.isOff || !sees(viewer, each.owner) || this.#hasNewer(each, viewer)) continue
      served = this.#make(each, served, hand, check) ?? served
    }
    return served
  }

  /** Whose replacement an item is. */
  ownerOf(item: unknown): Owner | undefined {
    return this.#all.find((each) => [...each.made.values()].includes(item))?.owner
  }

  switchOff(owner: Owner): void {
    for (const each of this.#all) if (each.owner === owner) each.isOff = true
  }

  #hasNewer({ owner }: Replacement, viewer: Owner): boolean {
    return this.#all.some((other) => {
      return other.owner.name === owner.name && other.owner.generation > owner.generation && sees(viewer, other.owner)
    })
  }

  #make(
    each: Replacement,
    inner: Served,
    hand: (served: Served, to: Owner) => unknown,
    check: (item: unknown) => void,
  ): Served | undefined {
    const { owner, make, made } = each
    if (!made.has(inner.item)) {
      try {
        const item = runAs(owner, () => make(hand(inner, owner) as never))
        check(item)
        // What was made of an item that is gone is not needed any more.
        made.clear()
        made.set(inner.item, item)
      } catch (error) {
        each.isOff = true
        this.#onError(owner, this.#place, error)
        return undefined
      }
    }
    return { item: made.get(inner.item), owner }
  }
}
