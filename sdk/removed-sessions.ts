/** What a plugin keeps of sessions, and how it goes with them. */
import { errorCode } from './errors.ts'
import type { PluginContext } from './plugin.ts'
import { Clock } from './ports.ts'
import type { Schema } from './schema.ts'
import { Sessions, SessionsRemoved } from './sessions.ts'

/** Rows or files of a plugin that belong to sessions. @since 0.2 */
export interface SessionBelongings {
  /** The ids of sessions for which there is something; empty where nothing was ever stored, without making a database. */
  sessions(): readonly string[] | Promise<readonly string[]>
  /** Deletes what belongs to these sessions. */
  forget(sessionIds: readonly string[]): void | Promise<void>
  /**
   * `restorable` (default): it is kept for as long as the session can be restored from the trash. `removed`: it goes at once, and a
   * restored session is without it.
   */
  readonly until?: 'restorable' | 'removed'
}

const DAY_MS = 86_400_000
/** How long the trash keeps sessions, and a day. */
const KEPT_MS = 31 * DAY_MS
/** After the start: not in commands, and not in the first seconds of anything. */
const FIRST_MS = 60_000
const MAX_SESSIONS = 2000

/**
 * Deletes what a plugin keeps of sessions once they are removed: at `SessionsRemoved`, and by a look once a day for what another
 * process removed, or a crash left. To be called in `setup`. State of sessions (`ctx.sessionState`) does not need it.
 * @since 0.2
 */
export function forgetWithSessions(
  ctx: Pick<PluginContext<unknown>, 'on' | 'every' | 'state' | 'find' | 'use'>,
  { sessions, forget, until = 'restorable' }: SessionBelongings,
): void {
  const missing = ctx.state('missing-sessions', { schema: timesById, initial: {} })
  ctx.on(SessionsRemoved, async ({ sessions: removed, isRestorable }) => {
    if (isRestorable && until === 'restorable') return
    const ids = new Set(removed.map(({ id }) => id))
    const own = (await sessions()).filter((id) => ids.has(id))
    if (own.length > 0) await forget(own)
  })
  let isFirst = true
  const sweep = async () => {
    isFirst = false
    const stored = ctx.find(Sessions)
    if (!stored) return
    const gone = (await sessions()).slice(0, MAX_SESSIONS).filter((id) => !exists(stored, id))
    const now = ctx.use(Clock).now()
    const since = until === 'removed' || gone.length === 0 ? {} : missing.get()
    const due = gone.filter((id) => until === 'removed' || now - (since[id] ?? now) >= KEPT_MS)
    if (due.length > 0) await forget(due)
    const left = gone.filter((id) => !due.includes(id))
    if (left.length > 0 || Object.keys(since).length > 0)
      await missing.set(Object.fromEntries(left.map((id) => [id, since[id] ?? now])))
  }
  ctx.every(() => (isFirst ? FIRST_MS : DAY_MS), sweep)
}

function exists(sessions: Sessions, id: string): boolean {
  try {
    sessions.summary(id)
    return true
  } catch (error) {
    // Any other failure says nothing of the session, and nothing may be deleted for it.
    if (errorCode(error) !== 'SESSION_NOT_FOUND') throw error
    return false
  }
}

/** When each session was missed first, in milliseconds since 1970. */
const timesById: Schema<Readonly<Record<string, number>>> = {
  '~standard': {
    version: 1,
    vendor: 'svc',
    validate(value) {
      const isMap = typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite)
      return isMap ? { value: value as Record<string, number> } : { issues: [{ message: 'is no map of times' }] }
    },
  },
}
