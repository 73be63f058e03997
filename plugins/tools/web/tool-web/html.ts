/** HTML read in one pass, without a tree: how complex it is, and its text where a tree would cost too much. */

/** A piece of HTML; `end` is where the next begins. */
interface Token {
  readonly kind: 'text' | 'open' | 'close' | 'dropped'
  /** The element, in lower case; empty for text. */
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A page that a tree may be built of, and whether one should. */
export interface Measured {
  /** Without scripts, styles, drawings and comments. */
  readonly lean: string
  readonly isBearable: boolean
}

const MAX_CHARACTERS = 2_000_000
const MAX_ELEMENTS = 30_000
const MAX_DEPTH = 200

const dropped: ReadonlySet<string> = new Set(['script', 'style', 'svg', 'template', 'iframe', 'noframes', 'canvas'])
/** Void elements. */
const shallow: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr p li td th tr dt dd option optgroup tbody thead tfoot colgroup rp rt html head body'.split(
    ' ',
  ),
)
/** Elements that the parser opens again in the next block when they were not closed. */
const formats: ReadonlySet<string> = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup tt u var wbr'.split(
    ' ',
  ),
)
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  copy: '©',
  gt: '>',
  hellip: '…',
  laquo: '«',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rdquo: '”',
  rsquo: '’',
}

/** How many elements a tree would have and how deep it would be, counted as the tags come. */
class Census {
  #open = new Map<string, number>()
  #depth = 0
  #formats = 0
  deepest = 0
  elements = 0
  hasCrowdedTag = false

  opened(name: string, tag: string): void {
    // Formats that are left open are reconstructed inside the following element (HTML, 13.2.4.3).
    this.elements += 1 + this.#formats
    this.hasCrowdedTag ||= tag.length > 2000 && countAttributes(tag) > 200
    this.#count(name, 1)
  }

  closed(name: string): void {
    if (this.#open.get(name)) this.#count(name, -1)
  }

  #count(name: string, change: number): void {
    if (shallow.has(name)) return
    this.#open.set(name, (this.#open.get(name) ?? 0) + change)
    this.#depth += change
    if (formats.has(name)) this.#formats += change
    this.deepest = Math.max(this.deepest, this.#depth)
  }
}

export function measure(html: string): Measured {
  const parts: string[] = []
  const census = new Census()
  for (const { kind, name, start, end } of tokens(html)) {
    if (kind === 'dropped') continue
    const piece = html.slice(start, end)
    parts.push(piece)
    if (kind === 'open') census.opened(name, piece)
    if (kind === 'close') census.closed(name)
  }
  const lean = parts.join('')
  const { elements, deepest, hasCrowdedTag } = census
  const isSmall = lean.length <= MAX_CHARACTERS && elements <= MAX_ELEMENTS && !hasCrowdedTag
  return { lean, isBearable: isSmall && deepest <= MAX_DEPTH }
}

function countAttributes(tag: string): number {
  return tag.replace(/"[^"]*"|'[^']*'/g, ' ').split(/[\s/]+/).length
}

/** The text of a page without its title, one line a block. */
export function plainText(html: string): string {
  const parts: string[] = []
  let isTitle = false
  for (const { kind, name, start, end } of tokens(html)) {
    if (name === 'title') isTitle = kind === 'open'
    if (kind === 'text' && !isTitle) parts.push(html.slice(start, end).replace(/\s+/g, ' '))
    if (name !== '' && !inline.has(name)) parts.push('\n')
  }
  return withCharacters(parts.join(''))
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** What stands in `<title>`; empty if missing. */
export function extractTitle(html: string): string {
  const start = html.slice(0, 200_000).search(/<title[\s>]/i)
  if (start < 0) return ''
  const from = html.indexOf('>', start) + 1
  const to = html.indexOf('</', from)
  if (from === 0 || to < 0) return ''
  return withCharacters(html.slice(from, Math.min(to, from + 1000)))
    .replace(/\s+/g, ' ')
    .trim()
}

function* tokens(html: string): Generator<Token> {
  let at = 0
  while (at < html.length) {
    const token = html[at] === '<' ? tagAt(html, at) : undefined
    if (token) {
      yield token
      at = token.end
      continue
    }
    const next = html.indexOf('<', at + 1)
    const end = next < 0 ? html.length : next
    yield { kind: 'text', name: '', start: at, end }
    at = end
  }
}

/** The tag, comment or whole dropped element that begins here; undefined when a `<` is only a character. */
function tagAt(html: string, start: number): Token | undefined {
  if (html.startsWith('<!--', start))
    return { kind: 'dropped', name: '', start, end: findAfter(html, '-->', start + 4) }
  const code = html.charCodeAt(start + 1)
  if (code === 33 || code === 63) return { kind: 'dropped', name: '', start, end: findAfter(html, '>', start) }
  const found = tagName(html, start)
  if (!found) return undefined
  const { name, isClose } = found
  const end = tagEnd(html, start)
  if (!dropped.has(name)) return { kind: isClose ? 'close' : 'open', name, start, end }
  return { kind: 'dropped', name, start, end: isClose ? end : findClose(html, name, end) }
}

function tagName(html: string, start: number): { readonly name: string; readonly isClose: boolean } | undefined {
  const found = /^<(\/?)([a-z][a-z0-9:-]{0,40})/i.exec(html.slice(start, start + 50))
  return found ? { name: (found[2] ?? '').toLowerCase(), isClose: found[1] === '/' } : undefined
}

/** Behind the `>` that ends a tag: not one in quotes. A tag that does not end goes to the end of the page. */
function tagEnd(html: string, start: number): number {
  const mark = /[>"']/g
  mark.lastIndex = start
  for (let found = mark.exec(html); found; found = mark.exec(html)) {
    if (found[0] === '>') return found.index + 1
    // A quote counts only where a value begins.
    if (!/=\s*$/.test(html.slice(Math.max(start, found.index - 20), found.index))) continue
    const close = html.indexOf(found[0], found.index + 1)
    if (close < 0) return html.length
    mark.lastIndex = close + 1
  }
  return html.length
}

/** Behind `</name>`; without one, the rest of the page belongs to the element. */
function findClose(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  close.lastIndex = from
  const found = close.exec(html)
  return found ? tagEnd(html, found.index) : html.length
}

function findAfter(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? html.length : at + mark.length
}

function withCharacters(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,8}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole
      const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
