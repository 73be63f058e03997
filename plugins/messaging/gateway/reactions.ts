/**
 * Reactions to messages of people: being worked on, done, failed. Nothing waits for them. Which one a message is to have is stored
 * before it is set, so that a crash or a lost connection leaves none that is wrong for longer than until the next connection.
 */
import type { Clock, Logger, TurnEndReason } from 'svc/sdk'
import {
  classifyDeliveryError,
  type Platform,
  platformSettingDefaults,
  type ReactionState,
  retryWhileBusy,
} from 'svc/sdk/platform'
import type { GatewayStore, KeptMark, MarkedMessage } from './store.ts'

/** Messages whose reaction is remembered; older ones keep what they have. */
const MAX_REMEMBERED = 200

export interface ReactionDeps {
  readonly platform: Platform
  readonly store: Pick<GatewayStore, 'mark' | 'unmark' | 'isMarked' | 'leftMarks'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Pick<Logger, 'debug'>
  readonly signal: AbortSignal
}

/** The reactions on each platform; those of a platform that was replaced go with it. */
export class PlatformReactions {
  readonly #deps: Omit<ReactionDeps, 'platform'>
  readonly #known: WeakMap<Platform, Reactions> = new WeakMap()

  constructor(deps: Omit<ReactionDeps, 'platform'>) {
    this.#deps = deps
  }

  on(platform: Platform): Reactions {
    const known = this.#known.get(platform)
    if (known) return known
    const made = new Reactions({ platform, ...this.#deps })
    this.#known.set(platform, made)
    return made
  }
}

/** A message that may get a reaction: a button that was pressed gets none. */
type Marked = MarkedMessage & { readonly press?: string }

interface Mark {
  shown: ReactionState | undefined
  wanted: ReactionState | undefined
  isBusy: boolean
}

export class Reactions {
  readonly #deps: ReactionDeps
  readonly #marks: Map<string, Mark> = new Map()
  #isConnected = false

  constructor(deps: ReactionDeps) {
    this.#deps = deps
  }

  /** The platform is connected until the returned function is called: what an earlier connection left is set right. */
  opened(): () => void {
    this.#isConnected = true
    for (const { message, state } of this.#isOn ? this.#deps.store.leftMarks(this.#deps.platform.name) : [])
      this.#want(message, state === 'done' || state === 'failed' ? state : undefined, 'working')
    return () => {
      this.#isConnected = false
    }
  }

  working(message: Marked): void {
    this.#want(message, 'working', undefined)
  }

  /** A turn that was interrupted leaves no reaction: its message is read again with the next one. */
  ended(message: Marked, reason: TurnEndReason): void {
    const state = reason === 'completed' ? 'done' : reason === 'interrupted' ? undefined : 'failed'
    // The reaction may have been set by an ended process.
    this.#want(message, state, 'working')
  }

  /** Removes the reaction: the message was handled without a turn of its own. */
  clear(message: Marked): void {
    if (this.#isOn && this.#deps.store.isMarked(message)) this.#want(message, undefined, 'working')
  }

  get #isOn(): boolean {
    const { platform } = this.#deps
    const isWanted = (platform.settings ?? platformSettingDefaults).reactions
    return isWanted && platform.react !== undefined && !platform.isEvents
  }

  #want(message: Marked, state: ReactionState | undefined, before: ReactionState | undefined): void {
    if (!this.#isOn || message.press !== undefined) return
    const key = `${message.chatId}\n${message.messageId}`
    const mark = this.#marks.get(key) ?? { shown: before, wanted: before, isBusy: false }
    mark.wanted = state
    this.#keep(message, state ?? 'none')
    this.#marks.set(key, mark)
    const [oldest] = this.#marks.size > MAX_REMEMBERED ? this.#marks.keys() : []
    if (oldest !== undefined) this.#marks.delete(oldest)
    if (!mark.isBusy && this.#isConnected) void this.#show(message, mark, key)
  }

  /** A database that cannot be written ends no turn. */
  #keep(message: MarkedMessage, state: KeptMark['state'] | undefined): void {
    const { store, log } = this.#deps
    try {
      if (state === undefined) store.unmark(message)
      else store.mark(message, state)
    } catch (error) {
      log.debug('a reaction could not be stored', { error })
    }
  }

  /** One call at a time for each message, until it shows what is wanted. */
  async #show(message: MarkedMessage, mark: Mark, key: string): Promise<void> {
    const { chatId, threadId, messageId } = message
    const { platform, clock, log, signal } = this.#deps
    mark.isBusy = true
    let isOver = true
    try {
      while (mark.wanted !== mark.shown && !signal.aborted) {
        const { wanted: state, shown: before } = mark
        const place = { chatId, messageId, ...(threadId !== undefined && { threadId }) }
        await retryWhileBusy(async () => platform.react?.({ ...place, state, before }, signal), { clock, signal })
        mark.shown = state
      }
    } catch (error) {
      isOver = !signal.aborted && classifyDeliveryError(error).kind === 'refused'
      if (!signal.aborted) log.debug('a message could not be marked', { error })
    }
    mark.isBusy = false
    if (mark.wanted === 'working') return
    this.#marks.delete(key)
    if (isOver && (mark.shown === mark.wanted || !signal.aborted)) this.#keep(message, undefined)
  }
}
