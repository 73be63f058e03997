/** What a session has delegated, as a tree: its delegations, their subagents, and what those have delegated. */
import type { ChildResult } from './delegation.ts'
import type { StoredUnit } from './units.ts'

const MAX_DEPTH = 8

/** One delegation. */
export interface SpawnTree {
  readonly id: string
  /** Unix times in milliseconds. */
  readonly createdAt: number
  readonly endedAt?: number
  readonly mode: 'inline' | 'background'
  readonly children: readonly SpawnedChild[]
}

export interface SpawnedChild {
  readonly id: string
  readonly goal: string
  readonly role: string
  /** Undefined before it has begun. */
  readonly sessionId?: string
  /** Undefined while it has not ended. */
  readonly result?: ChildResult
  readonly delegations: readonly SpawnTree[]
}

export async function readTrees(
  recent: (session: string) => Promise<readonly StoredUnit[]>,
  session: string,
  depth = 0,
): Promise<readonly SpawnTree[]> {
  if (depth === MAX_DEPTH) return []
  const units = await recent(session)
  return await Promise.all(
    units.map(async ({ unit, endedAt, children }) => ({
      ...{ id: unit.id, createdAt: unit.createdAt, mode: unit.mode },
      ...(endedAt !== undefined && { endedAt }),
      children: await Promise.all(
        children.map(async ({ id, index, sessionId, result }) => ({
          ...{ id, goal: unit.tasks[index]?.goal ?? '', role: unit.tasks[index]?.role ?? 'leaf' },
          ...(sessionId !== undefined && { sessionId }),
          ...(result && { result }),
          // Only orchestrators delegate, so for most there is nothing to look up.
          delegations:
            sessionId !== undefined && unit.tasks[index]?.role === 'orchestrator'
              ? await readTrees(recent, sessionId, depth + 1)
              : [],
        })),
      ),
    })),
  )
}
