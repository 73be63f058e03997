/** Cells of a terminal that a text takes. */
import { eastAsianWidth } from 'get-east-asian-width'
import type { StyledLine } from 'svc/sdk/terminal'
import { segments } from './graphemes.ts'
import { plainWidth } from './plain-characters.ts'
import { Recent } from './recent-cache.ts'

/** Takes no cell: marks above or below, joiners, selectors, controls, and jamo that complete a syllable. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u1160-\u11ff\u{d7b0}-\u{d7fb}]$/u
/** Format characters that are drawn: https://www.unicode.org/reports/tr44/#Prepended_Concatenation_Mark */
const DRAWN = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u
/** Selectors of a presentation: https://www.unicode.org/reports/tr51/#Emoji_Variation_Sequences */
const AS_EMOJI = /^(?:(?![#*0-9])\p{Emoji}|[#*0-9](?=\ufe0f?\u20e3))\ufe0f/u
const AS_TEXT = /^\p{Emoji}\ufe0e/u

const clusters = new Recent<number>(4_096)
const texts = new Recent<number>(2_048)
const REMEMBERED_LENGTH = 200

/** Contract: `TextLayout.width`. Controls take nothing: they belong to `clean`. */
export function width(text: string): number {
  return plainWidth(text) ?? (text.length > REMEMBERED_LENGTH ? sum(text) : texts.get(text, sum))
}

/** Contract: `TextLayout.lineWidth`. */
export function lineWidth(line: StyledLine): number {
  let cells = 0
  for (const { text } of line) cells += width(text)
  return cells
}

/** Cells of one grapheme. */
export function graphemeWidth(grapheme: string): number {
  return plainWidth(grapheme) ?? clusters.get(grapheme, measure)
}

function sum(text: string): number {
  let cells = 0
  for (const grapheme of segments(text)) cells += graphemeWidth(grapheme)
  return cells
}

/**
 * What its characters take together, at most 2: the parts of an emoji share its two cells, and a terminal that does not
 * join the letters of a syllable comes to the same as one that does.
 */
function measure(grapheme: string): number {
  if (AS_TEXT.test(grapheme)) return 1
  if (AS_EMOJI.test(grapheme)) return 2
  let cells = 0
  for (const character of grapheme) cells += characterWidth(character)
  return Math.min(cells, 2)
}

function characterWidth(character: string): number {
  if (ZERO.test(character) && !DRAWN.test(character)) return 0
  return eastAsianWidth(character.codePointAt(0) ?? 0)
}
