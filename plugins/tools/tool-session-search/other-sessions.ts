/** The conversations that may be looked into: not the one under way, and none that no person has held. */
import type { SessionSummary, Sessions } from 'svc/sdk'

const ALL = 1_000_000
/** Surfaces of sessions that are the work of another one. */
const INNER = ['subagent', 'tool']

/** By id, the one used last first. */
export function otherSessions(sessions: Sessions, current: string): ReadonlyMap<string, SessionSummary> {
  const all = new Map(sessions.list({ limit: ALL }).map((summary) => [summary.id, summary]))
  const own = findRoot(current, all)
  return new Map(
    [...all].filter(
      ([id, { surface, messageCount }]) => !INNER.includes(surface) && messageCount > 0 && findRoot(id, all) !== own,
    ),
  )
}

/** Where a session's line of branches and compressions began. */
function findRoot(id: string, all: ReadonlyMap<string, SessionSummary>): string {
  const seen = new Set([id])
  let root = id
  for (let parent = all.get(id)?.parent; parent !== undefined && !seen.has(parent); parent = all.get(parent)?.parent) {
    seen.add(parent)
    root = parent
  }
  return root
}
