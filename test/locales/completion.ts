/** Brings the table of a language up to date with the English texts, as far as that needs no translator. */

/** A table of a language: translations by their English text. */
export type Table = Readonly<Record<string, string>>

/** A table as it should be, and what was done to it. */
export interface Completion {
  /** In the order of UTF-16 code units. */
  readonly table: Table
  /** English texts without a translation; they are shown in English. */
  readonly missing: readonly string[]
  /** Texts that nothing shows any more. */
  readonly removed: readonly string[]
  /** Translations that were derived: of texts without words, and of texts of which only the mark at the end changed. */
  readonly derived: readonly string[]
}

const MARK = /[.:!?…]?$/u

/** `given` are translations of missing texts, as translators return them; empty ones count as missing. */
export function complete(english: readonly string[], present: Table, given: Table = {}): Completion {
  const shown = new Set(english)
  const removed = Object.keys(present).filter((text) => !shown.has(text))
  const renamed = new Map(removed.map((text) => [text.replace(MARK, ''), text]))
  const derived: string[] = []
  const entries: [string, string][] = []
  for (const text of shown) {
    const own = Object.hasOwn(present, text) ? present[text] : Object.hasOwn(given, text) ? given[text] : undefined
    const found = own?.trim() ? own : derivedFrom(text, present, renamed.get(text.replace(MARK, '')))
    if (found === undefined) continue
    if (found !== own) derived.push(text)
    entries.push([text, found])
  }
  const table = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
  return { table, missing: english.filter((text) => !Object.hasOwn(table, text)), removed, derived }
}

function derivedFrom(text: string, present: Table, earlier: string | undefined): string | undefined {
  if (!hasWords(text)) return text
  const translation = earlier === undefined ? undefined : present[earlier]
  if (earlier === undefined || translation === undefined) return undefined
  const [before] = MARK.exec(earlier) ?? ['']
  const [after] = MARK.exec(text) ?? ['']
  // A translation with another mark has its own reasons.
  if (before === '' ? MARK.exec(translation)?.[0] !== '' : !translation.endsWith(before)) return undefined
  return translation.slice(0, translation.length - before.length) + after
}

/** Whether there is anything to translate besides values, code and commands. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/`[^`]*`|\{[A-Za-z_]\w*\}|(?<![\p{L}\p{N}/])\/[a-z][a-z-]*/gu, ''))
}
