/** One connection with an editor, from its first message to its end. */
import type { AnyMessage, JsonRpcId } from '@agentclientprotocol/sdk'
import { type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { Commands, Language, Plugins } from 'svc/sdk/host'
import { createApp } from './app.ts'
import { Editor } from './editor.ts'
import { EditorSessions } from './editor-sessions.ts'
import type { FileChanges } from './file-changes.ts'
import { openLineStream } from './line-stream.ts'

/** Serves the editor until its input ends or svc is told to stop; running turns are stopped then. */
export async function serve(ctx: PluginContext<undefined>, io: CliContext, changes: FileChanges): Promise<number> {
  const [protocol] = await Promise.all([import('./protocol.ts'), ctx.use(Plugins).bring(Language)])
  const later = new Map<JsonRpcId, () => void>()
  let open: EditorSessions | undefined
  const sessions = () => {
    if (!open) throw new SvcError('ACP_SESSION_UNKNOWN', 'The connection is not open yet.')
    return open
  }
  const app = createApp(ctx, { protocol, sessions, answered: (id, work) => void later.set(id, work) })
  const connection = app.connect(openLineStream(io, (message) => runLater(later, message)))
  open = new EditorSessions(ctx, { editor: new Editor(connection.client, ctx.log), changes })
  const stop = () => connection.close()
  io.signal.addEventListener('abort', stop)
  const watching = ctx.use(Commands).onChange(() => open?.tellCommands())
  try {
    await connection.closed
    return 0
  } finally {
    io.signal.removeEventListener('abort', stop)
    await watching()
    await open.closeAll()
  }
}

/** What had to wait for a response runs once that is written. */
function runLater(later: Map<JsonRpcId, () => void>, message: AnyMessage): void {
  if ('method' in message) return
  const work = later.get(message.id)
  later.delete(message.id)
  if (work && 'result' in message) work()
}
