/** Which messages are kept and which are replaced by a summary. Pure. */
import type { Message } from 'svc/sdk'
import { isConversationSummary } from 'svc/sdk/sessions'
import { messageTokens, totalTokens } from './tokens.ts'

/** With fewer messages between them, head and tail may as well stay together. */
const LEAST_MIDDLE = 4
/** These stay however long they are. */
const LEAST_TAIL = 3
/** Of the tail, when more of it is wanted than it has room for. */
const SOFT_CEILING = 1.5
const HARD_CEILING = 2
const FLOOR = 8

/** Places in a conversation: messages from `from` up to, but not including, `to` are removed. */
export interface Cut {
  readonly from: number
  readonly to: number
  /** The index of the user's newest message if it is removed: it is repeated after the summary. */
  readonly carried?: number
}

/** What is protected. */
export interface Protection {
  readonly first: number
  readonly last: number
  /** Tokens. */
  readonly tail: number
}

/** A cut by size; undefined when there is too little to leave out. */
export function cutBySize(messages: readonly Message[], { first, last, tail }: Protection): Cut | undefined {
  const from = headEnd(messages, first, tail)
  const newest = newestRequest(messages)
  const by = tailStart(messages, from, { last, tail })
  const isNear = newest >= from && newest < by && totalTokens(messages.slice(newest)) <= tail * HARD_CEILING
  const to = isNear ? newest : by
  const isLost = newest >= from && newest < to
  if (to - from - (isLost ? 1 : 0) < LEAST_MIDDLE || isBehind(messages, to)) return undefined
  return { from, to, ...(isLost && { carried: newest }) }
}

/** A cut that leaves the last exchanges, each begun by the user; undefined when there is nothing before them. */
export function cutByExchanges(messages: readonly Message[], keep: number): Cut | undefined {
  const begins = messages.flatMap((message, at) => (isRequest(message) ? [at] : []))
  const to = begins.at(-keep) ?? 0
  return begins.length > keep && to > 0 && !isBehind(messages, to) ? { from: 0, to } : undefined
}

/** An earlier summary would stay: then there is nothing new before it. */
function isBehind(messages: readonly Message[], to: number): boolean {
  return messages.findLastIndex(isConversationSummary) >= to
}

/** The index of the last user message; -1 if there is none. */
export function newestRequest(messages: readonly Message[]): number {
  return messages.findLastIndex(isRequest)
}

export function isRequest(message: Message): boolean {
  return message.role === 'user' && !isConversationSummary(message)
}

/** With a summary the head is dropped: it would only become outdated. */
function headEnd(messages: readonly Message[], first: number, most: number): number {
  if (messages.some(isConversationSummary)) return 0
  let end = Math.min(first, messages.length)
  while (end > 0 && messages[end]?.role === 'tool') end++
  // A question without its answer says less than the summary does; the very first one is the goal.
  if (end > 1 && messages[end - 1]?.role === 'user') end--
  return totalTokens(messages.slice(0, end)) > most ? 0 : end
}

/** Results stay with the calls they answer. */
function tailStart(
  messages: readonly Message[],
  from: number,
  { last, tail }: Pick<Protection, 'last' | 'tail'>,
): number {
  let tokens = 0
  let start = messages.length
  for (let at = messages.length - 1; at > from; at--) {
    const message = messages[at]
    if (!message) break
    tokens += messageTokens(message)
    const count = messages.length - at
    const mayStay =
      tokens <= tail ||
      (count <= last && tokens <= tail * SOFT_CEILING) ||
      (count <= Math.min(last, FLOOR) && tokens <= tail * HARD_CEILING) ||
      count <= LEAST_TAIL ||
      start === messages.length
    if (!mayStay) break
    if (message.role !== 'tool') start = at
  }
  // If everything belongs to one call, nothing can be removed.
  return start === messages.length ? from : start
}
