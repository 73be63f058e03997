/**
 * Edits the text of a `.env` so that only the edited variables' lines change. Values are written so that the package
 * `dotenv` reads them back exactly; every edit is proven by reading its result.
 */
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'dotenv'
import { SvcError } from 'svc/sdk'

/** One variable to set, or to remove when `value` is undefined. */
export interface EnvEdit {
  readonly name: string
  readonly value: string | undefined
}

/** An assignment in the text. `start` and `end` enclose the value with its quotes. */
export interface Assignment {
  readonly name: string
  readonly nameStart: number
  readonly start: number
  readonly end: number
}

type Quote = '' | "'" | '"' | '`'

const quoted = ["'", '"', '`'].map((quote) => `\\s*${quote}(?:\\\\${quote}|[^${quote}])*${quote}`).join('|')
/** The grammar of dotenv: https://github.com/motdotla/dotenv#rules */
const assignment = new RegExp(
  `^\\s*(?:export\\s+)?([\\w.-]+)((?:\\s*=\\s*?|:\\s+?))(${quoted}|[^#\\r\\n]+)?\\s*(?:#.*)?$`,
  'dgm',
)

/** The variables of a `.env`. */
export function readEnv(text: string): Record<string, string> {
  return parse(text)
}

/** Where each assignment stands, in the order of the text. */
export function parseAssignments(text: string): Assignment[] {
  // dotenv reads the text with one-character line endings; its places are counted back to those of the file.
  const shortened = [...text.matchAll(/\r\n/g)].map((match, before) => match.index - before)
  const toOriginalOffset = (offset: number) => offset + shortened.filter((lineEnd) => lineEnd < offset).length
  return [...text.replace(/\r\n?/g, '\n').matchAll(assignment)].map((match) => {
    const indices = match.indices as (readonly [number, number] | undefined)[]
    const raw = match[3] ?? ''
    const from = indices[3]?.[0] ?? indices[2]?.[1] ?? match.index
    const start = raw.trim() === '' ? from : from + raw.length - raw.trimStart().length
    const places = { nameStart: indices[1]?.[0] ?? match.index, start, end: start + raw.trim().length }
    return {
      name: match[1] as string,
      nameStart: toOriginalOffset(places.nameStart),
      start: toOriginalOffset(start),
      end: toOriginalOffset(places.end),
    }
  })
}

/** Where the lines are that are no assignments. */
export function findStrayLines(text: string): readonly number[] {
  const found = parseAssignments(text)
  return [...text.matchAll(/^[ \t]*[^\s#].*$/gm)]
    .filter(
      ({ index, 0: line }) => !found.some(({ nameStart, end }) => nameStart < index + line.length && index <= end),
    )
    .map(({ index }) => index)
}

/** Assignments that a later one of the same name replaces. */
export function findReplaced(text: string): readonly Assignment[] {
  const found = parseAssignments(text)
  return found.filter(({ name }, at) => found.slice(at + 1).some((later) => later.name === name))
}

/** The text with lines that are not read as comments; what is read stays as it is. */
export function commentUnread(text: string): string {
  const lineStart = (at: number) => text.lastIndexOf('\n', at - 1) + 1
  const starts = new Set(findStrayLines(text))
  for (const { nameStart, end } of findReplaced(text))
    for (let at = lineStart(nameStart); at <= end; at = text.indexOf('\n', at) + 1) {
      starts.add(at)
      if (text.indexOf('\n', at) === -1) break
    }
  let result = text
  for (const at of [...starts].sort((one, two) => two - one)) result = `${result.slice(0, at)}# ${result.slice(at)}`
  return isDeepStrictEqual(readEnv(result), readEnv(text)) ? result : text
}

/** The text with the edits made. Throws `CONFIG_INVALID` for what a `.env` cannot hold. */
export function editEnv(text: string, edits: readonly EnvEdit[]): string {
  return edits.reduce(
    (now, edit) => (edit.value === undefined ? remove(now, edit.name) : set(now, edit.name, edit.value)),
    text,
  )
}

function set(text: string, name: string, value: string): string {
  const before = readEnv(text)
  if (before[name] === value) return text
  const expected = { ...before, [name]: value }
  // dotenv takes the last of several assignments.
  const place = parseAssignments(text).findLast((found) => found.name === name)
  const old = place && text[place.start]
  for (const written of waysToWrite(value, old === "'" || old === '"' || old === '`' ? old : '')) {
    const result = place
      ? text.slice(0, place.start) + written + text.slice(place.end)
      : appendLine(text, `${name}=${written}`)
    if (isDeepStrictEqual(readEnv(result), expected)) return result
  }
  const why = /^[\w.-]+$/.test(name)
    ? 'its value has every kind of quote, which a .env cannot hold'
    : 'a variable is named with letters, digits and _'
  throw new SvcError('CONFIG_INVALID', `${name} cannot be written to .env: ${why}. Nothing was written.`, {
    status: 400,
  })
}

function remove(text: string, name: string): string {
  const place = parseAssignments(text).findLast((found) => found.name === name)
  if (!place) return text
  const start = text.lastIndexOf('\n', place.nameStart - 1) + 1
  const found = text.indexOf('\n', place.end)
  const end = found === -1 ? text.length : found + 1
  return remove(text.slice(0, start) + text.slice(end), name)
}

/** The quotes it had first; then none when a shell would agree, then those that keep every character. */
function waysToWrite(value: string, old: Quote): string[] {
  const bare: Quote[] = /^[\w./:@%+,=-]*$/.test(value) ? [''] : []
  const clean = ([old, "'", '"', '`'] as const).filter((quote) => quote !== '' && !value.includes(quote))
  const first = old === '' ? [...bare, ...clean] : [...clean, ...bare]
  const written = [...first, "'", '"', '`', ''].map((quote) => quote + value + quote)
  return [...written, `"${value.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`]
}

function appendLine(text: string, line: string): string {
  const eol = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
  return text === '' || text.endsWith('\n') ? text + line + eol : text + eol + line + eol
}
