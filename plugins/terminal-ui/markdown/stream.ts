/** A text that grows. What is finished was parsed once and is laid out once for a width. */
import type { MarkdownStream, StyledLine, TextLayout } from 'svc/sdk/terminal'
import { detectLanguage } from './code.ts'
import { completePart, shownPartial } from './complete-partial.ts'
import { rests } from './highlight.ts'
import { Intake } from './intake.ts'
import type { Links } from './lex.ts'
import { type Part, Splitter } from './split-growing-text.ts'
import { type LaidPart, parsePart } from './text-parts.ts'

/** Parses a part; given by tests that count. */
export type ParsePart = typeof parsePart

const isAtRest = (code: string, info: string) => {
  const language = detectLanguage(info)
  return language === undefined || rests(code, language)
}

/** Contract: `MarkdownStream` of the SDK. */
export class Stream implements MarkdownStream {
  readonly #layout: TextLayout
  readonly #parse: ParsePart
  readonly #intake: Intake
  readonly #splitter = new Splitter(isAtRest)
  readonly #links: Links = Object.create(null) as Links
  readonly #parts: { readonly part: Part; readonly laid: LaidPart }[] = []
  #text = ''
  #isOver = false
  /** For the width asked for last: those of the finished parts, then those of the rest. Copying would cost its length. */
  #lines: StyledLine[] = []
  #width = 0
  /** Finished parts that are in it, and their lines. */
  #count = 0
  #finished = 0
  #isShown = false

  constructor(layout: TextLayout, parse: ParsePart = parsePart) {
    this.#layout = layout
    this.#parse = parse
    this.#intake = new Intake(layout)
  }

  get text(): string {
    return this.#text
  }

  append(text: string): void {
    this.#text += text
    this.#isShown = false
    this.#take(this.#splitter.push(this.#intake.take(text)))
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isShown = false
    this.#take(this.#splitter.push(this.#intake.rest()))
    this.#take(this.#splitter.end())
  }

  lines(width: number): readonly StyledLine[] {
    if (this.#isShown && this.#width === width) return this.#lines
    if (this.#width !== width) {
      this.#lines = []
      this.#count = 0
      this.#finished = 0
    }
    this.#width = width
    this.#lines.length = this.#finished
    for (const { part, laid } of this.#parts.slice(this.#count)) appendLines(this.#lines, part, laid(width))
    this.#count = this.#parts.length
    this.#finished = this.#lines.length
    if (!this.#isOver) this.#putTail(width)
    this.#isShown = true
    return this.#lines
  }

  #take(parts: readonly Part[]): void {
    for (const part of parts) this.#parts.push({ part, laid: this.#parse(part, this.#links, this.#layout) })
  }

  #putTail(width: number): void {
    const { partial, isInCode } = this.#splitter
    const parts = this.#splitter.tail(shownPartial(partial, isInCode))
    const links = Object.assign(Object.create(null), this.#links) as Links
    for (const [index, part] of parts.entries()) {
      const shown = index === parts.length - 1 ? completePart(part) : part
      appendLines(this.#lines, shown, this.#parse(shown, links, this.#layout)(width))
    }
  }
}

function appendLines(lines: StyledLine[], { gap }: Part, own: readonly StyledLine[]): void {
  if (gap && own.length > 0 && lines.length > 0) lines.push([])
  for (const line of own) lines.push(line)
}
