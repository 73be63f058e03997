/** Times of the server: Unix seconds or milliseconds, as each interface has them. */

/** Below this a number of milliseconds would be in 1973. */
const MIN_MS = 1e11

export function toMs(time: number): number {
  return time < MIN_MS ? time * 1000 : time
}
