/** Stored with the session of a subagent: its id, and the files that its tools changed and read. */
import { resolve } from 'node:path'
import { defineSessionState, type Session, type SessionState, type ToolCallEvent, type ToolResult } from 'svc/sdk'
import { readPaths } from './read-files.ts'

const MAX_FILES = 40

export interface ChildNotes {
  readonly id: string
  /** Levels of subagents above it. */
  readonly depth: number
  readonly role: 'leaf' | 'orchestrator'
  /** Files that it changed: absolute, the newest last. */
  readonly files: readonly string[]
  /** The same for those that it read. */
  readonly read?: readonly string[]
  /** Where text that is not the user's came from. */
  readonly origin?: string
}

/** Only sessions of subagents have it. */
export const SubagentNotes: SessionState<ChildNotes> = defineSessionState('delegation:subagent', {
  undo: 'keeps',
  parse: (value) => (isNotes(value) ? value : undefined),
})

function isNotes(value: unknown): value is ChildNotes {
  const { id, depth, role, files } = (value ?? {}) as Partial<Record<keyof ChildNotes, unknown>>
  return typeof id === 'string' && typeof depth === 'number' && typeof role === 'string' && Array.isArray(files)
}

/** Keeps the files that a call changed, and whether it read what is not the user's. */
export function noteCall(session: Session, result: ToolResult, event: ToolCallEvent): void {
  const { acts, tool, turn } = event
  const notes = session.state(SubagentNotes)
  if (!notes) return
  const origin = notes.origin ?? result.origin ?? turn.origins()[0] ?? (tool.untrusted ? 'result of a tool' : undefined)
  // Files of another machine are not files that the parent could look at.
  const written = result.failed || acts.environment !== undefined ? [] : (acts.writes ?? [])
  const changed = written.map((path) => resolve(acts.cwd ?? turn.cwd, path))
  const files = addNew(notes.files, changed)
  const { read: before = [] } = notes
  const read = addNew(before, readPaths(result, event))
  if (files === notes.files && read === before && origin === notes.origin) return
  session.setState(SubagentNotes, { ...notes, files, read, ...(origin !== undefined && { origin }) })
}

/** The list itself where nothing is new. */
function addNew(known: readonly string[], paths: readonly string[]): readonly string[] {
  const added = paths.filter((path) => !known.includes(path))
  return added.length === 0 ? known : [...known, ...added].slice(-MAX_FILES)
}
