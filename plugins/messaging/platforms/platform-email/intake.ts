/** Takes new mail in order: the place in the mailbox moves on once a mail is safe with the gateway. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import type { GatewayConnection } from 'svc/sdk/platform'
import type { MailAccount } from './account.ts'
import { isTooOften, nextRound } from './loop-limit.ts'
import { type Letter, readLetter } from './mail-message.ts'
import type { Mailbox } from './mailbox.ts'
import type { MailStore } from './store.ts'

const RETRY_MS = 1000
const MAX_READINGS = 5

/** What it needs. */
export interface IntakeOptions {
  readonly account: MailAccount
  readonly mailbox: Mailbox
  readonly store: MailStore
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly log: Logger
  readonly pollMs: number
  /** How often in a row the same text of a sender is accepted without a pause. */
  readonly brake: { readonly repeats: number; readonly rounds: number; readonly pauseMs: number }
  readonly signal: AbortSignal
  /** How often a mail could not be read, by its UID: one that breaks the reading must not hold up all others. */
  readonly unreadable: Map<number, number>
}

export class Intake {
  readonly #options: IntakeOptions
  #wake: () => void = () => {}
  #isWoken = false

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Something may be new. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** At the first connection, and after the mailbox was recreated, its content counts as old. */
  begin(): void {
    const { account, mailbox, store, log } = this.#options
    const position = store.position(this.#place())
    if (position?.validity === mailbox.validity) return
    if (position) log.warn('the mailbox was recreated; its content counts as old', { mailbox: account.mailbox })
    store.setPosition(this.#place(), { validity: mailbox.validity, uid: mailbox.uidNext - 1 })
  }

  /** Until the connection ends. */
  async run(): Promise<void> {
    const { signal, mailbox, log, pollMs } = this.#options
    signal.addEventListener('abort', () => this.#wake(), { once: true })
    while (!signal.aborted && mailbox.isOpen) {
      this.#isWoken = false
      try {
        await this.#takeNew()
        await this.#rest(pollMs)
      } catch (error) {
        if (signal.aborted) return
        log.warn('new mail could not be taken; it is tried again', { error })
        await this.#options.clock.sleep(RETRY_MS, signal).catch(() => undefined)
      }
    }
  }

  /** Why it is one, for the log. */
  #loopReason({ thread: { chat, id }, digest }: Letter): string | undefined {
    const { store, clock, brake } = this.#options
    const at = clock.now()
    const before = store.round(chat)
    const round = nextRound(before, { id, words: digest, at }, brake.pauseMs)
    if (round !== before) store.setRound(chat, round)
    if (isTooOften(store.countArrival(chat, { id, at }, at - brake.pauseMs), brake.rounds))
      return 'its sender writes more often than platforms.email.loop_rounds allows'
    return round.repeats > brake.repeats ? 'its sender repeats the same words' : undefined
  }

  #place(): string {
    const { imap, login, mailbox } = this.#options.account
    return `${login}@${imap.host}/${mailbox}`
  }

  /** Until something is announced, or it is time to look. */
  async #rest(ms: number): Promise<void> {
    const { clock, signal } = this.#options
    if (this.#isWoken || signal.aborted) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, () => resolve(), { background: true })
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
    this.#wake = () => {}
  }

  async #takeNew(): Promise<void> {
    const { mailbox, store, link } = this.#options
    const { validity } = mailbox
    const after = store.position(this.#place())?.uid ?? 0
    for (const uid of await mailbox.newer(after)) {
      link.alive()
      await this.#take(uid, validity)
      store.setPosition(this.#place(), { validity, uid })
    }
    link.alive()
  }

  /** Rejects when the gateway did not take it: then it comes again. */
  async #take(uid: number, validity: string): Promise<void> {
    const { account, mailbox, store, link, log, unreadable } = this.#options
    const readings = unreadable.get(uid) ?? 0
    if (readings >= MAX_READINGS) return void log.error('a mail is left out: it cannot be read', { uid })
    unreadable.set(uid, readings + 1)
    const mail = await mailbox.read(uid)
    unreadable.delete(uid)
    if (!mail) return
    const known = (chat: string, id: string) => store.mail(chat, id)
    const letter = await readLetter(mail, { account, validity, known }).catch((error: unknown) => {
      logFault(log, `the mail ${uid} cannot be read`, error)
      return `it cannot be read: ${errorMessage(error)}`
    })
    if (typeof letter === 'string') return log.info('a mail is not answered', { uid, reason: letter })
    const reason = this.#loopReason(letter)
    if (reason !== undefined) return log.warn(`a mail is not answered: ${reason}`, { uid, from: letter.message.chatId })
    store.remember(letter.thread)
    await link.receive(letter.message)
    await mailbox.markSeen(uid).catch(() => undefined)
  }
}
