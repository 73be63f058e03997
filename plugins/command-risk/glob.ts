/** Names as the shell's patterns would find them. */

/** Longer than every name that matters. */
const MAX_PART = 64

/** Whether one path part, with `*`, `?` and `[...]` as the shell reads them, could be this name. */
export function couldBe(part: string, name: string): boolean {
  if (part.length > MAX_PART) return true
  const pattern = part.replace(/\[[^\]]*\]/g, '?').replace(/[.+^${}()|\\[\]]/g, '\\$&')
  return new RegExp(`^${pattern.replace(/\*+/g, '.*').replaceAll('?', '.')}$`).test(name)
}
