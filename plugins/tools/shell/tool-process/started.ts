/** Which sessions know of a process: the one that started it, and branches of that one. */
import {
  Conversations,
  errorCode,
  type PluginContext,
  type ProcessNotice,
  type Session,
  Sessions,
  StartedProcesses,
} from 'svc/sdk'
import type { StartedList } from './registry.ts'

/** Ids that a session remembers; more than processes are tracked. */
const MAX_IDS = 100

type Context = Pick<PluginContext<undefined>, 'find'>

export function startedList(ctx: Context): StartedList {
  const of = (sessionId: string) => sessionOf(ctx, sessionId)?.state(StartedProcesses) ?? []
  return {
    of,
    add: (sessionId, id) =>
      sessionOf(ctx, sessionId)?.setState(StartedProcesses, [...of(sessionId), id].slice(-MAX_IDS)),
  }
}

/** The notice, for a branch whose conversation is open where that of the session that started the process is not. */
export function addressed(ctx: Context, notice: ProcessNotice): ProcessNotice {
  const conversations = ctx.find(Conversations)
  if (!conversations || conversations.of(notice.sessionId)) return notice
  const isKnown = ({ sessionId }: { readonly sessionId: string }) =>
    sessionOf(ctx, sessionId)?.state(StartedProcesses)?.includes(notice.processId)
  const branch = conversations.all().find(isKnown)
  return branch ? { ...notice, sessionId: branch.sessionId } : notice
}

function sessionOf(ctx: Context, id: string): Session | undefined {
  try {
    return ctx.find(Sessions)?.open(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}
