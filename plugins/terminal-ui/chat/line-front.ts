/** The plain front end: what a conversation says, line by line, and questions answered by lines. */
import type { ChoiceDialog, TurnEvent } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import { askApproval, type PromptDeps } from './approver.ts'
import { askQuestion } from './respondent.ts'
import type { TurnLines } from './turn-lines.ts'

/** Contract: `FrontEndHandlers` of the SDK. */
export class LineFront implements FrontEndHandlers {
  readonly surface = 'cli'
  readonly commands = 'cli'
  readonly waits = true
  readonly #deps: PromptDeps
  readonly #lines: TurnLines
  #column: 'start' | 'middle' = 'start'
  /** The conversation was ended. */
  closed = false

  constructor(deps: PromptDeps, lines: TurnLines) {
    this.#deps = deps
    this.#lines = lines
  }

  show(event: TurnEvent): void {
    const { t } = this.#deps
    const words = this.#lines.before(event)
    if (words !== undefined) this.#line(words)
    if (event.type === 'turn.end') this.#line(event.reason === 'interrupted' ? t('(stopped)') : '')
    else if (event.type === 'message.delta' && event.text) this.#piece(safePiece(event.text))
    const last = this.#lines.after(event)
    if (last !== undefined) this.#line(last)
  }

  say({ text, tone }: ConversationNotice): void {
    this.#line(tone === 'error' ? this.#deps.t('error: {text}', { text: safePiece(text) }) : safePiece(text))
  }

  changed(change: ConversationChange): void {
    if (change === 'closed') this.closed = true
  }

  approve: NonNullable<FrontEndHandlers['approve']> = (request, signal) => askApproval(this.#deps, request, signal)

  answer: NonNullable<FrontEndHandlers['answer']> = (question, signal) => askQuestion(this.#deps, question, signal)

  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const line = await this.#deps.lines.ask(`${safePiece(question)} [y/N] `, signal)
    return /^\s*y(es)?\s*$/i.test(line ?? '')
  }

  async choose({ title, items, current }: ChoiceDialog, signal: AbortSignal): Promise<string | undefined> {
    const rows = items.map(({ id, label, detail }, at) => {
      return `${id === current ? '*' : ' '} ${at + 1}  ${label}${detail ? `  ${detail}` : ''}`
    })
    this.#line([safePiece(title), ...rows.map((row) => safePiece(row).replace(/\s*\n\s*/g, ' '))].join('\n'))
    const line = (await this.#deps.lines.ask(this.#deps.t('A number, or Enter to leave it: '), signal))?.trim()
    return /^\d+$/.test(line ?? '') ? items[Number(line) - 1]?.id : undefined
  }

  ask({ text, secret }: { text: string; secret?: boolean }, signal: AbortSignal): Promise<string | undefined> {
    const prompt = `${safePiece(text)} `
    return secret ? this.#deps.io.ask(prompt, { secret: true }) : this.#deps.lines.ask(prompt, signal)
  }

  #piece(text: string): void {
    this.#deps.io.out(text)
    this.#column = text.endsWith('\n') ? 'start' : 'middle'
  }

  /** Ends the line that is being written; an empty text does only that. */
  #line(text: string): void {
    if (this.#column === 'middle') this.#deps.io.out('\n')
    this.#column = 'start'
    if (text) this.#deps.io.out(`${text}\n`)
  }
}
