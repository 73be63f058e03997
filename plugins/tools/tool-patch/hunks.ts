/** Puts the changes of a V4A patch into a text. Pure; throws `PATCH_...` errors that help to do better. */
import { SvcError } from 'svc/sdk'
import { VIEWS } from './find.ts'
import { applyEdits, type Edit, type LineText, openText } from './line-text.ts'
import { nearText } from './replace.ts'
import type { Hunk } from './v4a.ts'

/** As it was written, then as it may have been miscopied. */
const views = [(line: string) => line, ...VIEWS.map(([, view]) => view)]

/** The text after all changes. Whether it ends with a line feed stays as it is. */
export function applyHunks(name: string, text: string, hunks: readonly Hunk[]): string {
  const open = text !== '' && !text.endsWith('\n')
  const end = /\r\n/.test(text) ? '\r\n' : '\n'
  const whole = open ? text + end : text
  const file = openText(whole)
  const edits: Edit[] = []
  let line = 0
  for (const hunk of hunks) {
    const at = findHunkLine(name, file, hunk, line)
    edits.push(...createEdits(file, hunk, at))
    line = at + hunk.lines.filter(({ sign }) => sign !== '+').length
  }
  const result = applyEdits(whole, edits)
  return open ? result.replace(/\r?\n$/, '') : result
}

/** The line, from 0, at which a change begins; not before `from`. */
function findHunkLine(name: string, file: LineText, hunk: Hunk, from: number): number {
  const start = afterHeaders(name, file, hunk, from)
  const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
  if (old.length === 0) return hunk.headers.length > 0 && !hunk.atEnd ? start : file.lines.length
  for (const view of views) {
    const places = findLines(file, old, view, start, hunk.atEnd)
    const [first] = places
    if (first === undefined) continue
    if (places.length > 1 && hunk.headers.length === 0) throw ambiguous(name, hunk, places)
    return first
  }
  const where = start > 0 ? ` after line ${start}` : ''
  const near = nearText(file, old.join('\n'))
  throw new SvcError(
    'PATCH_NOT_FOUND',
    `${name}: the lines of the change in line ${hunk.patchLine} of the patch are not there${where}. Nothing was changed.${near}`,
  )
}

/** The line after the headers; without any, `from`. */
function afterHeaders(name: string, file: LineText, hunk: Hunk, from: number): number {
  let line = from
  for (const header of hunk.headers) {
    const found = views.map((view) => indexFrom(file.lines, line, (each) => view(each).trim() === view(header).trim()))
    const begins = indexFrom(file.lines, line, (each) => each.trim().startsWith(header))
    const at = [...found, begins].find((each) => each !== -1)
    if (at === undefined) {
      const what = `${name}: there is no line "${header.slice(0, 80)}" after line ${line} for "@@"`
      throw new SvcError('PATCH_NOT_FOUND', `${what}. Nothing was changed.${nearText(file, header)}`)
    }
    line = at + 1
  }
  return line
}

function indexFrom(lines: readonly string[], from: number, matches: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at++) if (matches(lines[at] ?? '')) return at
  return -1
}

function findLines(
  file: LineText,
  old: readonly string[],
  view: (line: string) => string,
  from: number,
  atEnd: boolean,
): number[] {
  const goal = old.map(view)
  const last = file.lines.length - goal.length
  const places: number[] = []
  for (let at = atEnd ? Math.max(from, last) : from; at <= last; at++) {
    if (goal.every((line, index) => line === view(file.lines[at + index] ?? ''))) places.push(at)
  }
  return places
}

function ambiguous(name: string, { patchLine }: Hunk, places: readonly number[]): SvcError {
  const lines = places.slice(0, 10).map((place) => place + 1)
  const what = `${name}: the change in line ${patchLine} of the patch fits at lines ${lines.join(', ')}`
  return new SvcError(
    'PATCH_AMBIGUOUS',
    `${what}. Give more lines around it, or an "@@" line before it. Nothing was changed.`,
  )
}

/** Lines that stay keep every byte. */
function createEdits(file: LineText, hunk: Hunk, at: number): Edit[] {
  const edits: Edit[] = []
  const place = (line: number) => file.starts[line] ?? file.plain.length
  let line = at
  let open: { from: number; added: string[] } | undefined
  const close = () => {
    if (open)
      edits.push({ start: place(open.from), end: place(line), text: open.added.map((each) => `${each}\n`).join('') })
    open = undefined
  }
  for (const { sign, text } of hunk.lines) {
    if (sign === ' ') {
      close()
      line++
      continue
    }
    open ??= { from: line, added: [] }
    if (sign === '-') line++
    else open.added.push(text)
  }
  close()
  return edits
}
