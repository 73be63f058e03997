/** Code, and the frame around it in a text. */
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'
import { fold } from './hanging-lines.ts'
import { highlight } from './highlight.ts'
import { languages } from './languages.ts'

/** Characters: colouring more takes too long. */
const MAX_CHARACTERS = 100_000
/** A frame is not wider than this, and code is indented from this width on. */
const FRAME = 100
const INDENTED_FROM = 60

/** The name by which a language is known here: of what stands behind a fence, or of a file. */
export function detectLanguage(given: string | undefined): string | undefined {
  const word =
    (given ?? '')
      .trim()
      .toLowerCase()
      .split(/[\s,{}:]+/)
      .find(Boolean) ?? ''
  const file = word.slice(word.lastIndexOf('/') + 1)
  return [file, file.slice(file.lastIndexOf('.') + 1)].map((name) => languages.get(name)).find(Boolean)
}

/** Lines of clean code, as long as they are. */
export function codeLines(code: string, language: string | undefined): StyledLine[] {
  const text = code.replace(/\n$/, '')
  const spans = language !== undefined && text.length <= MAX_CHARACTERS ? highlight(text, language) : undefined
  return spans
    ? splitLines(spans)
    : text.split('\n').map((line) => (line === '' ? [] : [{ text: line, role: 'code-block' }]))
}

/** The line above a block of code, which tells the language. */
export function frameTop(info: string, width: number, layout: TextLayout): StyledLine {
  const name = info.split(/[\s{]/)[0] ?? ''
  if (name === '') return frameBottom(width)
  const label: StyledLine = [
    { text: '── ', role: 'border' },
    { text: `${layout.clean(name)} `, role: 'dim' },
  ]
  const left = Math.min(width, FRAME) - layout.lineWidth(label)
  return left > 0 ? [...label, { text: '─'.repeat(left), role: 'border' }] : layout.cut(label, width)
}

export function frameBottom(width: number): StyledLine {
  return [{ text: '─'.repeat(Math.max(1, Math.min(width, FRAME))), role: 'border' }]
}

/** Code between the lines of the frame. */
export function frameLines(lines: readonly StyledLine[], width: number, layout: TextLayout): StyledLine[] {
  const indent: StyledLine = width >= INDENTED_FROM ? [{ text: '  ' }] : []
  const room = width - layout.lineWidth(indent)
  return lines.flatMap((line) => fold(line, room, layout).map((part) => (part.length > 0 ? [...indent, ...part] : [])))
}

function splitLines(spans: readonly StyledSpan[]): StyledLine[] {
  const lines: StyledSpan[][] = [[]]
  for (const span of spans)
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ ...span, text })
    }
  return lines
}
