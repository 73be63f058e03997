/** The plain front end: what a conversation says, line by line, and questions answered by lines. */
import type { TurnEvent } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import type { ConversationChange, ConversationNotice, FrontEndHandlers } from 'svc/sdk/sessions'
import { LineDialogs, type LineDialogsDeps } from './line-dialogs.ts'
import { askApproval, type PromptDeps } from './terminal-approvals.ts'
import type { TurnLines } from './turn-lines.ts'

/** Contract: `FrontEndHandlers` of the SDK. */
export class LineFront implements FrontEndHandlers {
  readonly surface = 'cli'
  readonly commands = 'cli'
  readonly waits = true
  readonly #deps: PromptDeps
  readonly #lines: TurnLines
  readonly #dialogs: LineDialogs
  #column: 'start' | 'middle' = 'start'
  /** The conversation was ended. */
  closed = false

  constructor(deps: PromptDeps & Pick<LineDialogsDeps, 'clock'>, lines: TurnLines) {
    this.#deps = deps
    this.#dialogs = new LineDialogs({ ...deps, print: (text) => this.#line(text) })
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

  readonly answer: NonNullable<FrontEndHandlers['answer']> = (...asked) => this.#dialogs.answer(...asked)
  readonly confirm: NonNullable<FrontEndHandlers['confirm']> = (...asked) => this.#dialogs.confirm(...asked)
  readonly choose: NonNullable<FrontEndHandlers['choose']> = (...asked) => this.#dialogs.choose(...asked)
  readonly ask: NonNullable<FrontEndHandlers['ask']> = (...asked) => this.#dialogs.ask(...asked)
  readonly edit: NonNullable<FrontEndHandlers['edit']> = (...asked) => this.#dialogs.edit(...asked)

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
