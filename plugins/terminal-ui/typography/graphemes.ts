/** What a person sees as one character each. */
import { plainWidth } from './plain-characters.ts'

// Made when first needed: that takes longer than most texts.
let segmenter: Intl.Segmenter | undefined

/** Contract: `TextLayout.graphemes`. */
export function graphemes(text: string): readonly string[] {
  return plainWidth(text) === undefined ? [...segments(text)] : text.split('')
}

/** Lazily, for callers that may stop early. */
export function* segments(text: string): Generator<string, void> {
  if (plainWidth(text) !== undefined) {
    yield* text
    return
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}
