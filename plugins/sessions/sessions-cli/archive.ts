/** A session as it leaves this home, and as it comes back: with its labels, without what its user took back. */
import { errorCode, type PluginContext, Sessions } from 'svc/sdk'
import type { SessionArchive, SessionReader } from 'svc/sdk/sessions'
import { SessionTrees } from 'svc/sdk/sessions'
import { withoutTakenBack } from './taken-back.ts'

type Context = PluginContext<undefined>

/** Throws `SESSION_NOT_FOUND`. */
export function readToKeep(ctx: Context, id: string): SessionReader {
  const labels = ctx.use(SessionTrees).labels(id)
  return withoutTakenBack({ ...ctx.use(Sessions).read(id), ...(labels.length > 0 && { labels }) })
}

/** False if a session with this id exists already: it is not changed. */
export function bringBack(ctx: Context, { labels = [], ...archive }: SessionArchive): boolean {
  try {
    ctx.use(Sessions).import(archive)
  } catch (error) {
    if (errorCode(error) === 'SESSION_EXISTS') return false
    throw error
  }
  for (const label of labels) ctx.use(SessionTrees).label(archive.session.id, label)
  return true
}
