/** Entries of a memory file. Pure. */

/** A separate line between entries. */
export const DELIMITER = '\n§\n'

/** The entries of a file's text; blank entries are skipped. */
export function parseEntries(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(/^[ \t]*§[ \t]*$/m)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** The text of a file. */
export function formatEntries(entries: readonly string[]): string {
  return entries.length ? `${entries.join(DELIMITER)}\n` : ''
}

/** Characters that count against the limit. */
export function countCharacters(entries: readonly string[]): number {
  return entries.join(DELIMITER).length
}

/** The least likeness, 0 to 1, at which two entries count as saying the same. */
const LIKENESS = 0.8

/** The entry that says nearly the same, if one does. Other numbers are another fact. */
export function nearDuplicate(content: string, entries: readonly string[]): string | undefined {
  const words = splitWords(content)
  return entries.find((entry) => {
    const others = splitWords(entry)
    if (!sameNumbers(words, others)) return false
    const shared = [...words].filter((word) => others.has(word)).length
    return shared / Math.max(1, words.size + others.size - shared) >= LIKENESS
  })
}

/** Letters of scripts without spaces count as words. */
function splitWords(text: string): ReadonlySet<string> {
  const plain = text.normalize('NFKC').toLowerCase()
  return new Set(plain.match(/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ?? [])
}

function sameNumbers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const numbers = (words: ReadonlySet<string>) => [...words].filter((word) => /\p{N}/u.test(word)).sort()
  return numbers(a).join(' ') === numbers(b).join(' ')
}
