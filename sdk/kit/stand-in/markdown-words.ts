/** The words that people see of a message in Markdown (spec.commonmark.org), for services whose apps show it. */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'

/** Within a line: code, what is escaped, links, and marks of style. */
const PIECES = [
  '(?<ticks>`+)(?<code>[\\s\\S]*?[^`])\\k<ticks>(?!`)',
  String.raw`\\(?<plain>[!-/:-@[-\x60{-~])`,
  String.raw`\[(?<label>(?:\\.|[^\]\\])+)\]\(<?(?<address>[^)\s>]+)>?\)`,
  String.raw`(?<mark>\*{1,3}|~~)`,
]
/** Marks behind an address are no part of it (github.github.com/gfm, "Autolinks"). */
const BARE = String.raw`(?<bare>https?:\/\/[^\s<>]*[^\s<>?!.,:*_~])`

/** CommonMark, GitHub's additions to it, and the program "marked", which pairs marks in its own way. @since 0.2 */
export type MarkdownDialect = 'commonmark' | 'github' | 'marked'
const LINES = {
  commonmark: new RegExp(PIECES.join('|'), 'gm'),
  github: new RegExp([BARE, ...PIECES].join('|'), 'gm'),
}

/** Characters that only keep others apart. */
const INVISIBLE = /[\u200b\u2060]/g
const REFERENCES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Without marks; what is escaped stands for itself. @since 0.2 */
export function wordsOfMarkdown(text: string, dialect: MarkdownDialect = 'commonmark'): string {
  const lexer = new Lexer({ gfm: dialect !== 'commonmark' })
  const tokens = dialect === 'marked' ? lexer.lex(text) : lexer.blockTokens(text)
  return new Reader(dialect).blocks(tokens).replace(INVISIBLE, '')
}

class Reader {
  readonly #dialect: MarkdownDialect

  constructor(dialect: MarkdownDialect) {
    this.#dialect = dialect
  }

  /** Blank lines between blocks stay. */
  blocks(tokens: readonly Token[]): string {
    // marked has no extensions here, so that its own tokens are all there are.
    const shown = (tokens as readonly MarkedToken[]).filter(({ type }) => type !== 'def')
    return shown.map((token) => this.#block(token).replace(/\n*$/, '') + lineEnds(token)).join('')
  }

  #block(token: MarkedToken): string {
    switch (token.type) {
      case 'list':
        return token.items.map((item, at) => this.#item(token, item, at) + lineEnds(item)).join('')
      case 'blockquote':
        return this.blocks(token.tokens)
      case 'table':
        return [token.header, ...token.rows].map((row) => row.map((cell) => this.#line(cell)).join(' ')).join('\n')
      case 'code':
        return token.text
      default:
        return 'text' in token ? this.#line(token) : token.raw
    }
  }

  #item({ ordered, start }: Tokens.List, { tokens }: Tokens.ListItem, at: number): string {
    const mark = ordered ? `${Number(start) + at}. ` : '- '
    return mark + this.blocks(tokens).replace(/\n(?=.)/g, '\n  ')
  }

  #line({ text, tokens }: { readonly text: string; readonly tokens?: readonly Token[] }): string {
    return this.#dialect === 'marked' ? extractWords(tokens ?? []) : wordsOfLine(text, LINES[this.#dialect])
  }
}

const lineEnds = ({ raw }: Pick<Token, 'raw'>) => /\n*$/.exec(raw)?.[0] ?? ''

function wordsOfLine(text: string, pieces: RegExp): string {
  return text.replace(pieces, (...match) => {
    const { code, plain, label, bare } = match.at(-1) as Record<string, string | undefined>
    if (label !== undefined) return wordsOfLine(label, pieces)
    return code?.replace(/^ ([\s\S]*) $/, '$1') ?? plain ?? bare ?? ''
  })
}

/** Tags are not shown. */
function extractWords(tokens: readonly Token[]): string {
  const texts = (tokens as readonly MarkedToken[]).map((token) => {
    if (token.type === 'html') return ''
    if (token.type === 'br') return '\n'
    if (token.type === 'escape' || token.type === 'codespan') return token.text
    if ('tokens' in token && token.tokens) return extractWords(token.tokens)
    return ('text' in token ? token.text : token.raw).replace(/&(\w+);/g, (all, name) => REFERENCES[name] ?? all)
  })
  return texts.join('')
}
