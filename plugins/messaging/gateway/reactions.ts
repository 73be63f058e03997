/** Marks messages of people by how far they are: being worked on, done, failed. An ornament that never holds anything up. */
import type { Clock, Logger, TurnEndReason } from 'svc/sdk'
import {
  type InboundMessage,
  type Platform,
  platformSettingDefaults,
  type ReactionState,
  retryWhileBusy,
} from 'svc/sdk/platform'

/** Messages whose mark is remembered; older ones keep what they have. */
const MAX_REMEMBERED = 200

export interface ReactionDeps {
  readonly platform: Platform
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Pick<Logger, 'debug'>
  readonly signal: AbortSignal
}

/** The reactions on each platform; those of a platform that was replaced go with it. */
export class PlatformReactions {
  readonly #ports: Omit<ReactionDeps, 'platform'>
  readonly #known: WeakMap<Platform, Reactions> = new WeakMap()

  constructor(deps: Omit<ReactionDeps, 'platform'>) {
    this.#ports = deps
  }

  on(platform: Platform): Reactions {
    const known = this.#known.get(platform)
    if (known) return known
    const made = new Reactions({ platform, ...this.#ports })
    this.#known.set(platform, made)
    return made
  }
}

interface Mark {
  shown: ReactionState | undefined
  wanted: ReactionState | undefined
  isBusy: boolean
}

export class Reactions {
  readonly #deps: ReactionDeps
  readonly #marks: Map<string, Mark> = new Map()

  constructor(deps: ReactionDeps) {
    this.#deps = deps
  }

  working(message: InboundMessage): void {
    this.#want(message, 'working', undefined)
  }

  /** A turn that was interrupted leaves no mark: its message is read again with the next one. */
  ended(message: InboundMessage, reason: TurnEndReason): void {
    const state = reason === 'completed' ? 'done' : reason === 'interrupted' ? undefined : 'failed'
    // The mark may have been set by an ended process.
    this.#want(message, state, 'working')
  }

  #want(message: InboundMessage, state: ReactionState | undefined, before: ReactionState | undefined): void {
    const { platform } = this.#deps
    const isOn = (platform.settings ?? platformSettingDefaults).reactions && platform.react && !platform.isEvents
    if (!isOn || message.press !== undefined) return
    const key = `${message.chatId}\n${message.messageId}`
    const mark = this.#marks.get(key) ?? { shown: before, wanted: before, isBusy: false }
    mark.wanted = state
    this.#marks.set(key, mark)
    const [oldest] = this.#marks.size > MAX_REMEMBERED ? this.#marks.keys() : []
    if (oldest !== undefined) this.#marks.delete(oldest)
    if (!mark.isBusy) void this.#show(message, mark, key)
  }

  /** One call at a time for each message, until it shows what is wanted. */
  async #show({ chatId, threadId, messageId }: InboundMessage, mark: Mark, key: string): Promise<void> {
    const { platform, clock, log, signal } = this.#deps
    mark.isBusy = true
    try {
      while (mark.wanted !== mark.shown && !signal.aborted) {
        const { wanted: state, shown: before } = mark
        const place = { chatId, messageId, ...(threadId !== undefined && { threadId }) }
        await retryWhileBusy(async () => platform.react?.({ ...place, state, before }, signal), { clock, signal })
        mark.shown = state
      }
    } catch (error) {
      if (!signal.aborted) log.debug('a message could not be marked', { error })
    }
    mark.isBusy = false
    if (mark.wanted !== 'working') this.#marks.delete(key)
  }
}
