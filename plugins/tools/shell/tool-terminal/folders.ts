/** The folder that the shell of a session stands in, as state of the session. */
import { defineSessionState, errorCode, type Session, type SessionState, type Sessions } from 'svc/sdk'
import type { WorkingFolderChange } from 'svc/sdk/sessions'
import type { Folders } from './shells.ts'

const ShellFolder: SessionState<string> = defineSessionState('tool-terminal:folder', {
  undo: 'restores',
  parse: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
})

/** Sessions that nothing stores, whose folders are remembered here. */
const MAX_REMEMBERED = 256

/** `sessions`: undefined where nothing stores sessions. `changed` is called after another folder is stored. */
export function sessionFolders(
  sessions: () => Sessions | undefined,
  changed: (change: WorkingFolderChange) => void = () => {},
): Folders {
  const remembered = new Map<string, string>()
  const open = (sessionId: string): Session | undefined => {
    try {
      return sessions()?.open(sessionId)
    } catch (error) {
      // A caller with its own session has no state to return to.
      if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
      throw error
    }
  }
  return {
    get: (sessionId) => {
      const session = open(sessionId)
      return session ? session.state(ShellFolder) : remembered.get(sessionId)
    },
    set: (sessionId, folder) => {
      const session = open(sessionId)
      if (session) {
        const previous = session.state(ShellFolder)
        session.setState(ShellFolder, folder)
        if (folder !== (previous ?? session.cwd))
          changed({ sessionId, cwd: folder, ...(previous !== undefined && { previous }) })
        return
      }
      remembered.delete(sessionId)
      remembered.set(sessionId, folder)
      const [oldest] = remembered.keys()
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    },
  }
}
