/** Short names of elements, `@e1`, by which the model means them. */
import { SvcError } from 'svc/sdk'
import type { BrowserTab } from 'svc/sdk/web'

/** Where an element is found again. */
export interface ElementLocation {
  readonly frameId: string
  readonly backendNodeId: number
  /** What people would call it: `button "Send"`. */
  readonly label: string
}

/** An element keeps its name as long as its page is there; a name is never given to another element. */
export class Refs {
  readonly #places = new Map<string, ElementLocation>()
  readonly #names = new Map<string, string>()
  #last = 0
  #page = -1

  /** The name of an element, new or known. */
  name(place: ElementLocation): string {
    const key = `${place.frameId}:${place.backendNodeId}`
    let name = this.#names.get(key)
    if (name === undefined) {
      this.#last += 1
      name = `e${this.#last}`
      this.#names.set(key, name)
    }
    this.#places.set(name, place)
    return `@${name}`
  }

  /** Takes `@e1`, `e1` and `[e1]`; throws `BROWSER_STALE_REF`. */
  find(ref: string): ElementLocation {
    const [name = ''] = /e\d+/.exec(ref.trim().toLowerCase()) ?? []
    const place = this.#places.get(name)
    if (place) return place
    const known = name !== '' && Number(name.slice(1)) <= this.#last
    const why = known ? `${ref} was on a page that is gone` : `There is no element ${ref}`
    throw new SvcError('BROWSER_STALE_REF', `${why}. Take a new browser_snapshot and use its refs.`)
  }

  names(): readonly string[] {
    return [...this.#places.keys()]
  }

  /** Another page is there: what was on the one before is gone. */
  turnTo(page: number): void {
    if (page === this.#page) return
    this.#page = page
    this.#places.clear()
    this.#names.clear()
  }
}

const known = new WeakMap<BrowserTab, Refs>()

/** The refs of the page that a tab shows now. */
export function getRefs(tab: BrowserTab): Refs {
  const refs = known.get(tab) ?? new Refs()
  known.set(tab, refs)
  refs.turnTo(tab.page)
  return refs
}
