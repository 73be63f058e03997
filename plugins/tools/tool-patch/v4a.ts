/** Reads the V4A patch format: several files in one text, changes told by the lines around them. Pure. */
import { SvcError } from 'svc/sdk'

/** One change within a file: where, and which lines take the place of which. */
export interface Hunk {
  /** Lines that stand somewhere before it, each after the one before. */
  readonly headers: readonly string[]
  /** Lines as they are marked: kept, taken out, put in. */
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[]
  /** It ends where the file does. */
  readonly atEnd: boolean
  /** The number of its first line in the patch. */
  readonly patchLine: number
}

/** What is to become of a file. */
export type Section =
  | { readonly kind: 'add'; readonly path: string; readonly text: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to):\s*(.*?)\s*$/
/** `@@ -1,2 +3,4 @@` of a unified diff: the numbers are not needed, what follows them is a header. */
const NUMBERS = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/

/** Reads a patch. Throws `PATCH_SYNTAX` with the line that is wrong. */
export function parsePatch(text: string): readonly Section[] {
  const lines = new PatchLines(text)
  const sections: Section[] = []
  while (!lines.isOver()) {
    const [, kind, path = ''] = HEADER.exec(lines.peek()) ?? []
    if (kind === undefined && lines.peek().trim() === '') lines.next()
    else sections.push(readSection(lines, kind, path))
  }
  if (sections.length === 0)
    throw lines.wrong('there is no "*** Add File: path", "*** Update File: path" or "*** Delete File: path"')
  return sections
}

function readSection(lines: PatchLines, kind: string | undefined, path: string): Section {
  if (kind === undefined)
    throw lines.wrong('a line "*** Add File: path", "*** Update File: path" or "*** Delete File: path" is expected')
  if (kind === 'Move to') throw lines.wrong('"*** Move to:" must follow "*** Update File:"')
  if (path === '') throw lines.wrong('the path is missing')
  lines.next()
  if (kind === 'Delete File') return { kind: 'delete', path }
  if (kind === 'Add File') return { kind: 'add', path, text: readAdded(lines) }
  const move = HEADER.exec(lines.isOver() ? '' : lines.peek())
  const moveTo = move?.[1] === 'Move to' ? (move[2] ?? '') : undefined
  if (moveTo === '') throw lines.wrong('the path is missing')
  if (moveTo !== undefined) lines.next()
  const hunks = readHunks(lines)
  if (hunks.length === 0 && moveTo === undefined) throw lines.wrong(`nothing is said of how ${path} is to change`)
  return { kind: 'update', path, hunks, ...(moveTo === undefined ? {} : { moveTo }) }
}

function readAdded(lines: PatchLines): string {
  const added: string[] = []
  while (!lines.isOver() && !lines.peek().startsWith('*** ')) {
    const line = lines.peek()
    // A blank line at the end belongs to the patch, not to the file.
    if (line === '' && lines.onlyBlankUntilHeader()) lines.next()
    else if (line === '') added.push(lines.next())
    else if (line.startsWith('+')) added.push(lines.next().slice(1))
    else throw lines.wrong('each line of a file that is added begins with "+"')
  }
  return added.map((line) => `${line}\n`).join('')
}

function readHunks(lines: PatchLines): Hunk[] {
  const hunks: Hunk[] = []
  while (!lines.isOver() && !HEADER.test(lines.peek())) {
    const between = hunks.length === 0 || lines.onlyBlankUntilHeader()
    if (lines.peek() === '' && between) lines.next()
    else hunks.push(readHunk(lines))
  }
  return hunks
}

function readHunk(lines: PatchLines): Hunk {
  const patchLine = lines.number
  const headers: string[] = []
  while (!lines.isOver() && lines.peek().startsWith('@@')) {
    const said = lines.next().slice(2).trim()
    const header = NUMBERS.test(said) ? said.replace(NUMBERS, '') : said.replace(/\s*@@$/, '')
    if (header.trim() !== '') headers.push(header.trim())
  }
  const marked: Hunk['lines'][number][] = []
  while (!lines.isOver() && !lines.peek().startsWith('@@') && !lines.peek().startsWith('*** ')) {
    const line = lines.peek()
    if (line === '' && lines.onlyBlankUntilHeader()) lines.next()
    else marked.push(readMarked(lines))
  }
  const atEnd = !lines.isOver() && lines.peek().trim() === '*** End of File'
  if (atEnd) lines.next()
  if (!marked.some(({ sign }) => sign !== ' ')) throw lines.wrong('a change has no line that begins with "+" or "-"')
  return { headers, lines: marked, atEnd, patchLine }
}

function readMarked(lines: PatchLines): Hunk['lines'][number] {
  const line = lines.peek()
  const sign = line[0] ?? ' '
  if (sign !== ' ' && sign !== '-' && sign !== '+') {
    throw lines.wrong('each line of a change begins with " " (stays), "-" (goes) or "+" (comes)')
  }
  lines.next()
  return { sign, text: line.slice(1) }
}

/** The lines between the marks of begin and end; those may be missing, and a fence of Markdown may be around them. */
class PatchLines {
  readonly #lines: readonly string[]
  #at: number
  readonly #end: number

  constructor(text: string) {
    this.#lines = text.replaceAll('\r\n', '\n').split('\n')
    const begin = this.#lines.findIndex((line) => line.trimEnd() === '*** Begin Patch')
    const end = this.#lines.findLastIndex((line) => line.trimEnd() === '*** End Patch')
    const fence = this.#lines.findIndex((line) => line.trim() !== '')
    const fenced = /^```/.test(this.#lines[fence] ?? '')
    this.#at = begin === -1 ? (fenced ? fence + 1 : 0) : begin + 1
    this.#end = end === -1 || end < this.#at ? this.#lines.length - (fenced ? 1 : 0) : end
  }

  /** Of the next line, counted from 1. */
  get number(): number {
    return this.#at + 1
  }

  isOver(): boolean {
    return this.#at >= this.#end
  }

  peek(): string {
    return this.#lines[this.#at] ?? ''
  }

  next(): string {
    return this.#lines[this.#at++] ?? ''
  }

  /** Whether nothing but blank lines comes before the next file or the end. */
  onlyBlankUntilHeader(): boolean {
    for (let at = this.#at; at < this.#end; at++) {
      const line = this.#lines[at] ?? ''
      if (line.trim() !== '') return HEADER.test(line)
    }
    return true
  }

  wrong(what: string): SvcError {
    const line = this.#lines[this.#at]
    const shown = line === undefined || this.isOver() ? 'its end' : `"${line.slice(0, 80)}"`
    return new SvcError('PATCH_SYNTAX', `Line ${this.number} of the patch (${shown}): ${what}. Nothing was changed.`)
  }
}
