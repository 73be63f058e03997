/** Finds sessions by words: each with the place that was found and how the conversation began and ended. */
import type { Message, SessionSummary, Sessions, ToolResult } from 'svc/sdk'
import type { SessionSearchResult } from 'svc/sdk/sessions'
import { otherSessions } from './other-sessions.ts'
import { messageLine, sessionLine } from './text.ts'
import type { SearchInput } from './tools.ts'

/** Hits that are looked at, and words that are tried one by one when no message has them all. */
const MAX_HITS = 300
const MAX_WORDS = 6
/** Messages shown of a conversation's beginning and end. */
const ENDS = 3
/** Characters of a message near the place, and of one at an end. */
const NEAR_CHARS = 300
const END_CHARS = 200

interface SessionMatch {
  readonly session: SessionSummary
  readonly hits: readonly SessionSearchResult[]
}

/** Sessions with a message that has all words or, when none has, with messages that have most of them. */
export function findSessions(sessions: Sessions, query: string, asked: SearchInput, current: string): ToolResult {
  const searched = otherSessions(sessions, current)
  const exact = groupBySession(findHits(sessions, query, asked), searched)
  const found = exact.length > 0 ? exact : bySingleWords(sessions, query, asked, searched)
  const shown = orderSessions(found, asked.sort).slice(0, asked.limit)
  if (shown.length === 0)
    return {
      text: `Nothing was found in ${searched.size} other sessions. Try fewer or other words.`,
      data: { sessions: [] },
    }
  const note = exact.length > 0 ? [] : ['No message has all of these words; these have some:']
  const parts = shown.map((one) => formatPart(sessions, one, asked.window))
  return {
    text: [...note, ...parts].join('\n\n'),
    data: { sessions: shown.map(({ session, hits }) => createData(session, hits)) },
  }
}

/** The sessions used last. */
export function latestSessions(sessions: Sessions, { limit, sort }: SearchInput, current: string): ToolResult {
  const all = [...otherSessions(sessions, current).values()]
  const shown = (sort === 'oldest' ? all.toReversed() : all).slice(0, limit)
  const text = shown.map(sessionLine).join('\n') || 'There are no other sessions.'
  return { text, data: { sessions: shown.map((session) => createData(session, [])) } }
}

function findHits(
  sessions: Sessions,
  query: string,
  { role_filter: role }: SearchInput,
): readonly SessionSearchResult[] {
  return sessions.search(query, { limit: MAX_HITS, ...(role && { role }) })
}

function groupBySession(
  hits: readonly SessionSearchResult[],
  searched: ReadonlyMap<string, SessionSummary>,
): SessionMatch[] {
  const bySession = new Map<string, SessionSearchResult[]>()
  for (const hit of hits) bySession.set(hit.sessionId, [...(bySession.get(hit.sessionId) ?? []), hit])
  return [...bySession].flatMap(([id, own]) => {
    const session = searched.get(id)
    return session ? [{ session, hits: own }] : []
  })
}

function bySingleWords(
  sessions: Sessions,
  query: string,
  asked: SearchInput,
  searched: ReadonlyMap<string, SessionSummary>,
): SessionMatch[] {
  const words = [...new Set(query.match(/[\p{L}\p{N}_]{3,}/gu) ?? [])].slice(0, MAX_WORDS)
  const all = words.map((word) => groupBySession(findHits(sessions, word, asked), searched))
  const scored = new Map<string, SessionMatch & { readonly words: number }>()
  for (const one of all.flat()) {
    const before = scored.get(one.session.id)
    scored.set(one.session.id, { ...(before ?? one), words: (before?.words ?? 0) + 1 })
  }
  return [...scored.values()].sort((one, two) => two.words - one.words)
}

/** What ran by the clock comes after what a person has said. */
function orderSessions(found: readonly SessionMatch[], sort: SearchInput['sort']): SessionMatch[] {
  const inOrder = sort === 'oldest' ? found.toReversed() : [...found]
  return inOrder.sort((one, two) => Number(isScheduled(one)) - Number(isScheduled(two)))
}

function isScheduled({ session }: SessionMatch): boolean {
  return session.surface === 'cron'
}

function formatPart(sessions: Sessions, { session, hits }: SessionMatch, window: number): string {
  const messages = sessions.open(session.id).messages()
  const at = hits[0]?.messageIndex ?? 0
  const near = [Math.max(0, at - window), Math.min(messages.length, at + window + 1)] as const
  const others = hits.slice(1, 10).map(({ messageIndex }) => messageIndex)
  return [
    `## ${sessionLine(session)}`,
    ...range(messages, 0, Math.min(ENDS, near[0]), END_CHARS),
    ...(near[0] > ENDS ? ['...'] : []),
    ...range(messages, near[0], at, NEAR_CHARS),
    `[${at}] ${hits[0]?.role}: ${hits[0]?.snippet}  <- found`,
    ...range(messages, at + 1, near[1], NEAR_CHARS),
    ...(messages.length - ENDS > near[1] ? ['...'] : []),
    ...range(messages, Math.max(near[1], messages.length - ENDS), messages.length, END_CHARS),
    ...(others.length > 0 ? [`Found also in ${others.map((each) => `[${each}]`).join(' ')}.`] : []),
  ].join('\n')
}

function range(messages: readonly Message[], from: number, to: number, chars: number): string[] {
  return messages.slice(from, Math.max(from, to)).map((message, at) => messageLine(message, from + at, chars))
}

function createData({ id, title, updatedAt, surface }: SessionSummary, hits: readonly SessionSearchResult[]): object {
  const matches = hits.map(({ messageIndex, role, snippet, at }) => ({ messageIndex, role, snippet, at }))
  return { id, title, updatedAt, surface, matches }
}
