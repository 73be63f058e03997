/** Answers without content: empty ones, or the phrase by which a model says that it has nothing to say. */

const TOKENS: ReadonlySet<string> = new Set(['NO_REPLY', '[SILENT]'])

/** Only a whole answer is one: in a sentence the words are words. */
export function isSilent(text: string): boolean {
  const said = text.trim()
  return said === '' || TOKENS.has(said)
}
