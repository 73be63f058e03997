/** "Did you mean": the closest of some names to what was typed. */
import { distance } from 'fastest-levenshtein'

/** The nearest name, when it is near enough that a slip is likely. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3))
  const ranked = names.map((name) => ({ name, steps: distance(typed.toLowerCase(), name.toLowerCase()) }))
  const [best] = ranked.filter(({ steps }) => steps <= limit).toSorted((a, b) => a.steps - b.steps)
  return best?.name
}
