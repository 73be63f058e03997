/** Texts of strangers on one line, and times as people read them. */
import { homedir } from 'node:os'
import { abbreviateHome, type TextLayout } from 'svc/sdk/terminal'

const MAX_CHARACTERS = 1000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Without controls, on one line, cut when very long. */
export function toPlainLine(layout: TextLayout, text: string, most = MAX_CHARACTERS): string {
  return layout.clean(text.slice(0, most)).replace(/\s+/g, ' ').trim()
}

/** A folder as people read it: on one line, the home folder as `~`. */
export function folderText(layout: TextLayout, path: string): string {
  return toPlainLine(layout, abbreviateHome(path, homedir()))
}

/** The end that fits, with `…` before it when something is missing. */
export function tailThatFits(layout: TextLayout, text: string, width: number): string {
  if (layout.width(text) <= width) return text
  let [kept, room] = ['', width - 1]
  for (const grapheme of layout.graphemes(text).toReversed()) {
    room -= layout.width(grapheme)
    if (room < 0) break
    kept = grapheme + kept
  }
  return `…${kept}`
}

/** `40s`, `5m`, `3h`, `2d`, `7w`. */
export function age(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / 1000))}s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`
  return ms < 14 * DAY ? `${Math.floor(ms / DAY)}d` : `${Math.floor(ms / (7 * DAY))}w`
}

/** `2026-03-14 09:26`, in the time of this machine. */
export function localTime(at: number): string {
  const date = new Date(at)
  const two = (count: number) => String(count).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Whether a text has all words of a filter. `text` is in lower case. */
export function matches(text: string, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
