/** What a reader sees of HTML, as plain text. */
import { withEntities } from './entities.ts'
import { findHidden, type Hidden } from './hidden.ts'

/** What is in them is not shown, or was said before. */
const UNSHOWN = ['head', 'style', 'script', 'title', 'blockquote']
const BREAKS = ['br', 'p', 'div', 'tr', 'ul', 'ol', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Enough for what people write; pages full of layout lose it. In one pass, whatever the page is. */
export function fromHtml(html: string, { withHistory = false }: { readonly withHistory?: boolean } = {}): string {
  const page = new Page(findHidden(html), withHistory)
  let at = 0
  for (const match of html.matchAll(/<!--|-->|<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/gi)) {
    const [tag, slash = '', name = '', rest = ''] = match
    page.words(html.slice(at, match.index))
    page.tag({ tag, isEnd: slash !== '', name: name.toLowerCase(), rest })
    at = match.index + tag.length
  }
  page.words(html.slice(at))
  return withEntities(page.text)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

interface Tag {
  readonly tag: string
  readonly isEnd: boolean
  readonly name: string
  readonly rest: string
}

/** Classes and ids by which mail programs mark what they quote below an answer. */
const HISTORY =
  /gmail_quote|yahoo_quoted|protonmail_quote|moz-cite-prefix|divRplyFwdMsg|OutlookMessageHeader|ms-outlook-mobile-reference/i
/** Tags within them are not parsed. */
const RAW = ['style', 'script', 'title']
/** Ends a paragraph whose end is not marked. */
const BLOCKS = ['p', 'div', 'ul', 'ol', 'table', 'hr', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const VOID = ['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']

/** The visible text of a page. */
class Page {
  text = ''
  readonly #isHidden: Hidden
  readonly #withHistory: boolean
  /** What ends that which is not shown, and how many of its kind are open. */
  #within: string | undefined
  #depth = 0

  constructor(isHidden: Hidden, withHistory: boolean) {
    this.#isHidden = isHidden
    this.#withHistory = withHistory
  }

  words(words: string): void {
    if (this.#within === undefined) this.text += words.replace(/\s+/g, ' ')
  }

  tag(tag: Tag): void {
    const { isEnd, name, rest } = tag
    if (this.#within === 'p' && !isEnd && BLOCKS.includes(name)) this.#within = undefined
    if (this.#within !== undefined) this.#leave(tag, this.#within)
    else if (tag.tag === '<!--') this.#within = '-->'
    else if (!isEnd && this.#isUnshown(name, rest)) this.#enter(name)
    else if (!this.#withHistory && HISTORY.test(rest)) this.#within = 'the end'
    else this.text += toTextMark(name, isEnd)
  }

  #isUnshown(name: string, rest: string): boolean {
    const isUnshown = UNSHOWN.includes(name) && !(this.#withHistory && name === 'blockquote')
    return isUnshown || (rest !== '' && this.#isHidden(rest))
  }

  #enter(name: string): void {
    if (VOID.includes(name)) return
    this.#within = name
    this.#depth = 1
  }

  #leave({ tag, isEnd, name }: Tag, within: string): void {
    if (tag === within) this.#within = undefined
    if (name !== within || (!isEnd && RAW.includes(name))) return
    this.#depth += isEnd ? -1 : 1
    if (this.#depth === 0) this.#within = undefined
  }
}

function toTextMark(name: string, isEnd: boolean): string {
  if (name === 'li') return isEnd ? '' : '\n- '
  const isBreak = BREAKS.includes(name) && (isEnd || name === 'br' || name === 'hr')
  return isBreak ? '\n' : ''
}
