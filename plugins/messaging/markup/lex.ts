/** The parser `marked` (https://marked.js.org) for GitHub's Markdown, kept from what takes it too long. */
import { Lexer, type Token } from 'marked'

/** A paragraph with more marks than this is read in parts of about this length: time grows with the square of both. */
const MAX_MARKS = 300
const LONGEST_PART = 600
const MARK = /[*_~`[<]/g
/** Looking for more definitions of links than these would take longer with each. */
const MAX_LINKS = 200

/** Blocks with their content. Throws if the text is nested too deeply. */
export function tokenize(text: string): readonly Token[] {
  const lexer = new Lexer({ gfm: true })
  const blocks = lexer.blockTokens(text)
  const { links } = lexer.tokens
  for (const tag of Object.keys(links).slice(MAX_LINKS)) delete links[tag]
  // The lexer notes what is to be read within blocks instead of reading it at once.
  for (const { src, tokens } of lexer.inlineQueue)
    for (const part of splitIntoParts(src)) lexer.inlineTokens(part, tokens)
  return blocks
}

/** The whole text, or parts of it that end between lines or words. */
function splitIntoParts(text: string): string[] {
  if (text.length <= LONGEST_PART || (text.match(MARK)?.length ?? 0) <= MAX_MARKS) return [text]
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    const part = text.slice(from, from + LONGEST_PART)
    const cut = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(' ')) + 1
    const to = from + (from + part.length >= text.length || cut === 0 ? part.length : cut)
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}
