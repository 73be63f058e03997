/** What a path with `*`, `?`, `[...]` could be. */
import { couldBe } from './sensitive-paths.ts'

/** How a pattern may lie to a folder: `in` it (or the folder itself), `above` it, or neither. */
export function mayLie(pattern: string, folder: string): 'in' | 'above' | 'apart' {
  const ours = pattern.toLowerCase().split('/').filter(Boolean)
  const theirs = folder.toLowerCase().split('/').filter(Boolean)
  for (const [at, name] of theirs.entries()) {
    const part = ours[at]
    if (part === undefined) return 'above'
    if (part === '**') return 'in'
    if (!fits(part, name)) return 'apart'
  }
  return 'in'
}

/** As a shell does: `*` alone does not match a name that begins with a dot. */
export function fits(part: string, name: string): boolean {
  if (!/[*?[\]]/.test(part)) return part === name
  if (name.startsWith('.') && !part.startsWith('.')) return false
  return couldBe(part, name)
}
