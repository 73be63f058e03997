/** From text with marks to a text and ranges, counted in UTF-16 units as Signal counts them. */
import { markAt, type Style } from './markup.ts'

export interface StyledText {
  readonly text: string
  /** As signal-cli wants them: `start:length:STYLE`. */
  readonly styles: readonly string[]
}

/** Styles may stand in one another. One that is not ended lasts to the end; one that was not begun is passed over. */
export function parseStyled(marked: string): StyledText {
  let text = ''
  const open: { readonly style: Style; readonly start: number }[] = []
  const styles: string[] = []
  const end = (at: number) => {
    const [range] = open.splice(at, 1)
    if (range && text.length > range.start) styles.push(`${range.start}:${text.length - range.start}:${range.style}`)
  }
  for (let at = 0; at < marked.length; at++) {
    const mark = markAt(marked.charCodeAt(at))
    if (!mark) text += marked[at]
    else if (mark.begins) open.push({ style: mark.style, start: text.length })
    else {
      const begun = open.findLastIndex(({ style }) => style === mark.style)
      if (begun >= 0) end(begun)
    }
  }
  while (open.length > 0) end(open.length - 1)
  return { text, styles }
}
