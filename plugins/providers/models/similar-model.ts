/** The served model whose id is most like another one: for a model that was retired, or whose name was misspelt. */
import { distance } from 'fastest-levenshtein'

/** A quarter of the words at least: `claude-3-opus` is not like `gpt-4o`. */
const LEAST = 0.25

/** Ids are compared by their words first (`gpt`, `4o`, `mini`), then letter by letter. Undefined when none is like it. */
export function mostSimilar(model: string, served: readonly string[]): string | undefined {
  const words = splitWords(model)
  const rated = served.map((id) => ({ id, likeness: likeness(words, splitWords(id)), steps: distance(model, id) }))
  const [best] = rated
    .filter(
      ({ id, likeness: share, steps }) => id !== model && (share >= LEAST || steps <= Math.max(2, model.length / 4)),
    )
    .toSorted((one, two) => two.likeness - one.likeness || one.steps - two.steps)
  return best?.id
}

/** Dates and numbers of builds say nothing about what a model is. */
function splitWords(id: string): ReadonlySet<string> {
  return new Set(
    id
      .toLowerCase()
      .split(/[^a-z0-9.]+/)
      .filter((word) => word !== '' && !/^\d{3,}$/.test(word)),
  )
}

/** The share of the words that both have; names count, a lone version does not. */
function likeness(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => two.has(word))
  if (!shared.some((word) => /[a-z]/.test(word))) return 0
  return shared.length / (one.size + two.size - shared.length)
}
