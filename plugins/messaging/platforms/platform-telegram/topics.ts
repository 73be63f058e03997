/** In which topics of groups the bot is at work. */
import type { InboundMessage } from 'svc/sdk/platform'
import { GENERAL } from './outgoing.ts'

/** Ids of topics; what is in no topic is in General. */
export interface Topics {
  /** Empty: all. */
  readonly allowed: readonly string[]
  readonly ignored: readonly string[]
}

/** Ids in the environment go before those of the configuration. */
export function parseTopics(variable: string | undefined, configured: readonly string[]): readonly string[] {
  const ids = variable === undefined ? configured : variable.split(',').map((each) => each.trim())
  return ids.filter((each) => each !== '')
}

/** A button is pressed where the question was asked, so that is always wanted. */
export function isWanted(
  { chatKind, threadId = GENERAL, press }: InboundMessage,
  { allowed, ignored }: Topics,
): boolean {
  if (chatKind === 'dm' || press !== undefined) return true
  return (allowed.length === 0 || allowed.includes(threadId)) && !ignored.includes(threadId)
}
