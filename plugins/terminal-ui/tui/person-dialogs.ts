/** What the person at the screen is asked: the dialogs of `FrontEndHandlers`. */
import type { ChoiceDialog } from 'svc/sdk'
import type { ApprovalHandler, QuestionHandler } from 'svc/sdk/safety'
import type { DialogOptions, FrontEndHandlers } from 'svc/sdk/sessions'
import {
  approvalQuestion,
  clarifyQuestion,
  confirmQuestion,
  type Dialog,
  QuestionDialog,
  type QuestionOptions,
  wordsQuestion,
} from './dialogs.ts'
import { EditDialog } from './edit-dialog.ts'
import { FindDialog } from './find-dialog.ts'
import type { Front } from './front.ts'
import { MenuDialog } from './menu-dialog.ts'
import type { NamedTimers } from './named-timers.ts'
import { TimedDialog } from './timed-dialog.ts'

const SECOND_MS = 1000

/** What rings and counts down for the dialogs. */
export interface PersonDialogsDeps {
  readonly timers: NamedTimers
  readonly isBusy: () => boolean
  readonly bell: () => void
}

/** Contract: `FrontEndHandlers` of the SDK. Its functions may be passed on alone. */
export class PersonDialogs
  implements Required<Pick<FrontEndHandlers, 'approve' | 'answer' | 'confirm' | 'edit' | 'ask'>>
{
  readonly #front: Front
  readonly #deps: PersonDialogsDeps

  constructor(front: Front, deps: PersonDialogsDeps) {
    this.#front = front
    this.#deps = deps
  }

  readonly approve: ApprovalHandler['ask'] = (request, signal) => {
    this.#ringIfIdle()
    return this.#question(approvalQuestion(request, this.#front.t), signal)
  }

  readonly answer: QuestionHandler['ask'] = (question, signal) => {
    this.#ringIfIdle()
    return this.#question(clarifyQuestion(question, this.#front.t), signal)
  }

  readonly confirm = (question: string, signal: AbortSignal, options?: DialogOptions): Promise<boolean | undefined> =>
    this.#question(confirmQuestion(question, this.#front.t), signal, options)

  readonly choose = (menu: ChoiceDialog, signal?: AbortSignal, options?: DialogOptions): Promise<string | undefined> =>
    this.#open<string>((done) => new MenuDialog(menu, this.#front, done), signal, options)

  readonly edit = (
    dialog: { readonly title: string; readonly text: string },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> =>
    this.#open<string>((done) => new EditDialog(dialog, this.#front, done), signal, options)

  readonly ask = (
    question: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
    options?: DialogOptions,
  ): Promise<string | undefined> => this.#question(wordsQuestion(question), signal, options)

  /** Looks for words in the conversation. */
  async find(words: string): Promise<void> {
    await this.#front.dialogs.ask<undefined>((done) => new FindDialog(this.#front, words, done))
  }

  /** A dialog during a turn rings when it opens. */
  #ringIfIdle(): void {
    if (!this.#deps.isBusy()) this.#deps.bell()
  }

  #question<T>(question: QuestionOptions<T>, signal: AbortSignal, options?: DialogOptions): Promise<T | undefined> {
    return this.#open<T>((done) => new QuestionDialog(question, this.#front, done), signal, options)
  }

  #open<T>(
    make: (done: (value: T | undefined) => void) => Dialog,
    signal: AbortSignal | undefined,
    { expiresAt }: DialogOptions = {},
  ): Promise<T | undefined> {
    const { dialogs } = this.#front
    // What a person just typed needs no bell.
    if (signal && this.#deps.isBusy()) this.#deps.bell()
    if (expiresAt === undefined) return dialogs.ask(make, signal)
    const answer = dialogs.ask<T>((done) => new TimedDialog(make(done), expiresAt, this.#front), signal)
    this.#countDown()
    return answer
  }

  /** Draws once a second while a question shows the time that is left. */
  #countDown(): void {
    this.#deps.timers.after('countdown', SECOND_MS, () => {
      if (!this.#front.dialogs.all.some((each) => each instanceof TimedDialog)) return
      this.#front.redraw()
      this.#countDown()
    })
  }
}
