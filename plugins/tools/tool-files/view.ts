/** How calls that read and write files are shown. */
import type { ToolCallView } from 'svc/sdk'
import {
  countChanges,
  type FileDiff,
  fenced,
  formatDiffs,
  formatTitle,
  head,
  languageOf,
  numberIn,
  oneLine,
  textIn,
} from 'svc/sdk/kit/views'
import type { ToolCallDisplay } from 'svc/sdk/terminal'

/** Lines of a diff that are seen without unfolding. */
const INLINE_LINES = 40

export const listView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'path') ?? '.', textIn(input, 'glob')),
}

export const searchView: ToolCallView = {
  title({ input }) {
    const path = textIn(input, 'path')
    const pattern = textIn(input, 'pattern')
    const place = [path === '.' ? undefined : path, textIn(input, 'glob')].filter((part) => part !== undefined)
    return formatTitle(pattern && `/${oneLine(pattern)}/`, ...place)
  },
}

export const readView: ToolCallView = {
  title({ input, data }) {
    const path = textIn(input, 'path')
    return formatTitle(path && oneLine(path) + lineRange(input, data))
  },
  body({ input, state, text }) {
    if (state !== 'done' || text === undefined) return undefined
    return { kind: 'markdown', text: fileBody(head(text), languageOf(textIn(input, 'path') ?? '')) }
  },
}

export const writeView: ToolCallView = {
  counts: true,
  title: ({ input, data }) => formatTitle(textIn(input, 'path'), countChanges(readDiffs(data))),
  inline({ state, data }) {
    const diff = formatDiffs(readDiffs(data))
    return state === 'done' && diff !== '' ? { kind: 'diff', text: head(diff, INLINE_LINES) } : undefined
  },
  body(call) {
    const diff = formatDiffs(readDiffs(call.data))
    if (call.state === 'done') return diff === '' ? undefined : { kind: 'diff', text: head(diff) }
    return call.state === 'failed' ? undefined : wantedBody(call)
  },
}

function readDiffs(data: unknown): readonly FileDiff[] {
  const diff = textIn(data, 'diff')
  return diff === undefined || diff === '' ? [] : [{ path: oneLine(textIn(data, 'path') ?? ''), diff }]
}

/** What would be written, before it is. */
function wantedBody({ input }: ToolCallDisplay): ReturnType<NonNullable<ToolCallView['body']>> {
  const content = textIn(input, 'content')
  if (content === undefined) return undefined
  return { kind: 'markdown', text: fenced(head(content), languageOf(textIn(input, 'path') ?? '')) }
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
