/** "Did you mean": the closest of some names to what was typed. */
import { distance } from 'fastest-levenshtein'

/** The nearest name, when it is near enough that a typo is likely. */
export function findNearest(typed: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(typed.length / 3)) + 1
  for (const name of names) {
    const steps = name.startsWith(typed) && typed.length > 1 ? 1 : distance(typed, name)
    if (steps < least) [best, least] = [name, steps]
  }
  return best
}
