/** The typed search query, and how it limits what SQLite has to read. */
import type { Message } from 'svc/sdk'
import type { SqlValue } from 'svc/sdk/storage'

/** Conditions on rows of messages. They hold for every hit, and for some other rows. */
export interface Narrowing {
  /** For `message_index MATCH ?`; undefined when no term is long enough for the index. */
  readonly match: string | undefined
  /** Conditions on `m.data`, to be joined by AND. */
  readonly conditions: readonly string[]
  readonly values: readonly SqlValue[]
}

/** The index knows three characters in a row. */
const gram = 3
/** More would not make the rest smaller; whatever a query is, SQLite gets a short statement. */
const gramLimit = 64
const shortTermLimit = 8
/** Checked in SQLite as well, so that what the index proposes wrongly is not read and parsed: more would not help. */
const longTermLimit = 8
/** A longer term is looked for in pieces, and of more terms only the first count: expressions have a limit, too. */
const termLength = 500
const termLimit = 100
const pieceOfTerm = new RegExp(`[^]{1,${termLength}}`, 'gu')

/** Words, and texts in double quotes, which may hold blanks. Each of them is a part of the query as it was typed. */
export function parseTerms(query: string): string[] {
  const terms = new Set<string>()
  for (const match of query.matchAll(/(?<=^|\s)"([^"]+)"(?=\s|$)|\S+/gu)) {
    for (const [piece] of (match[1] ?? match[0]).matchAll(pieceOfTerm)) terms.add(piece)
    if (terms.size >= termLimit) break
  }
  return [...terms].slice(0, termLimit)
}

/** What of a message is searched. The view `message_texts` says the same in SQL. */
export function searchableText(message: Message): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return [message.text, ...calls.map(({ name, input }) => `${name} ${asText(input)}`)].join('\n')
}

function asText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
}

/** Finds a term in any case, at any place. */
export function createMatcher(terms: readonly string[], flags: '' | 'g' = ''): RegExp {
  const longestFirst = [...terms].sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(escaped.join('|'), `iu${flags}`)
}

export function narrow(terms: readonly string[]): Narrowing {
  const long = terms.filter((term) => [...term].length >= gram)
  const short = terms.filter((term) => [...term].length < gram).slice(0, shortTermLimit)
  const patterns = short.map(createTermPatterns)
  const plain = long.filter((term) => PLAIN.test(term)).slice(0, longTermLimit)
  return {
    match: long.length > 0 ? createMatchQuery(long) : undefined,
    conditions: [
      ...patterns.map((each) => `(${each.map(() => like).join(' OR ')})`),
      ...plain.map((term) => `(${[like, ...createExceptions(term)].join(' OR ')})`),
    ],
    values: [...patterns.flat(), ...plain.map(createLikePattern)],
  }
}

/** JSON spells these characters as they are. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/
const like = "m.data LIKE ? ESCAPE '\\'"

/**
 * Where a plain term can stand in a message although its JSON does not have it: LIKE does not know that the long s and the
 * Kelvin sign are the other case of s and k, and the name of a tool and its input are searched as one text.
 */
function createExceptions(term: string): string[] {
  return [
    ...(/s/i.test(term) ? ["instr(m.data, '\u017f')"] : []),
    ...(/k/i.test(term) ? ["instr(m.data, '\u212a')"] : []),
    ...(term.includes(' ') ? [`instr(m.data, '"toolCalls":')`] : []),
  ]
}

function createLikePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** All three-character pieces, each quoted, so nothing in it is syntax. */
function createMatchQuery(terms: readonly string[]): string {
  const grams = terms.flatMap((term) => {
    const characters = [...term.replaceAll('\0', '\ufffd')]
    return characters.slice(gram - 1).map((_, at) => characters.slice(at, at + gram).join(''))
  })
  const pieces = [...new Set(grams)].map((piece) => `"${piece.replaceAll('"', '""')}"`)
  const step = Math.max(1, pieces.length / gramLimit)
  return pieces.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).join(' ')
}

/** How a short term may stand in the JSON of a message. LIKE itself takes both cases of ASCII letters for one. */
function createTermPatterns(term: string): string[] {
  const cased = [...term].map((character) => [character, character.toLowerCase(), character.toUpperCase()])
  const spelled = cased.reduce<string[]>((starts, next) => starts.flatMap((start) => next.map((c) => start + c)), [''])
  const stored = spelled.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
  return [...new Set(stored.map(createLikePattern))]
}
