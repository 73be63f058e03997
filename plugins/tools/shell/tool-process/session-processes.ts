/** Which sessions know of a process: the one that started it, and branches of that one. */
import { Conversations, errorCode, type PluginContext, type Session, Sessions } from 'svc/sdk'
import type { ProcessNotification } from 'svc/sdk/shell'
import { StartedProcesses } from 'svc/sdk/shell'
import type { StartedList } from './registry.ts'

/** Ids that a session remembers; more than processes are tracked. */
const MAX_IDS = 100

type Context = Pick<PluginContext<undefined>, 'find'>

export function startedList(ctx: Context): StartedList {
  const of = (sessionId: string) => findSession(ctx, sessionId)?.state(StartedProcesses) ?? []
  return {
    of,
    add: (sessionId, id) =>
      findSession(ctx, sessionId)?.setState(StartedProcesses, [...of(sessionId), id].slice(-MAX_IDS)),
  }
}

/** The notice, for a branch whose conversation is open where that of the session that started the process is not. */
export function addressNotice(ctx: Context, notice: ProcessNotification): ProcessNotification {
  const conversations = ctx.find(Conversations)
  if (!conversations || conversations.of(notice.sessionId)) return notice
  const isKnown = ({ sessionId }: { readonly sessionId: string }) =>
    findSession(ctx, sessionId)?.state(StartedProcesses)?.includes(notice.processId)
  const branch = conversations.all().find(isKnown)
  return branch ? { ...notice, sessionId: branch.sessionId } : notice
}

function findSession(ctx: Context, id: string): Session | undefined {
  try {
    return ctx.find(Sessions)?.open(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}
