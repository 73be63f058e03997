/**
 * Messages with places, plurals and choices: the part of ICU MessageFormat that texts need, see
 * https://unicode-org.github.io/icu/userguide/format_parse/messages/. `{name}`, `{n, number}`,
 * `{n, plural, =0 {none} one {# file} other {# files}}`, `selectordinal`, `select`, `offset:`, `#` and quoting with `'`.
 */
import { SvcError } from 'svc/sdk'
import type { MessageValues } from 'svc/sdk/terminal'

/** A piece of a message. */
export type MessagePart =
  | string
  | { readonly kind: 'place' | 'number'; readonly name: string }
  | { readonly kind: 'count' }
  | MessageChoice

/** One of several, by a value. */
export interface MessageChoice {
  readonly kind: 'plural' | 'selectordinal' | 'select'
  readonly name: string
  readonly offset: number
  readonly cases: ReadonlyMap<string, readonly MessagePart[]>
}

/** What a piece stands in. */
type Inside = 'top' | 'plural' | 'select'

/** Fills a message. Throws `LANGUAGE_MESSAGE` for a malformed message; the placeholder of a missing value stays. */
export function formatMessage(locale: string, message: string, values: MessageValues = {}): string {
  if (!/[{}']/.test(message)) return message
  return formatParts(locale, parseMessageCached(message), values, undefined)
}

const known = new Map<string, readonly MessagePart[]>()
const MAX_KNOWN = 2000

function parseMessageCached(message: string): readonly MessagePart[] {
  let parts = known.get(message)
  if (!parts) {
    if (known.size >= MAX_KNOWN) known.clear()
    parts = parseMessage(message)
    known.set(message, parts)
  }
  return parts
}

function formatParts(
  locale: string,
  parts: readonly MessagePart[],
  values: MessageValues,
  count: number | undefined,
): string {
  return parts.map((part) => (typeof part === 'string' ? part : formatPart(locale, part, values, count))).join('')
}

function formatPart(
  locale: string,
  part: Exclude<MessagePart, string>,
  values: MessageValues,
  count: number | undefined,
): string {
  if (part.kind === 'count') return count === undefined ? '#' : numbers(locale).format(count)
  const value = Object.hasOwn(values, part.name) ? values[part.name] : undefined
  if ('cases' in part) return formatChoice(locale, part, value, values)
  if (value === undefined) return `{${part.name}}`
  return part.kind === 'place' ? String(value) : numbers(locale).format(Number(value))
}

function formatChoice(
  locale: string,
  { kind, name, offset, cases }: MessageChoice,
  value: string | number | undefined,
  values: MessageValues,
): string {
  if (kind === 'select') return formatParts(locale, chooseCase(cases, String(value)), values, undefined)
  if (value === undefined) return `{${name}}`
  const rest = Number(value) - offset
  const exact = cases.get(`=${Number(value)}`)
  return formatParts(locale, exact ?? chooseCase(cases, plurals(locale, kind).select(rest)), values, rest)
}

function chooseCase(cases: ReadonlyMap<string, readonly MessagePart[]>, name: string): readonly MessagePart[] {
  return cases.get(name) ?? cases.get('other') ?? []
}

const numberFormats = new Map<string, Intl.NumberFormat>()
const pluralRules = new Map<string, Intl.PluralRules>()

function numbers(locale: string): Intl.NumberFormat {
  return getOrCreate(numberFormats, locale, () => new Intl.NumberFormat(locale))
}

function plurals(locale: string, kind: 'plural' | 'selectordinal'): Intl.PluralRules {
  const type = kind === 'plural' ? 'cardinal' : 'ordinal'
  return getOrCreate(pluralRules, `${locale} ${type}`, () => new Intl.PluralRules(locale, { type }))
}

function getOrCreate<T>(all: Map<string, T>, key: string, make: () => T): T {
  const value = all.get(key) ?? make()
  all.set(key, value)
  return value
}

/** The pieces of a message. Throws `LANGUAGE_MESSAGE`. */
export function parseMessage(message: string): readonly MessagePart[] {
  const reader = new Reader(message)
  const parts = reader.message('top')
  if (!reader.atEnd) reader.fail('there is a } without its {')
  return parts
}

/** Reads one message from its beginning. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  fail(reason: string): never {
    throw new SvcError('LANGUAGE_MESSAGE', `The message ${JSON.stringify(this.#text)} cannot be used: ${reason}.`)
  }

  /** Up to a closing brace or the end. */
  message(inside: Inside): MessagePart[] {
    const parts: MessagePart[] = []
    while (!this.atEnd && this.#text[this.#at] !== '}') {
      const text = this.#plain(inside)
      if (text !== '') parts.push(text)
      else parts.push(this.#text[this.#at] === '#' ? this.#count() : this.#argument())
    }
    return parts
  }

  /** Up to what is more than text. `#` is a count only inside a plural. */
  #plain(inside: Inside): string {
    let text = ''
    for (let char = this.#text[this.#at]; char !== undefined; char = this.#text[this.#at]) {
      if (char === '{' || char === '}' || (char === '#' && inside === 'plural')) break
      if (char === "'") text += this.#quoted(inside)
      else {
        text += char
        this.#at++
      }
    }
    return text
  }

  /** Two apostrophes are one; before a brace one begins what is taken as it is, up to the next; else it is itself. */
  #quoted(inside: Inside): string {
    const next = this.#text[this.#at + 1] ?? ''
    if (next === "'") {
      this.#at += 2
      return "'"
    }
    this.#at++
    if (next !== '{' && next !== '}' && (next !== '#' || inside !== 'plural')) return "'"
    const [whole, inner = ''] = /((?:[^']|'')*)'?/y.exec(this.#text.slice(this.#at)) ?? ['']
    this.#at += whole.length
    return inner.replaceAll("''", "'")
  }

  #count(): MessagePart {
    this.#at++
    return { kind: 'count' }
  }

  #argument(): MessagePart {
    this.#at++
    const name = this.#word('the name of a place')
    if (this.#take('}')) return { kind: 'place', name }
    this.#need(',')
    const kind = this.#word('what is done with the place')
    if (kind === 'number') {
      this.#need('}')
      return { kind, name }
    }
    if (kind !== 'plural' && kind !== 'selectordinal' && kind !== 'select') this.fail(`it does not know "${kind}"`)
    this.#need(',')
    const offset = kind === 'select' ? 0 : this.#offset()
    const cases = this.#cases(kind === 'select' ? 'select' : 'plural')
    return { kind, name, offset, cases }
  }

  #offset(): number {
    const found = this.#match(/offset:\s*(\d+)/y)
    return found === undefined ? 0 : Number(found.replace(/\D+/, ''))
  }

  #cases(inside: 'plural' | 'select'): ReadonlyMap<string, readonly MessagePart[]> {
    const cases = new Map<string, readonly MessagePart[]>()
    while (!this.#take('}')) {
      const name = this.#match(/=\d+/y) ?? this.#word('the name of a case')
      if (cases.has(name)) this.fail(`"${name}" is there twice`)
      this.#need('{')
      cases.set(name, this.message(inside))
      if (this.#text[this.#at++] !== '}') this.fail('a } is missing')
    }
    if (!cases.has('other')) this.fail('the case "other" is missing')
    return cases
  }

  #word(what: string): string {
    return this.#match(/[\w-]+/y) ?? this.fail(`${what} is missing at "${this.#text.slice(this.#at, this.#at + 10)}"`)
  }

  #take(char: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #need(char: string): void {
    if (!this.#take(char)) this.fail(`a ${char} is missing`)
  }

  /** What stands here, after spaces. The pattern is sticky. */
  #match(pattern: RegExp): string | undefined {
    this.#skip()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at = pattern.lastIndex
    return found
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}
