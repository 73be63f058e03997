/** "Did you mean": the closest of some names to what was typed. */

import { distance } from 'fastest-levenshtein'
import { SvcError } from '../../errors.ts'

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

/** `PLUGIN_UNKNOWN` with the nearest of the names that there are. */
export function unknownPlugin(name: string, names: readonly string[]): SvcError {
  const close = findNearest(name, names)
  const hint = close ? ` Did you mean ${close}?` : ''
  return new SvcError('PLUGIN_UNKNOWN', `There is no plugin "${name}".${hint} \`svc plugins\` lists them.`)
}
