/** The plain front end: what a conversation says, line by line, and questions answered by lines. */
import type { CliIo, ConversationChange, FrontEnd, Menu, Said, Translate, TurnEvent } from 'svc/sdk'
import { askApproval, type LineReader } from './approver.ts'
import { progressLine } from './progress.ts'
import { askQuestion } from './respondent.ts'
import { terminalText } from './terminal-text.ts'

/** Contract: `FrontEnd` of the SDK. */
export class LineFront implements FrontEnd {
  readonly surface = 'cli'
  readonly commands = 'cli'
  readonly #io: CliIo
  readonly #lines: LineReader
  readonly #t: Translate
  #column: 'start' | 'middle' = 'start'
  /** The conversation was ended. */
  closed = false

  constructor(io: CliIo, lines: LineReader, t: Translate) {
    this.#io = io
    this.#lines = lines
    this.#t = t
  }

  show(event: TurnEvent): void {
    const words = progressLine(event)
    if (words !== undefined) this.#line(words)
    else if (event.type === 'turn.end') this.#line(event.reason === 'interrupted' ? this.#t('(stopped)') : '')
    else if (event.type === 'message.delta' && event.text) this.#piece(terminalText(event.text))
  }

  say({ text, tone }: Said): void {
    this.#line(tone === 'error' ? `error: ${terminalText(text)}` : terminalText(text))
  }

  changed(change: ConversationChange): void {
    if (change === 'closed') this.closed = true
  }

  approve: NonNullable<FrontEnd['approve']> = (request, signal) => askApproval(this.#lines, this.#io, request, signal)

  answer: NonNullable<FrontEnd['answer']> = (question, signal) => askQuestion(this.#lines, this.#io, question, signal)

  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const line = await this.#lines.ask(`${terminalText(question)} [y/N] `, signal)
    return /^\s*y(es)?\s*$/i.test(line ?? '')
  }

  async choose({ title, items, current }: Menu, signal: AbortSignal): Promise<string | undefined> {
    const rows = items.map(({ id, label, detail }, at) => {
      return `${id === current ? '*' : ' '} ${at + 1}  ${label}${detail ? `  ${detail}` : ''}`
    })
    this.#line([terminalText(title), ...rows.map((row) => terminalText(row).replace(/\s*\n\s*/g, ' '))].join('\n'))
    const line = (await this.#lines.ask(this.#t('A number, or Enter to leave it: '), signal))?.trim()
    return /^\d+$/.test(line ?? '') ? items[Number(line) - 1]?.id : undefined
  }

  ask({ text, secret }: { text: string; secret?: boolean }, signal: AbortSignal): Promise<string | undefined> {
    const prompt = `${terminalText(text)} `
    return secret ? this.#io.ask(prompt, { secret: true }) : this.#lines.ask(prompt, signal)
  }

  #piece(text: string): void {
    this.#io.out(text)
    this.#column = text.endsWith('\n') ? 'start' : 'middle'
  }

  /** Ends the line that is being written; an empty text does only that. */
  #line(text: string): void {
    if (this.#column === 'middle') this.#io.out('\n')
    this.#column = 'start'
    if (text) this.#io.out(`${text}\n`)
  }
}
