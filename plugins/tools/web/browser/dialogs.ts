/** The dialogs of one tab: alert, confirm, prompt, and the question before a page is left. */
import { type Clock, SvcError } from 'svc/sdk'
import type { BrowserDialog } from 'svc/sdk/web'
import type { CdpSession, Params } from './cdp.ts'

/** After this many dialogs of one page the rest is dismissed: it could continue for ever. */
const MAX_DIALOGS = 20

export interface DialogPolicy {
  readonly policy: 'must_respond' | 'accept' | 'dismiss'
  readonly timeoutMs: number
}

export class Dialogs {
  readonly #clock: Clock
  readonly #options: DialogPolicy
  readonly #changed: () => void
  #open: (BrowserDialog & { readonly session: CdpSession; readonly forget: () => void }) | undefined
  #seen = 0
  #leaving = false
  #notes: string[] = []

  /** `changed` is called when one opens or closes. */
  constructor(clock: Clock, options: DialogPolicy, changed: () => void) {
    this.#clock = clock
    this.#options = options
    this.#changed = changed
  }

  get open(): BrowserDialog | undefined {
    return this.#open
  }

  /** Dialogs that were answered without the model, since this was last asked. */
  takeNotes(): readonly string[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  /** While a page is left, dialogs do not hold it up. */
  async leave<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#leaving = true
    try {
      if (this.#open) await this.answer('dismiss')
      return await work()
    } finally {
      this.#leaving = false
    }
  }

  /** A new page was loaded: resets the count. */
  reset(): void {
    this.#seen = 0
    this.#leaving = false
  }

  forget(): void {
    this.#open?.forget()
    this.#open = undefined
  }

  opened(session: CdpSession, params: Params): void {
    const { type, message, defaultPrompt } = params as { type: string; message: string; defaultPrompt?: string }
    this.#seen += 1
    const dialog = { type, message: message.slice(0, 2000), suggestion: defaultPrompt ?? '' }
    const unasked = this.#answerUnasked(type)
    if (unasked) {
      const answered = unasked === 'accept' ? 'accepted' : 'dismissed'
      this.#notes.push(`${type} ${JSON.stringify(dialog.message.slice(0, 200))} was ${answered}`)
      this.#notes.splice(0, this.#notes.length - 5)
      void settle(session, unasked, undefined)
      return
    }
    const late = () => {
      this.#notes.push(`${type} got no answer in time and was dismissed`)
      void this.answer('dismiss')
    }
    const forget = this.#clock.after(this.#options.timeoutMs, late, { background: true })
    this.#open = { ...dialog, session, forget }
    this.#changed()
  }

  closed(): void {
    this.forget()
    this.#changed()
  }

  /** Throws `BROWSER_NO_DIALOG`. */
  async answer(action: 'accept' | 'dismiss', text?: string): Promise<BrowserDialog> {
    const dialog = this.#open
    if (!dialog) throw new SvcError('BROWSER_NO_DIALOG', 'No dialog is open.')
    this.forget()
    await settle(dialog.session, action, text)
    this.#changed()
    return dialog
  }

  #answerUnasked(type: string): 'accept' | 'dismiss' | undefined {
    if (type === 'beforeunload') return 'accept'
    if (this.#leaving || this.#seen > MAX_DIALOGS) return 'dismiss'
    return this.#options.policy === 'must_respond' ? undefined : this.#options.policy
  }
}

async function settle(session: CdpSession, action: 'accept' | 'dismiss', text: string | undefined): Promise<void> {
  const params = { accept: action === 'accept', ...(text === undefined ? {} : { promptText: text }) }
  // It may have gone with its page meanwhile.
  await session.send('Page.handleJavaScriptDialog', params).catch(() => undefined)
}
