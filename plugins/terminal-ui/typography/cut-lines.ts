/** Lines of a given width. */
import type { StyledLine, StyledSpan } from 'svc/sdk/terminal'
import { segments } from './graphemes.ts'
import { graphemeWidth, lineWidth, width } from './width.ts'

/** Contract: `TextLayout.cut`. The `…` looks like what it stands for. */
export function cut(line: StyledLine, room: number): StyledLine {
  if (lineWidth(line) <= room) return line
  if (!(room >= 1)) return []
  const kept = beginning(line, room - 1)
  const last = kept.at(-1)
  return last ? [...kept.slice(0, -1), { ...last, text: `${last.text}…` }] : [{ ...line[0], text: '…' }]
}

/** Contract: `TextLayout.pad`. */
export function pad(line: StyledLine, room: number): StyledLine {
  const fitting = cut(line, room)
  const missing = Math.floor(room) - lineWidth(fitting)
  return missing > 0 ? [...fitting, { text: ' '.repeat(missing) }] : fitting
}

/** As much of it as fits. */
export function beginning(line: StyledLine, room: number): StyledLine {
  const kept: StyledSpan[] = []
  let left = room
  for (const span of line) {
    const cells = width(span.text)
    if (cells > left) {
      const text = cutBeginning(span.text, left)
      return text ? [...kept, { ...span, text }] : kept
    }
    kept.push(span)
    left -= cells
  }
  return kept
}

function cutBeginning(text: string, room: number): string {
  let kept = ''
  let left = room
  for (const grapheme of segments(text)) {
    left -= graphemeWidth(grapheme)
    if (left < 0) break
    kept += grapheme
  }
  return kept
}
