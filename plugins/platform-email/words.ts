/** What somebody wrote in a mail, without what mail programs put around it. */

const MOST_CHARACTERS = 200_000

/** The words of a mail: its plain text, or its HTML as plain text; without quoted history and signature. */
export function wordsOf(mail: { readonly text?: string | undefined; readonly html?: string | undefined }): string {
  const text = mail.text?.trim() ? mail.text : fromHtml(mail.html ?? '')
  const words = withoutHistory(text.slice(0, MOST_CHARACTERS * 2).replace(/\r\n?/g, '\n'))
  return words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS)}\n[the rest was cut off]` : words
}

/** Begins what mail programs quote below an answer, in the languages they speak most. */
const ATTRIBUTION =
  /^(?:On\b.{5,300}\bwrote:|Am\b.{5,300}\bschrieb\b.{0,200}:|Le\b.{5,300}\ba écrit\s?:|El\b.{5,300}\bescribió:|Il\b.{5,300}\bha scritto:)$/s
const SEPARATOR = /^(?:-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Forwarded message)\s*-{2,}|_{20,})$/i

/** Answers between quoted lines stay with what they answer to. */
export function withoutHistory(text: string): string {
  const lines = text.split('\n')
  const signature = lines.indexOf('-- ')
  const body = signature >= 0 ? lines.slice(0, signature) : lines
  const quotedUpTo = firstOfQuoted(body)
  const at = body.findIndex((_line, index) => isHistory(body, index, quotedUpTo))
  const kept = at >= 0 ? body.slice(0, at) : body
  while (kept.length > 0 && /^\s*(>.*)?$/.test(kept.at(-1) ?? '')) kept.pop()
  return kept.join('\n').trim()
}

/** From this line on there is nothing but quoted lines, blank ones, and ends of attributions. */
function firstOfQuoted(lines: readonly string[]): number {
  let at = lines.length
  while (at > 0 && /^(>.*)?$|:$/.test(lines[at - 1]?.trim() ?? '')) at--
  return at
}

function isHistory(lines: readonly string[], index: number, quotedUpTo: number): boolean {
  const line = lines[index]?.trim() ?? ''
  const next = lines[index + 1]?.trim() ?? ''
  if (SEPARATOR.test(line)) return line.startsWith('-') || /^From:/.test(next || (lines[index + 2]?.trim() ?? ''))
  if (index + 1 < quotedUpTo) return ATTRIBUTION.test(`${line} ${next}`) && index + 2 >= quotedUpTo
  return ATTRIBUTION.test(line) || ATTRIBUTION.test(`${line} ${next}`)
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', zwnj: '', hellip: '…' },
  ...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', euro: '€' },
}

/** What is in them is not shown, or was said before. */
const UNSHOWN = ['head', 'style', 'script', 'title', 'blockquote']
const BREAKS = ['br', 'p', 'div', 'tr', 'ul', 'ol', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Enough for what people write; pages full of layout lose it. In one pass, whatever the page is. */
export function fromHtml(html: string): string {
  const page = new Page()
  let at = 0
  for (const match of html.matchAll(/<!--|-->|<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/gi)) {
    const [tag, slash = '', name = '', rest = ''] = match
    page.words(html.slice(at, match.index))
    page.tag({ tag, isEnd: slash !== '', name: name.toLowerCase(), rest })
    at = match.index + tag.length
  }
  page.words(html.slice(at))
  return page.text
    .replace(/&(#x[0-9a-f]{1,8}|#\d{1,8}|[a-z]{1,20});/gi, (whole, name: string) => entity(name) ?? whole)
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

/** What a reader sees of a page, as it goes by. */
class Page {
  text = ''
  /** What ends that which is not shown. */
  #within: string | undefined

  words(words: string): void {
    if (this.#within === undefined) this.text += words.replace(/\s+/g, ' ')
  }

  tag({ tag, isEnd, name, rest }: Tag): void {
    if (this.#within !== undefined) {
      if (tag === this.#within || (isEnd && name === this.#within)) this.#within = undefined
    } else if (tag === '<!--') this.#within = '-->'
    else if (!isEnd && UNSHOWN.includes(name)) this.#within = name
    else if (rest.includes('gmail_quote')) this.#within = 'the end'
    else this.text += markOf(name, isEnd)
  }
}

function markOf(name: string, isEnd: boolean): string {
  if (name === 'li') return isEnd ? '' : '\n- '
  const isBreak = BREAKS.includes(name) && (isEnd || name === 'br' || name === 'hr')
  return isBreak ? '\n' : ''
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()]
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
