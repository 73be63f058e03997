/** A long text in pieces that a service takes, cut where one would breathe. */

const SENTENCE_END = /[.!?\u2026]["'\u00bb\u201d\u2019)\]]*\s|[\u3002\uff01\uff1f]|\n/gu
const WORD_END = /[,;:]?\s/gu

/**
 * Pieces of at most `limit` UTF-16 units, none of them blank, which together have all words of the text: cut behind the
 * last sentence that fits, else behind the last word, else within a word, but never within a character.
 */
export function cutText(text: string, limit: number): readonly string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > limit) {
    // One unit more, so that the blank behind a sentence that just fits is seen.
    const window = rest.slice(0, limit + 1)
    const at = lastEnd(window, SENTENCE_END, limit / 4) ?? lastEnd(window, WORD_END, 1) ?? withinWord(rest, limit)
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return [...pieces, rest].filter((piece) => piece !== '')
}

/** Behind the last match that leaves a piece of `least` units or more. */
function lastEnd(window: string, pattern: RegExp, least: number): number | undefined {
  const ends = [...window.matchAll(pattern)].map((match) => match.index + match[0].length)
  const end = ends.findLast((each) => each >= least)
  return end === undefined ? undefined : Math.min(end, window.length)
}

function withinWord(text: string, limit: number): number {
  const isPair = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') && /[\udc00-\udfff]/.test(text[limit] ?? '')
  return Math.max(1, isPair && limit > 1 ? limit - 1 : limit)
}
