/** Where a line may be broken. */
import type { StyledLine } from 'svc/sdk/terminal'
import { segments } from './graphemes.ts'
import { plainCells } from './plain-characters.ts'
import { width } from './width.ts'

/** Part of one span that is kept together. */
export interface Piece {
  readonly text: string
  readonly width: number
  /** The place of its span in the line. */
  readonly span: number
}

/** What stays on one line if it can. `gap`: spaces, which go away at a break. `end`: a line feed. */
export interface Unit {
  readonly kind: 'word' | 'gap' | 'end'
  readonly pieces: Piece[]
  width: number
}

/**
 * Spaces that may be a break; those that bind are parts of words, and so is one that a mark or a joiner makes a character
 * with. The zero-width one is for nothing else.
 */
const SPACE = '[ \\t\\u1680\\u2000-\\u2006\\u2008-\\u200b\\u205f\\u3000]'
const JOINS = '(?=[\\p{M}\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200d])'
const PARTS = new RegExp(`\\n|(?:(?!${SPACE}${JOINS})${SPACE})+|(?:${SPACE}${JOINS}|(?!${SPACE})[^\\n])+`, 'gu')
const GAP = new RegExp(`^${SPACE}+$`, 'u')
/** Written without spaces: any two of these characters may be parted. */
const IDEOGRAPHIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3001-\u303f\uff01-\uff65]/u
/** Written without spaces, with words that only a dictionary knows. */
const DICTIONARY = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Never first on a line, never last: https://www.w3.org/TR/jlreq/#characters_not_starting_a_line */
const NOT_FIRST =
  /^[!%),.:;?\]}»’”‥…、。々〉》」』】〕〗〙〛〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶー・！％），．：；？］｝～]/
const NOT_LAST = /[([{«‘“〈《「『【〔〖〘〚（［｛]$/

let words: Intl.Segmenter | undefined

/** The line as units; together they are all of it. */
export function splitIntoUnits(line: StyledLine): Unit[] {
  const units: Unit[] = []
  for (const [span, { text }] of line.entries())
    for (const [run] of text.matchAll(PARTS)) {
      const kind = classifyPart(run)
      const [first = run, ...others] = kind === 'word' ? splitRun(run) : [run]
      const before = units.at(-1)
      if (before?.kind === kind && continuesUnit(before, first)) grow(before, first, span)
      else units.push(unit(kind, first, span))
      for (const part of others) units.push(unit(kind, part, span))
    }
  return units
}

function unit(kind: Unit['kind'], text: string, span: number): Unit {
  const cells = width(text)
  return { kind, pieces: [{ text, width: cells, span }], width: cells }
}

function grow(unit: Unit, text: string, span: number): void {
  const cells = width(text)
  unit.pieces.push({ text, width: cells, span })
  unit.width += cells
}

function classifyPart(part: string): Unit['kind'] {
  if (part === '\n') return 'end'
  return GAP.test(part) ? 'gap' : 'word'
}

/** Whether what the next span begins with belongs to the unit before it, which is of the same kind. */
function continuesUnit({ kind, pieces }: Unit, next: string): boolean {
  if (kind !== 'word') return kind === 'gap'
  const before = pieces.at(-1)?.text ?? ''
  const isBreak = IDEOGRAPHIC.test(last(before)) || IDEOGRAPHIC.test(first(next))
  return !isBreak || NOT_FIRST.test(next) || NOT_LAST.test(before)
}

const first = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 0)
const last = (text: string) => text.slice(-1)

/** A run without spaces, as parts that may stand on different lines. */
function splitRun(run: string): readonly string[] {
  if (isAscii(run)) return [run]
  if (DICTIONARY.test(run)) return dictionaryWords(run)
  return IDEOGRAPHIC.test(run) ? ideographs(run) : [run]
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7e || plainCells(unit) === 0) return false
  }
  return true
}

function ideographs(run: string): string[] {
  const parts: string[] = []
  let wasIdeographic = false
  for (const grapheme of segments(run)) {
    const isIdeographic = IDEOGRAPHIC.test(grapheme)
    const before = parts.at(-1)
    const isBreak = isIdeographic || wasIdeographic
    wasIdeographic = isIdeographic
    if (before === undefined || (isBreak && !NOT_FIRST.test(grapheme) && !NOT_LAST.test(before))) parts.push(grapheme)
    else parts[parts.length - 1] = before + grapheme
  }
  return parts
}

function dictionaryWords(run: string): string[] {
  words ??= new Intl.Segmenter('th', { granularity: 'word' })
  const parts: string[] = []
  for (const { segment, isWordLike } of words.segment(run)) {
    if (isWordLike || parts.length === 0) parts.push(segment)
    else parts[parts.length - 1] += segment
  }
  return parts
}
