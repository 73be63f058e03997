/** The sessions that an editor has open, and those that are stored. */
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { ListSessionsResponse } from '@agentclientprotocol/sdk'
import { type PluginContext, type SessionSummary, Sessions, SvcError } from 'svc/sdk'
import type { Editor } from './editor.ts'
import { EditorSession, type SessionDeps } from './session.ts'
import { EditorSettings } from './settings.ts'

type Context = PluginContext<undefined>

const MAX_SESSIONS = 64
const PAGE = 50

export class EditorSessions {
  readonly editor: Editor
  readonly #deps: SessionDeps
  readonly #open = new Map<string, EditorSession>()

  constructor(ctx: Context, given: Pick<SessionDeps, 'editor' | 'changes'>) {
    this.editor = given.editor
    this.#deps = { ctx, ...given, settings: new EditorSettings(ctx) }
  }

  /** Throws `ACP_FOLDER` and `ACP_SESSION_LIMIT`. */
  async create(cwd: string): Promise<EditorSession> {
    const isFolder = isAbsolute(cwd) && (await stat(cwd).catch(() => undefined))?.isDirectory()
    if (!isFolder) {
      const text = `"${cwd.slice(0, 200)}" is not a folder. Name one that exists, as an absolute path.`
      throw new SvcError('ACP_FOLDER', text, { status: 400 })
    }
    return this.#add({ cwd })
  }

  /** Throws `SESSION_NOT_FOUND` and `ACP_SESSION_LIMIT`. */
  load(sessionId: string): EditorSession {
    return (
      this.#open.get(sessionId) ?? this.#add({ cwd: this.#deps.ctx.use(Sessions).summary(sessionId).cwd, sessionId })
    )
  }

  find(sessionId: string): EditorSession | undefined {
    return this.#open.get(sessionId)
  }

  /** Throws `ACP_SESSION_UNKNOWN`. */
  get(sessionId: string): EditorSession {
    const found = this.#open.get(sessionId)
    if (found) return found
    const text = `This connection has no open session "${sessionId.slice(0, 100)}". Create or load one first.`
    throw new SvcError('ACP_SESSION_UNKNOWN', text, { status: 404 })
  }

  tellCommands(): void {
    for (const session of this.#open.values()) session.tellCommands()
  }

  async close(sessionId: string): Promise<void> {
    const found = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    await found?.close()
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)))
  }

  #add(options: { readonly cwd: string; readonly sessionId?: string }): EditorSession {
    if (this.#open.size >= MAX_SESSIONS) {
      const text = `There are ${MAX_SESSIONS} open sessions, which is the most. Close one with session/close.`
      throw new SvcError('ACP_SESSION_LIMIT', text, { status: 429 })
    }
    const session = new EditorSession(this.#deps, options)
    this.#open.set(session.id, session)
    return session
  }
}

/** Throws `ACP_CURSOR`. */
export function listSessions(
  ctx: Context,
  { cwd, cursor }: { readonly cwd?: string | null; readonly cursor?: string | null },
): ListSessionsResponse {
  const offset = cursor ? Number(cursor) : 0
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new SvcError('ACP_CURSOR', 'The cursor is not one that this list returned.', { status: 400 })
  const found = ctx.use(Sessions).list({ limit: PAGE + 1, offset, ...(cwd && { cwd }) })
  const sessions = found.slice(0, PAGE).map(toInfo)
  return { sessions, ...(found.length > PAGE && { nextCursor: String(offset + PAGE) }) }
}

function toInfo({ id, cwd, title, updatedAt }: SessionSummary): ListSessionsResponse['sessions'][number] {
  return { sessionId: id, cwd, updatedAt: new Date(updatedAt).toISOString(), ...(title !== undefined && { title }) }
}
