/** The parser, for one part of a text at a time. */
import { Lexer, type Links, type MarkedToken, type Token } from 'marked'

export type { Links, MarkedToken, Tokens } from 'marked'

/** Looking for more definitions than these would take longer with each. */
const MAX_LINKS = 200

/** Blocks of a part. Definitions of links in it are added to `links`, and those that are there are known. */
export function lexBlocks(text: string, links: Links): readonly MarkedToken[] {
  const lexer = new Lexer({ gfm: true })
  lexer.tokens.links = links
  try {
    return asMarkedTokens(lexer.lex(text))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Nested too deeply for the parser: shown as it was written.
    return [{ type: 'html', raw: text, text, pre: false, block: true }]
  } finally {
    for (const tag of Object.keys(links).slice(MAX_LINKS)) delete links[tag]
  }
}

/** What stands within a block. */
export function lexInline(text: string, links: Links): readonly MarkedToken[] {
  const lexer = new Lexer({ gfm: true })
  lexer.tokens.links = links
  try {
    return asMarkedTokens(lexer.inlineTokens(text))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [{ type: 'escape', raw: text, text }]
  }
}

/** The tokens of the parser itself: it has no extensions here. */
export const asMarkedTokens = (tokens: readonly Token[] = []): readonly MarkedToken[] =>
  tokens as readonly MarkedToken[]
