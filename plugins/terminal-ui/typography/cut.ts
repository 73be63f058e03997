/** Lines of a given width. */
import type { Line, Span } from 'svc/sdk'
import { segments } from './graphemes.ts'
import { graphemeWidth, lineWidth, width } from './width.ts'

/** Contract: `TextLayout.cut`. The `…` looks like what it stands for. */
export function cut(line: Line, room: number): Line {
  if (lineWidth(line) <= room) return line
  if (!(room >= 1)) return []
  const kept = beginning(line, room - 1)
  const last = kept.at(-1)
  return last ? [...kept.slice(0, -1), { ...last, text: `${last.text}…` }] : [{ ...line[0], text: '…' }]
}

/** Contract: `TextLayout.pad`. */
export function pad(line: Line, room: number): Line {
  const fitting = cut(line, room)
  const missing = Math.floor(room) - lineWidth(fitting)
  return missing > 0 ? [...fitting, { text: ' '.repeat(missing) }] : fitting
}

/** As much of it as fits. */
export function beginning(line: Line, room: number): Line {
  const kept: Span[] = []
  let left = room
  for (const span of line) {
    const cells = width(span.text)
    if (cells > left) {
      const text = beginningOf(span.text, left)
      return text ? [...kept, { ...span, text }] : kept
    }
    kept.push(span)
    left -= cells
  }
  return kept
}

function beginningOf(text: string, room: number): string {
  let kept = ''
  let left = room
  for (const grapheme of segments(text)) {
    left -= graphemeWidth(grapheme)
    if (left < 0) break
    kept += grapheme
  }
  return kept
}
