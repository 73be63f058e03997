/** How often skills are read and used. Counted in memory and written once a minute, not with each prompt. */
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'

const counts = z.object({
  views: z.number(),
  uses: z.number(),
  lastAt: z.number(),
})
/** Of one skill. A view: a model read it; a use: a person, a route or a bundle named it. */
export type SkillCounts = z.infer<typeof counts>

export const usageBook = z.object({
  skills: z.record(z.string(), counts),
})
export type UsageBook = z.infer<typeof usageBook>
export const EMPTY_USAGE: UsageBook = { skills: {} }

/** Names that are kept; those that were used longest ago are forgotten. */
const MAX_NAMES = 2000

export class UsageCounter {
  readonly #state: PluginState<UsageBook>
  readonly #now: () => number
  readonly #saveLater: () => void
  #fresh: Map<string, SkillCounts> = new Map()

  /** `saveLater` is called with the first count since the last `save`. */
  constructor(state: PluginState<UsageBook>, now: () => number, saveLater: () => void) {
    this.#state = state
    this.#now = now
    this.#saveLater = saveLater
  }

  note(name: string, what: 'views' | 'uses'): void {
    if (this.#fresh.size === 0) this.#saveLater()
    const known = this.#fresh.get(name) ?? { views: 0, uses: 0, lastAt: 0 }
    this.#fresh.set(name, { ...known, [what]: known[what] + 1, lastAt: this.#now() })
  }

  /** Adds what was counted to what is on disk; nothing is written when nothing was. */
  async save(): Promise<void> {
    const fresh = this.#fresh
    if (fresh.size === 0) return
    this.#fresh = new Map()
    await this.#state.update((book) => add(book, fresh))
  }

  /** With what is not written yet. */
  read(): UsageBook {
    return add(this.#state.get(), this.#fresh)
  }
}

function add({ skills }: UsageBook, fresh: ReadonlyMap<string, SkillCounts>): UsageBook {
  const all = new Map(Object.entries(skills))
  for (const [name, { views, uses, lastAt }] of fresh) {
    const before = all.get(name) ?? { views: 0, uses: 0, lastAt: 0 }
    all.set(name, { views: before.views + views, uses: before.uses + uses, lastAt: Math.max(before.lastAt, lastAt) })
  }
  const kept = [...all].sort(([, one], [, two]) => two.lastAt - one.lastAt).slice(0, MAX_NAMES)
  return { skills: Object.fromEntries(kept) }
}
