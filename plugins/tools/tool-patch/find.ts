/** Finds the text to be replaced: exactly, or as a model may have miscopied it. From strict to lenient; pure. */
import { distance } from 'fastest-levenshtein'
import type { LineText } from './line-text.ts'

/** Larger texts are searched exactly only: likeness is dear. */
const MAX_LINES = 50_000
/** Of each line this much is compared. */
const COMPARED = 400
/** The least likeness, 0 to 1, of the lines between two that are the same. */
const BETWEEN_ANCHORS = 0.6
/** The least likeness of a block without any. */
const BLOCK = 0.85

/** A piece of the file. */
export interface Match {
  readonly start: number
  readonly end: number
  /** The number of its first line. */
  readonly line: number
  /** What the file has before its first line, and the wanted text before its own; both undefined when that counts not. */
  readonly indent?: { readonly wanted: string; readonly there: string }
}

/** Where the text is. */
export interface Finding {
  readonly matches: readonly Match[]
  /** How it was found: undefined when exactly, else to be told. */
  readonly how?: string
  /** The text was written with escapes; so is the one to be put there. */
  readonly escaped?: true
  /** Only by likeness: several places must not be replaced. */
  readonly guessed?: true
}

/** Finds a text; undefined when nothing is near enough. */
export function find(file: LineText, wanted: string): Finding | undefined {
  const exact = findExactly(file, wanted)
  if (exact.length > 0) return { matches: exact }
  const lines = splitLines(wanted)
  const byLines = findByLines(file, lines)
  if (byLines) return byLines
  const plain = withoutEscapes(wanted)
  const escaped = plain === wanted ? [] : findExactly(file, plain)
  if (escaped.length > 0) return { matches: escaped, how: 'with escapes taken as characters', escaped: true }
  const inner = trimBlank(lines)
  const trimmed = inner.length > 0 && inner.length < lines.length ? findByLines(file, inner) : undefined
  if (trimmed) return { ...trimmed, how: 'without blank lines around it' }
  return inner.length > 0 && file.lines.length <= MAX_LINES ? findAlike(file, inner) : undefined
}

/** Escapes as characters. */
export function withoutEscapes(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '',
    '"': '"',
    "'": "'",
    '`': '`',
    '\\': '\\',
  }
  return text.replace(/\\([ntr"'`\\])/g, (_, sign: string) => characters[sign] ?? '')
}

/** A place that is not like enough, to be shown. */
export interface Near {
  readonly line: number
  readonly lines: readonly string[]
  /** 0 to 1. */
  readonly likeness: number
}

/** The place most like the text; undefined when nothing is like it at all. */
export function findNearest(file: LineText, wanted: string): Near | undefined {
  const lines = trimBlank(splitLines(wanted))
  const [first = ''] = lines
  if (lines.length === 0 || file.lines.length > MAX_LINES) return undefined
  const scored = file.lines.map((line, at) => ({ at, likeness: alike(line, first) }))
  const best = scored.sort((a, b) => b.likeness - a.likeness || a.at - b.at).slice(0, 8)
  const near = best.map(({ at }): Near => {
    const there = file.lines.slice(at, at + lines.length)
    return {
      line: at + 1,
      lines: there,
      likeness: average(lines.map((line, index) => alike(line, there[index] ?? ''))),
    }
  })
  const [nearer] = near.sort((a, b) => b.likeness - a.likeness || a.line - b.line)
  return nearer && nearer.likeness >= 0.4 ? nearer : undefined
}

function findExactly(file: LineText, wanted: string): Match[] {
  const matches: Match[] = []
  if (wanted === '') return matches
  for (let at = file.plain.indexOf(wanted); at !== -1; at = file.plain.indexOf(wanted, at + wanted.length))
    matches.push({ start: at, end: at + wanted.length, line: lineAt(file, at) })
  return matches
}

/** The number of the line that holds a place. */
function lineAt({ starts }: LineText, place: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return Math.max(1, low)
}

/** Ways to see a line that is not there as it was written, from strict to lenient. */
export const VIEWS: readonly (readonly [how: string, view: (line: string) => string])[] = [
  ['with other white space at the ends of lines', (line) => line.trimEnd()],
  ['with another indentation', (line) => line.trim()],
  ['with other white space', (line) => line.trim().replace(/\s+/gu, ' ')],
  ['with other quotes, dashes or spaces', foldSigns],
]

function foldSigns(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\u2026/g, '...')
    .replace(/[\u200b\ufeff]/g, '')
    .trim()
    .replace(/\s+/gu, ' ')
}

function findByLines(file: LineText, wanted: readonly string[]): Finding | undefined {
  if (wanted.every((line) => line.trim() === '')) return undefined
  for (const [how, view] of VIEWS) {
    const goal = wanted.map(view)
    const there = file.lines.map(view)
    const matches: Match[] = []
    for (let at = 0; at + goal.length <= there.length; at++) {
      if (!goal.every((line, index) => line === there[at + index])) continue
      matches.push(block(file, at, goal.length, wanted))
      at += goal.length - 1
    }
    if (matches.length > 0) return { matches, how }
  }
  return undefined
}

function findAlike(file: LineText, wanted: readonly string[]): Finding | undefined {
  const anchored = wanted.length >= 3 ? findAnchored(file, wanted) : []
  if (anchored.length > 0) return { matches: anchored, how: 'by its first and last line', guessed: true }
  const matches: Match[] = []
  for (let at = 0; at + wanted.length <= file.lines.length; at++)
    if (likenessAt(file, at, wanted, BLOCK) >= BLOCK) matches.push(block(file, at, wanted.length, wanted))
  return matches.length > 0 ? { matches, how: 'by likeness', guessed: true } : undefined
}

/** Blocks whose first and last lines are the wanted ones, with somewhat other lines between them, perhaps one more or less. */
function findAnchored(file: LineText, wanted: readonly string[]): Match[] {
  const [first, last] = [wanted[0]?.trim(), wanted.at(-1)?.trim()]
  const matches: Match[] = []
  for (let at = 0; at < file.lines.length; at++) {
    if (file.lines[at]?.trim() !== first) continue
    for (const length of [wanted.length, wanted.length + 1, wanted.length - 1]) {
      if (length < 2 || file.lines[at + length - 1]?.trim() !== last) continue
      const [between, there] = [wanted.slice(1, -1), file.lines.slice(at + 1, at + length - 1)]
      if (measureLikeness(between, there) < BETWEEN_ANCHORS) continue
      matches.push(block(file, at, length, wanted))
      break
    }
  }
  return matches
}

/** The mean likeness of the lines; given up, with 0, as soon as it cannot reach what is needed. */
function likenessAt(file: LineText, at: number, wanted: readonly string[], needed: number): number {
  let missing = (1 - needed) * wanted.length
  for (const [index, line] of wanted.entries()) {
    missing -= 1 - alike(line, file.lines[at + index] ?? '')
    if (missing < 0) return 0
  }
  return needed + missing / wanted.length
}

function measureLikeness(one: readonly string[], two: readonly string[]): number {
  const [short, long] = one.length <= two.length ? [one, two] : [two, one]
  if (long.length === 0) return 1
  const best = short.map((line) => Math.max(0, ...long.map((other) => alike(line, other))))
  return best.reduce((sum, each) => sum + each, 0) / long.length
}

/** 0 to 1. */
function alike(one: string, two: string): number {
  const [a, b] = [one.trim().slice(0, COMPARED), two.trim().slice(0, COMPARED)]
  if (a === b) return 1
  const longer = Math.max(a.length, b.length)
  if (Math.min(a.length, b.length) * 3 < longer) return 0
  return 1 - distance(a, b) / longer
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length)
}

function block(file: LineText, at: number, length: number, wanted: readonly string[]): Match {
  const lastLine = at + length - 1
  const isText = (line: string) => line.trim() !== ''
  const there = getIndent(file.lines.slice(at, at + length).find(isText) ?? '')
  return {
    start: file.starts[at] ?? 0,
    end: (file.starts[lastLine] ?? 0) + (file.lines[lastLine] ?? '').length,
    line: at + 1,
    indent: { wanted: getIndent(wanted.find(isText) ?? ''), there },
  }
}

function getIndent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function splitLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}
