/** Files as they were before a call of a tool and as they are after it: what an editor shows as a diff. */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ToolCallEvent, ToolResult } from 'svc/sdk'

/** A file that a call changed. `before` is left out for a new one; `after` is empty for one that was removed. */
export interface FileChange {
  readonly path: string
  readonly before?: string
  readonly after: string
}

const MAX_FILES = 20
const MAX_BYTES = 2 ** 20

/** A file without a text that can be shown: too large, not text, no file. */
const UNREADABLE = Symbol('unreadable')
type FileText = string | undefined | typeof UNREADABLE

export class FileChanges {
  readonly #watched = new Set<string>()
  readonly #made = new Map<string, readonly FileChange[]>()

  /** Keeps the changes of a session's calls until they are taken. */
  watch(sessionId: string): void {
    this.#watched.add(sessionId)
  }

  unwatch(sessionId: string): void {
    this.#watched.delete(sessionId)
  }

  /** The changes of a call, once. */
  take(turnId: string, callId: string): readonly FileChange[] {
    const id = `${turnId}/${callId}`
    const made = this.#made.get(id) ?? []
    this.#made.delete(id)
    return made
  }

  /** Contract: a listener of `AroundToolCall`. The call is passed on as it is. */
  async around(request: ToolCallEvent, next: (request: ToolCallEvent) => Promise<ToolResult>): Promise<ToolResult> {
    const { turn, acts } = request
    const isHere = acts.environment === undefined
    const writes = isHere && this.#watched.has(turn.sessionId) ? (acts.writes ?? []) : []
    if (writes.length === 0) return next(request)
    const paths = writes.slice(0, MAX_FILES).map((path) => resolve(turn.cwd, acts.cwd ?? '.', path))
    const before = await Promise.all(paths.map(readText))
    try {
      return await next(request)
    } finally {
      const after = await Promise.all(paths.map(readText))
      const made = paths.flatMap((path, at) => toChange(path, before[at], after[at]))
      if (made.length > 0) this.#made.set(`${turn.turnId}/${turn.callId}`, made)
    }
  }
}

function toChange(path: string, before: FileText, after: FileText): FileChange[] {
  if (before === UNREADABLE || after === UNREADABLE || before === after) return []
  return [{ path, after: after ?? '', ...(before !== undefined && { before }) }]
}

/** Undefined: there is no file. Never rejects. */
async function readText(path: string): Promise<FileText> {
  try {
    const found = await stat(path)
    // A pipe would never end.
    if (!found.isFile() || found.size > MAX_BYTES) return UNREADABLE
    const text = await readFile(path, 'utf8')
    return text.includes('\0') || text.includes('\ufffd') ? UNREADABLE : text
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : UNREADABLE
  }
}
