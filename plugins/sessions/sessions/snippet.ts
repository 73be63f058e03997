/** The place in a text where something was found, on one line. */
import { createMatcher } from './query.ts'

const charactersBefore = 50
const charactersAfter = 100

/** Marks every term with `>>>` and `<<<`; `…` stands where text was left out. */
export function createSnippet(text: string, terms: readonly string[]): string {
  const matcher = createMatcher(terms, 'g')
  const first = matcher.exec(text)
  const found = first?.index ?? 0
  const start = wholeCharacter(text, Math.max(0, found - charactersBefore))
  const end = wholeCharacter(text, Math.min(text.length, found + (first?.[0].length ?? 0) + charactersAfter))
  const marked = text.slice(start, end).replace(matcher, (term) => `>>>${term}<<<`)
  return `${start > 0 ? '…' : ''}${marked.replaceAll(/\s+/g, ' ').trim()}${end < text.length ? '…' : ''}`
}

/** A place that does not part the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && /^[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at
}
