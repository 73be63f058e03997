/** Cuts texts of any length to what is shown, never within a character. */
import type { ToolCallDisplay } from '../../tool-view.ts'
import { textIn } from './value.ts'

const TITLE_CHARACTERS = 200
const BODY_CHARACTERS = 30_000
const BODY_LINES = 400
/** Less than the interface shows of a text, so that its end is seen. */
const TAIL_LINES = 150

/** Words on one line, with `…` when something is missing. @since 0.1 */
export function oneLine(text: string, most = TITLE_CHARACTERS): string {
  const start = text.slice(0, 4 * most)
  const words = start.replace(/\s+/g, ' ').trim()
  const isCut = words.length > most || text.length > start.length
  return isCut ? `${whole(words.slice(0, most)).trimEnd()}…` : words
}

/** The subject of a call on one line: its parts that are not empty. @since 0.1 */
export function formatTitle(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => oneLine(withBreaks(part ?? '')))
    .filter((part) => part !== '')
    .join(' ')
}

/** A break is seen: without it a script would say something else. */
function withBreaks(text: string): string {
  return text
    .slice(0, 5 * TITLE_CHARACTERS)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ')
}

/** The first line that is not blank, shortened. @since 0.1 */
export function firstLine(text: string): string {
  const [line = ''] = text.slice(0, BODY_CHARACTERS).trimStart().split('\n', 1)
  return oneLine(line)
}

/** The beginning. @since 0.1 */
export function head(text: string, most: number = BODY_LINES): string {
  const start = text.length > BODY_CHARACTERS ? whole(text.slice(0, BODY_CHARACTERS)) : text
  const lines = start.split('\n')
  const isCut = start.length < text.length || lines.length > most
  return isCut ? [...lines.slice(0, most), '…'].join('\n') : text
}

/** The end. @since 0.1 */
export function tail(text: string, most: number = TAIL_LINES): string {
  const end = text.length > BODY_CHARACTERS ? text.slice(-BODY_CHARACTERS).replace(/^[\udc00-\udfff]/, '') : text
  const lines = end.trimEnd().split('\n')
  const isCut = end.length < text.length || lines.length > most
  return isCut ? ['…', ...lines.slice(-most)].join('\n') : end.trimEnd()
}

/** Code as Markdown, behind a fence that it does not hold. @since 0.1 */
export function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code}\n${fence}`
}

/** Escapes plain text for Markdown. @since 0.1 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!&]/g, (mark) => `\\${mark}`)
}

/** The newest lines of what a call wrote are those that matter. @since 0.1 */
export function outputBody({ text, progress, data }: Pick<ToolCallDisplay, 'text' | 'progress' | 'data'>) {
  const said = text ?? progress ?? textIn(data, 'output') ?? ''
  return said.trim() === '' ? undefined : ({ kind: 'text', text: tail(said) } as const)
}

/**
 * The language of a file by the end of its name, as it may stand after a fence. Empty when there is none.
 * @since 0.1
 */
export function languageOf(path: string): string {
  return /(?:\.|^|\/)([\w+-]{1,20})$/.exec(oneLine(path))?.[1]?.toLowerCase() ?? ''
}

/** Without half of a character at the end. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
