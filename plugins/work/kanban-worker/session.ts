/** The conversation of a task: a later worker of the same profile and machine goes on in it, so that nothing is done twice unknowingly. */
import { errorCode, type Session, type Sessions } from 'svc/sdk'
import type { Boards, Task } from 'svc/sdk/kanban'
import { getMachineName } from 'svc/sdk/kit/process'

const KIND = 'worker_session'
export const SURFACE = 'kanban'

export interface TaskSession {
  readonly session: Session
  readonly isContinued: boolean
}

export async function openTaskSession(
  { boards, sessions, profile, cwd }: { boards: Boards; sessions: Sessions; profile: string; cwd: string },
  task: Task,
): Promise<TaskSession> {
  const owner = { profile, machine: getMachineName() }
  const events = await boards.events({ board: task.board, taskId: task.id, kinds: [KIND] })
  for (const { data } of events.toSorted((one, two) => two.id - one.id)) {
    if (data['profile'] !== owner.profile || data['machine'] !== owner.machine) continue
    const session = find(sessions, data['session'])
    if (session) return { session, isContinued: true }
  }
  const session = sessions.create({ surface: SURFACE, cwd, title: `${task.id} ${task.title}`.slice(0, 80) })
  // Written down before anything happens in it.
  await boards.record(task.id, KIND, { ...owner, session: session.id })
  return { session, isContinued: false }
}

/** A person may have removed it. */
function find(sessions: Sessions, id: unknown): Session | undefined {
  if (typeof id !== 'string') return undefined
  try {
    return sessions.open(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}
