/** Calls that read and change files. */
import type { ShownCall, ToolView } from 'svc/sdk'
import { fenced, head, oneLine, titleOf } from './text.ts'
import { field, listIn, numberIn, textIn } from './value.ts'

/** Lines of a diff that are seen without unfolding. */
const INLINE_LINES = 40

export const read: ToolView = {
  name: 'read',
  tools: ['read_file', 'list_files', 'search_files'],
  title({ name, input, data }) {
    const path = textIn(input, 'path')
    if (name === 'list_files') return titleOf(path ?? '.', textIn(input, 'glob'))
    if (name === 'read_file') return titleOf(path && oneLine(path) + lineRange(input, data))
    const pattern = textIn(input, 'pattern')
    const place = [path === '.' ? undefined : path, textIn(input, 'glob')].filter((part) => part !== undefined)
    return titleOf(pattern && `/${oneLine(pattern)}/`, ...place)
  },
  body({ name, input, state, text }) {
    if (name !== 'read_file' || state !== 'done' || text === undefined) return undefined
    return { kind: 'markdown', text: fileBody(head(text), languageOf(textIn(input, 'path') ?? '')) }
  },
}

export const edit: ToolView = {
  name: 'edit',
  tools: ['write_file', 'patch'],
  counts: true,
  title({ name, input, data }) {
    const changed = diffsOf(data)
    const counts = changed.length > 0 ? countsOf(changed) : undefined
    if (name === 'write_file') return titleOf(textIn(input, 'path'), counts)
    const [first, ...others] = patchedPaths(input)
    return titleOf(first, others.length > 0 ? `+${others.length}` : undefined, counts)
  },
  inline({ state, data }) {
    const diff = diffText(data)
    return state === 'done' && diff !== '' ? { kind: 'diff', text: head(diff, INLINE_LINES) } : undefined
  },
  body(call) {
    const diff = diffText(call.data)
    if (call.state === 'done') return diff === '' ? undefined : { kind: 'diff', text: head(diff) }
    return call.state === 'failed' ? undefined : wantedBody(call)
  },
}

/** `:10-40`, when it is not all of the file. */
function lineRange(input: unknown, data: unknown): string {
  const [first, last, total] = ['firstLine', 'lastLine', 'totalLines'].map((key) => numberIn(data, key))
  if (first !== undefined && last !== undefined)
    return (first === 1 && last === total) || last < first ? '' : `:${first}-${last}`
  const [offset, limit] = [numberIn(input, 'offset') ?? 1, numberIn(input, 'limit')]
  if (limit !== undefined) return `:${offset}-${offset + limit - 1}`
  return offset === 1 ? '' : `:${offset}`
}

/** The text of a file as code, without the numbers that stand before its lines; remarks come after it. */
function fileBody(text: string, language: string): string {
  const lines = text.split('\n')
  const numbered = lines.findLastIndex((line) => /^\d+\t/.test(line)) + 1
  if (numbered === 0) return fenced(text, '')
  const code = lines.slice(0, numbered).map((line) => line.replace(/^\d+\t/, ''))
  const remarks = lines.slice(numbered).join('\n')
  return [fenced(code.join('\n'), language), ...(remarks === '' ? [] : [fenced(remarks, '')])].join('\n\n')
}

/** As it may stand after a fence. */
function languageOf(path: string): string {
  return /(?:\.|^|\/)([\w+-]{1,20})$/.exec(oneLine(path))?.[1]?.toLowerCase() ?? ''
}

interface Diff {
  readonly path: string
  readonly diff: string
}

/** `write_file` has one diff, `patch` one for each file. */
function diffsOf(data: unknown): readonly Diff[] {
  const files = field(data, 'files') === undefined ? [data] : listIn(data, 'files')
  return files.flatMap((file) => {
    const diff = textIn(file, 'diff')
    return diff === undefined || diff === '' ? [] : [{ path: oneLine(textIn(file, 'path') ?? ''), diff: head(diff) }]
  })
}

function diffText(data: unknown): string {
  const diffs = diffsOf(data)
  if (diffs.length < 2) return diffs[0]?.diff ?? ''
  return diffs.map(({ path, diff }) => `--- ${path}\n+++ ${path}\n${diff}`).join('\n')
}

function countsOf(diffs: readonly Diff[]): string | undefined {
  const lines = diffs.flatMap(({ diff }) => diff.split('\n'))
  // A diff that was cut does not tell how much changed.
  if (lines.some((line) => /^(…|\.\.\. \d+ more lines)$/.test(line))) return undefined
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return `+${count('+')} -${count('-')}`
}

function patchedPaths(input: unknown): readonly string[] {
  const path = textIn(input, 'path')
  if (path !== undefined) return [path]
  const patch = head(textIn(input, 'patch') ?? '')
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File:[ \t]*(\S.*)$/gm)].map((found) => found[1] ?? '')
}

/** What would be done, before it is. */
function wantedBody({ name, input }: ShownCall): ReturnType<NonNullable<ToolView['body']>> {
  if (name === 'write_file') {
    const content = textIn(input, 'content')
    if (content === undefined) return undefined
    return { kind: 'markdown', text: fenced(head(content), languageOf(textIn(input, 'path') ?? '')) }
  }
  const [before, after, patch] = ['old_string', 'new_string', 'patch'].map((key) => textIn(input, key))
  if (before !== undefined && after !== undefined) return { kind: 'diff', text: replacement(head(before), head(after)) }
  return patch === undefined ? undefined : { kind: 'text', text: head(patch) }
}

function replacement(before: string, after: string): string {
  const [removed, added] = [before, after].map((text) => (text === '' ? [] : text.split('\n'))) as [string[], string[]]
  const range = `@@ -1,${removed.length} +1,${added.length} @@`
  return [range, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')
}
