/** What is still being written, shown as what it most likely becomes, so that nothing jumps when its end arrives. */
import { cells } from './line-kinds.ts'
import type { Part } from './split-growing-text.ts'

/** Marks that say nothing before more of the line is known: a rule, an underline, a fence, a bullet, a number. */
const ONLY_MARKS = /^[\s>]*(?:[-=_*`~#+|:\s]*|\d{1,9}[.)]?\s*)$/
const mended = new Set<Part['kind']>(['text', 'heading', 'quote', 'item', 'more'])

/** Of the line that is being written what can be shown. */
export function shownPartial(partial: string, isInCode: boolean): string {
  if (isInCode) return /^ {0,3}[`~]+ *$/.test(partial) ? '' : partial
  return ONLY_MARKS.test(partial) ? '' : partial
}

/** The part, with what is open at its end closed. */
export function completePart(part: Part): Part {
  const { kind, text } = part
  if (kind === 'table') {
    const cell = text.lastIndexOf('|') + 1
    return { ...part, text: text.slice(0, cell) + closeMarks(text.slice(cell)) }
  }
  if (!mended.has(kind) || isInFence(text)) return part
  const last = text.slice(text.lastIndexOf('\n') + 1)
  if (kind === 'text' && last.trimStart().startsWith('|'))
    return { ...part, text: `${text}\n${'|---'.repeat(cells(last))}|` }
  return { ...part, text: closeMarks(text) }
}

/** Code within an item or a quote. */
function isInFence(text: string): boolean {
  return (text.match(/^[\s>]*(?:`{3}|~{3})/gm)?.length ?? 0) % 2 === 1
}

/** A longer run is not an emphasis: the mark is literal text. */
const LONGEST_EMPHASIS = 500
const MARK = /\\.|(`+)|(\*+|_+|~~)|\n[ >]*\n/gs

/** A mark that waits for its other half. */
interface Waiting {
  readonly mark: string
  readonly at: number
}

/** Closes code and emphasis that are open at the end. Marks at the very end mark nothing yet, or are half of an end. */
function closeMarks(text: string): string {
  const body = text.replace(/(?<!\\)[*_~`]+$/, '').trimEnd()
  const { code, emphasis } = findOpenMarks(body)
  const ends = emphasis.filter(({ at }) => body.length - at <= LONGEST_EMPHASIS).map(({ mark }) => mark)
  return (code === undefined ? withoutAddress(body) : body + code) + ends.reverse().join('')
}

function findOpenMarks(text: string): { readonly code: string | undefined; readonly emphasis: readonly Waiting[] } {
  let emphasis: Waiting[] = []
  let code: string | undefined
  for (const found of text.matchAll(MARK)) {
    const [mark, ticks, delimiter] = found
    if (mark.startsWith('\n')) {
      emphasis = []
      code = undefined
    } else if (ticks !== undefined) code = afterTicks(code, ticks)
    else if (delimiter !== undefined && code === undefined) delimit(emphasis, delimiter, text, found.index)
  }
  return { code, emphasis }
}

function afterTicks(code: string | undefined, ticks: string): string | undefined {
  if (code === undefined) return ticks
  return code === ticks ? undefined : code
}

/** Ends what is open as far as it can, and opens what is left of it. */
function delimit(open: Waiting[], delimiter: string, text: string, at: number): void {
  const before = text.charAt(at - 1)
  let rest = delimiter
  for (let last = open.at(-1); last && rest.startsWith(last.mark) && /\S/.test(before); last = open.at(-1)) {
    open.pop()
    rest = rest.slice(last.mark.length)
  }
  const opens = /\S/.test(text.charAt(at + delimiter.length)) && !/[\p{L}\p{N}]/u.test(before)
  if (!opens || rest === '' || rest.length > 3) return
  const marks = rest.length === 3 ? [rest.slice(0, 2), rest.slice(0, 1)] : [rest]
  open.push(...marks.map((mark) => ({ mark, at })))
}

/** `[text](addr` is the text already; its address is not complete and not shown. */
function withoutAddress(text: string): string {
  return text.replace(/\[([^[\]\n]*)\]\([^()\s]*$/, '$1')
}
