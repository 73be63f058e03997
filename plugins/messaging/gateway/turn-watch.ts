/** What a chat does while a turn runs: tell that it takes long, and stop it when nothing happens any more. Pure. */

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
