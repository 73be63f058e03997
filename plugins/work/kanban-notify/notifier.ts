/** Looks for events that chats are to hear of, and hands each to the outbox under a key of its own. */
import { type Clock, type Dispose, type Logger, logFault } from 'svc/sdk'
import type { Boards, TaskNotice } from 'svc/sdk/kanban'
import { getMachineName } from 'svc/sdk/kit/process'
import type { Outbox } from 'svc/sdk/platform'
import { describeEvent } from './text.ts'

/** In case a notice of a change was lost. */
const LOOK_MS = 300_000
/** For what was held by a process that ended, and what is to be tried again: where a chat follows a task. */
const FOLLOWED_MS = 30_000
/** Heartbeats are changes of a board, too. */
const GAP_MS = 500

export interface NotifierDeps {
  readonly boards: () => Boards
  readonly outbox: () => Outbox
  readonly clock: () => Clock
  readonly log: Logger
  readonly profile: () => string
  /** Those that are connected. */
  readonly platforms: () => readonly string[]
}

export class Notifier {
  readonly #deps: NotifierDeps
  #cancel: Dispose | undefined
  #watching: Dispose | undefined
  #looking: Promise<void> | undefined
  #isStopped = false
  #isFollowed = false

  constructor(deps: NotifierDeps) {
    this.#deps = deps
  }

  /** Looks soon. Before a platform is connected nothing is looked at. */
  wake(): void {
    this.#later(GAP_MS)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#cancel?.()
    await this.#watching?.()
    await this.#looking
  }

  /** Tells what there is to tell now. */
  async look(): Promise<void> {
    const { boards, profile, platforms } = this.#deps
    const names = platforms()
    if (names.length === 0) return
    if (this.#watching === undefined && !this.#isStopped) {
      this.#watching = await boards().watch(() => this.wake())
    }
    this.#isFollowed = (await boards().subscriptions()).some(({ platform }) => names.includes(platform))
    if (!this.#isFollowed) return
    const holder = `${getMachineName()} ${process.pid}`
    for (const notice of await boards().takeNotices({ profile: profile(), platforms: names, holder }))
      await this.#tell(notice)
  }

  /**
   * The outbox has each event on disk before the cursor moves. A process that ends in between leaves the same events to the next one,
   * whose messages have the same keys and are not sent again.
   */
  async #tell(notice: TaskNotice): Promise<void> {
    const { boards, outbox, log } = this.#deps
    const { subscription, task, events } = notice
    const { platform, chat, thread } = subscription
    try {
      for (const event of events) {
        const text = describeEvent(task, event)
        if (text === undefined) continue
        const key = ['kanban', event.id, event.taskId, platform, chat, thread].join(':')
        outbox().post({ platform, chatId: chat, ...(thread !== '' && { threadId: thread }), key, text })
      }
    } catch (error) {
      logFault(log, 'a chat could not be told of its task', error)
      await boards().settleNotice(notice, 'failed')
      return
    }
    await boards().settleNotice(notice, 'sent')
  }

  #later(ms: number): void {
    if (this.#isStopped) return
    const cancel = this.#cancel
    this.#cancel = this.#deps.clock().after(ms, () => this.#lookOnce(), { background: true })
    void cancel?.()
  }

  /** One look at a time; what happens during one is for the next. */
  #lookOnce(): void {
    if (this.#looking) {
      this.#later(GAP_MS)
      return
    }
    this.#cancel = undefined
    this.#looking = this.look()
      .catch((error: unknown) => {
        logFault(this.#deps.log, 'the boards could not be asked what chats are to hear', error)
        this.#isFollowed = true
      })
      .finally(() => {
        this.#looking = undefined
        if (this.#cancel === undefined) this.#later(this.#isFollowed ? FOLLOWED_MS : LOOK_MS)
      })
  }
}
