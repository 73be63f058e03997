/** Codes with which the connection of a terminal is closed (RFC 6455, 7.4: from 4000 on those of the program). */
export const CLOSE_CODES = {
  /** The query is malformed: profile, channel, session or key. */
  badRequest: 4400,
  /** What was asked for is switched off. */
  off: 4404,
  /** A newer client has this terminal. */
  superseded: 4409,
  /** The program has ended. */
  ended: 4410,
  /** The program could not be started, or there are too many. */
  failed: 1011,
} as const

/** A close frame has room for 123 bytes (RFC 6455, 5.5.1). */
const MAX_BYTES = 123

/** The reason, cut between characters where it is too long. */
export function cutReason(reason: string): string {
  const bytes = Buffer.from(reason)
  if (bytes.length <= MAX_BYTES) return reason
  let end = MAX_BYTES - 3
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.subarray(0, end).toString()}...`
}
