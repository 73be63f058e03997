/** What a chat does while a turn runs: tell that it takes long, and stop it when nothing happens any more. */
import type { Clock, Dispose } from 'svc/sdk'

const STEP_MS = 4000

/** Times of the turn under way, in milliseconds. */
export interface WatchedTurn {
  readonly since: number
  /** The newest event of it. */
  readonly eventAt: number
  /** When the chat was last notified that the turn is still running. */
  readonly noticedAt: number
}

/** Limits in seconds; 0: none. */
export interface WatchLimits {
  readonly working_notice_seconds: number
  readonly inactivity_seconds: number
}

/** What is due. */
export interface WatchStep {
  readonly turn: WatchedTurn
  /** The chat is to be notified that the turn has been running for this long. */
  readonly workingMs?: number
  /** Nothing has happened for `inactivity_seconds`. */
  readonly isStuck: boolean
}

/** A turn that begins now. */
export function watchedFrom(now: number): WatchedTurn {
  return { since: now, eventAt: now, noticedAt: now }
}

export function watchTurn(
  turn: WatchedTurn,
  now: number,
  { working_notice_seconds: notice, inactivity_seconds: limit }: WatchLimits,
): WatchStep {
  const isLong = notice > 0 && now - turn.noticedAt >= notice * 1000
  const isStuck = limit > 0 && now - turn.eventAt >= limit * 1000
  return {
    turn: { ...turn, ...(isLong && { noticedAt: now }), ...(isStuck && { eventAt: now }) },
    ...(isLong && { workingMs: now - turn.since }),
    isStuck,
  }
}

/** The chat whose turn is watched. */
export interface WatchedChat {
  limits(): WatchLimits
  /** A question waits for a person. Such a turn is not stuck: the question has a limit. */
  isWaiting(): boolean
  showTyping(): void
  tellStillWorking(workingMs: number): void
  /** Nothing has happened for `inactivity_seconds`. */
  stop(): void
}

/** Watches one turn at a time, every few seconds. */
export class TurnWatch {
  readonly #clock: Clock
  readonly #chat: WatchedChat
  #turn: WatchedTurn | undefined
  #stopTimer: Dispose | undefined

  constructor(clock: Clock, chat: WatchedChat) {
    this.#clock = clock
    this.#chat = chat
  }

  /** A turn is under way. */
  get isUnderway(): boolean {
    return this.#turn !== undefined
  }

  begin(): void {
    this.#turn = watchedFrom(this.#clock.now())
    this.#step()
  }

  /** Something happened in the turn. */
  touch(): void {
    if (this.#turn) this.#turn = { ...this.#turn, eventAt: this.#clock.now() }
  }

  end(): void {
    this.#turn = undefined
    this.pause()
  }

  /** Watches no more, though the turn is not over. */
  pause(): void {
    void this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  #step(): void {
    this.pause()
    if (this.#chat.isWaiting()) this.touch()
    if (!this.#turn) return
    const { turn, workingMs, isStuck } = watchTurn(this.#turn, this.#clock.now(), this.#chat.limits())
    this.#turn = turn
    this.#chat.showTyping()
    if (workingMs !== undefined) this.#chat.tellStillWorking(workingMs)
    if (isStuck) this.#chat.stop()
    this.#stopTimer = this.#clock.after(STEP_MS, () => this.#step(), { background: true })
  }
}
