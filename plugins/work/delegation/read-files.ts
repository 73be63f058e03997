/** Which files each session has read, so that its model is told when a subagent has changed one of them. */
import { resolve } from 'node:path'
import type { ToolCallEvent, ToolResult } from 'svc/sdk'

const MAX_FILES = 200
const MAX_SESSIONS = 64
/** Paths that a result names. */
export const MAX_STALE = 8

/** In memory: what was read before a delegation is stored with it. */
export class ReadFiles {
  /** The newest last. */
  readonly #sessions: Map<string, Set<string>> = new Map()

  note(result: ToolResult, { acts, turn }: ToolCallEvent): void {
    const read = readPaths(result, { acts, turn })
    if (read.length === 0) return
    const own = this.#sessions.get(turn.sessionId) ?? new Set()
    this.#sessions.delete(turn.sessionId)
    this.#sessions.set(turn.sessionId, own)
    for (const path of read) {
      own.delete(path)
      own.add(path)
    }
    trim(own, MAX_FILES)
    trim(this.#sessions, MAX_SESSIONS)
  }

  /** Absolute; the newest last. */
  of(session: string): readonly string[] {
    return [...(this.#sessions.get(session) ?? [])]
  }
}

/** Files of this machine that a call read; absolute. */
export function readPaths(result: ToolResult, { acts, turn }: Pick<ToolCallEvent, 'acts' | 'turn'>): readonly string[] {
  if (result.failed || acts.environment !== undefined) return []
  return (acts.reads ?? []).map((path) => resolve(acts.cwd ?? turn.cwd, path))
}

/** Those of `written` that were read before. */
export function findStale(written: readonly string[], read: Iterable<string>): readonly string[] {
  const known = new Set(read)
  return written.filter((path) => known.has(path)).slice(0, MAX_STALE)
}

/** A set or map keeps the order in which its entries were added: the first is the oldest. */
function trim(entries: Set<string> | Map<string, unknown>, most: number): void {
  for (const key of [...entries.keys()].slice(0, Math.max(0, entries.size - most))) entries.delete(key)
}
