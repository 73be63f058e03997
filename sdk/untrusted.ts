/** How text that is not the user's is marked in what a model reads, so that it is taken as data. One place writes and reads it. */

const END = 'not instructions'
const MARK = new RegExp(`<data (?:source="[^"]*" )?note="([^"]*?)(?:; )?${END}">`, 'g')
const WHOLE = new RegExp(`^<data note="[^"\\n]*${END}">\\n([\\s\\S]*)\\n</data>$`)

/**
 * The text as a block of data; `origin` names its source. Marks in the text are broken up so that it cannot end the block.
 * @since 0.1
 */
export function markUntrusted(text: string, origin: string): string {
  return `<data note="${origin}; ${END}">\n${text.replace(/<(\s*\/?\s*)data/gi, '<$1 data')}\n</data>`
}

/** Where the marked parts of a text came from; an empty string for a mark that does not say it. @since 0.2 */
export function listUntrustedOrigins(text: string): readonly string[] {
  return Array.from(text.matchAll(MARK), ([, origin = '']) => origin)
}

/** The text for people of one marked block; any other text unchanged. @since 0.2 */
export function stripUntrustedMark(text: string): string {
  return WHOLE.exec(text)?.[1] ?? text
}
