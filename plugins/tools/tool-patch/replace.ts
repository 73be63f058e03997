/** Replaces one text of a file by another. Pure; throws `PATCH_...` errors that help to do better. */
import { SvcError } from 'svc/sdk'
import { type Finding, find, findNearest, type Match, withoutEscapes } from './find.ts'
import { applyEdits, type Edit, type LineText, openText, plainText } from './line-text.ts'

const MAX_NAMED = 10
const MAX_SHOWN = 12

/** What is to be replaced. */
export interface Replacement {
  /** For sentences. */
  readonly name: string
  readonly old: string
  readonly new: string
  readonly all: boolean
}

/** The new text, and what people should know of how the old one was found. */
export interface Replaced {
  readonly text: string
  readonly count: number
  readonly how: string | undefined
}

export function replace(text: string, wanted: Replacement): Replaced {
  const file = openText(text)
  const found = find(file, plainText(wanted.old))
  if (!found) throw notFound(file, wanted)
  const { matches, how } = found
  if (matches.length > 1 && !(wanted.all && !found.guessed)) throw ambiguous(found, wanted)
  const edits = matches.map((match) => createEdit(file, match, found, wanted))
  return { text: applyEdits(text, edits), count: edits.length, how }
}

function createEdit(file: LineText, match: Match, found: Finding, wanted: Replacement): Edit {
  const text = plainText(found.escaped ? withoutEscapes(wanted.new) : wanted.new)
  const { start, end, indent } = match
  if (!indent) return { start, end, text }
  // Found by whole lines: whether the two texts end with a line feed says nothing.
  const lines = text.replace(/\n$/, '').split('\n')
  if (text === '') return { start, end: Math.min(end + 1, file.plain.length), text }
  return { start, end, text: lines.map((line) => reindent(line, indent)).join('\n') }
}

/** The model's indentation replaced by the file's. */
function reindent(line: string, { wanted, there }: NonNullable<Match['indent']>): string {
  if (wanted === there || line.trim() === '') return line
  return line.startsWith(wanted) ? there + line.slice(wanted.length) : line
}

function ambiguous({ matches, guessed }: Finding, { name }: Replacement): SvcError {
  const numbers = matches.slice(0, MAX_NAMED).map(({ line }) => line)
  const more = matches.length > MAX_NAMED ? ', ...' : ''
  const where = `old_string is in ${name} ${matches.length} times: lines ${numbers.join(', ')}${more}`
  const advice = guessed
    ? 'Copy it exactly, with more lines around it'
    : 'Give more lines around it, or set replace_all'
  return new SvcError('PATCH_AMBIGUOUS', `${where}. ${advice}.`)
}

function notFound(file: LineText, { name, old, new: after }: Replacement): SvcError {
  const already = after.trim() === '' ? -1 : file.plain.indexOf(plainText(after))
  const line = file.plain.slice(0, Math.max(0, already)).split('\n').length
  const done =
    already === -1 ? '' : ` new_string is there already, in line ${line}: perhaps the change was made before.`
  return new SvcError('PATCH_NOT_FOUND', `old_string is not in ${name}.${done}${nearText(file, plainText(old))}`)
}

/** A sentence with the place that is most like the text. */
export function nearText(file: LineText, wanted: string): string {
  const near = findNearest(file, wanted)
  if (!near) return ' Nothing in it is like it; read the file.'
  const lines = near.lines.slice(0, MAX_SHOWN).map((line, at) => `${near.line + at}\t${line.slice(0, 200)}`)
  const last = near.line + near.lines.length - 1
  const places = last > near.line ? `lines ${near.line}-${last}` : `line ${near.line}`
  return ` Most like it, ${Math.round(near.likeness * 100)} %, ${last > near.line ? 'are' : 'is'} ${places}:\n${lines.join('\n')}`
}
