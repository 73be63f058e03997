/** What the bench and its model server say to each other. */

/** What the server plays next, to one client. Answered with a `Report` of what it played before. */
export interface Scenario {
  /** Rounds of one call of the tool `terminal` each, before the answer. */
  readonly rounds: number
  /** Deltas of the answer. */
  readonly deltas: number
  /** Deltas of it in a second; left out: all at once. */
  readonly pace?: number
}

/** What a client did. */
export interface Report {
  readonly url: string
  readonly requests: number
  /** Bytes of the first request's body. */
  readonly firstBytes: number
  /** Milliseconds between each answer and the request that followed it. */
  readonly gaps: readonly number[]
}

/** The answer ends with this, so that it can be seen to have arrived. */
export const LAST_WORDS = 'and that is all.'
