/** A conversation with its older part replaced, and what was checked of it. Pure. */
import type { Message } from 'svc/sdk'
import type { Cut } from './cut.ts'
import { collectFacts, type LatestTools, missingFacts, renderFacts, splitFacts } from './kept-facts.ts'
import { clipResults, prune } from './shorten-messages.ts'
import { joinSummary } from './summary-message.ts'
import { totalTokens } from './tokens.ts'

/** Input and output of `Session.compress`. */
export interface Replacement {
  readonly from: number
  readonly to: number
  readonly summary: readonly Message[]
  /** The whole conversation afterwards. */
  readonly messages: readonly Message[]
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** A text replaces the messages that the cut removes; facts that it lost are added to it. */
export function replaceBySummary(
  messages: readonly Message[],
  cut: Cut,
  text: string,
  latest: LatestTools,
): Replacement {
  const { from, to, carried } = cut
  const again = carried === undefined ? [] : messages.slice(carried, carried + 1)
  const kept = [...messages.slice(0, from), ...again, ...messages.slice(to)]
  const own = splitFacts(text).text || text
  const lost = renderFacts(missingFacts(collectFacts(messages, latest), kept, own))
  const body = lost === '' ? own : `${own.trim()}\n\n${lost}`
  const summary = [...joinSummary(body, messages[from - 1], again[0] ?? messages[to]), ...again]
  return replacement(messages, { from, to }, summary)
}

/** Older messages are shortened without a model; undefined when a fact would be lost by that. */
export function replaceByPruning(
  messages: readonly Message[],
  { from, to }: Cut,
  latest: LatestTools,
): Replacement | undefined {
  const shorter = prune(messages, { from, to }, latest)
  if (missingFacts(collectFacts(messages, latest), shorter, '').length > 0) return undefined
  return replacement(messages, { from, to }, shorter.slice(from, to))
}

/**
 * Where even that is too much, results that would stay are cut in their middle: better than no answer at all. Without
 * a `done` nothing else is replaced. Undefined when there is nothing to cut.
 */
export function replaceByClipping(
  messages: readonly Message[],
  done: Replacement | undefined,
  most: number,
): Replacement | undefined {
  const current = done?.messages ?? messages
  const shorter = clipResults(current, most)
  if (!shorter) return done
  const from = done?.from ?? shorter.findIndex((message, at) => message !== messages[at])
  return replacement(messages, { from, to: messages.length }, shorter.slice(from))
}

function replacement(
  messages: readonly Message[],
  { from, to }: Pick<Cut, 'from' | 'to'>,
  summary: readonly Message[],
): Replacement {
  const after = [...messages.slice(0, from), ...summary, ...messages.slice(to)]
  return {
    from,
    to,
    summary,
    messages: after,
    tokensBefore: totalTokens(messages),
    tokensAfter: totalTokens(after),
  }
}
