/** Merges two edits of one text line by line, as a version control system would. */
import { diffArrays } from 'diff'
import type { MergeResult } from 'svc/sdk/host'

/** Lines `start` to `end` of the base became `lines`. */
interface Hunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Applies to `ours` what turned `base` into `theirs`. */
export function mergeTexts(base: string, ours: string, theirs: string): MergeResult {
  const lines = splitLines(base)
  const [left, right] = [hunks(lines, splitLines(ours)), hunks(lines, splitLines(theirs))]
  const merged: Hunk[] = []
  for (const hunk of right) {
    const rival = left.find((other) => overlap(hunk, other))
    if (rival && !isSame(hunk, rival)) return { conflictLine: Math.max(hunk.start, rival.start) + 1 }
    if (!rival) merged.push(hunk)
  }
  // Where one inserts at the edge of what the other replaces, the insertion of `ours` comes after.
  const all = [...merged, ...left].toSorted((a, b) => a.start - b.start || a.end - b.end)
  const out: string[] = []
  let at = 0
  for (const { start, end, lines: put } of all) {
    out.push(...lines.slice(at, start), ...put)
    at = Math.max(at, end)
  }
  return { text: [...out, ...lines.slice(at)].join('') }
}

/** Lines with their line endings. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function hunks(base: readonly string[], changed: readonly string[]): Hunk[] {
  const found: Hunk[] = []
  let at = 0
  let open: { start: number; lines: string[] } | undefined
  for (const { added, removed, value } of diffArrays([...base], [...changed])) {
    if (!added && !removed) {
      if (open) found.push({ ...open, end: at })
      open = undefined
      at += value.length
      continue
    }
    open ??= { start: at, lines: [] }
    if (removed) at += value.length
    else open.lines.push(...value)
  }
  return open ? [...found, { ...open, end: at }] : found
}

/** Replacements overlap when they share a line; insertions when they stand at one place. */
function overlap(a: Hunk, b: Hunk): boolean {
  if (a.start === a.end && b.start === b.end) return a.start === b.start
  if (a.start === a.end) return b.start < a.start && a.start < b.end
  if (b.start === b.end) return a.start < b.start && b.start < a.end
  return a.start < b.end && b.start < a.end
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.start === b.start && a.end === b.end && a.lines.join('') === b.lines.join('')
}
