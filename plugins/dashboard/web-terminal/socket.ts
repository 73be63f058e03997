/** One client of `/api/pty`: output is binary, what it sends is typed or is the size of its window. */
import { errorCode, errorMessage, type Logger, logFault } from 'svc/sdk'
import type { HttpSocket } from 'svc/sdk/web'
import { CLOSE_CODES, cutReason } from './close-codes.ts'
import { parseQuery, type TerminalQuery } from './launch.ts'
import type { ProgramLaunch } from './program.ts'
import type { Seat } from './terminal.ts'
import type { Terminals } from './terminals.ts'

export interface SocketDeps {
  readonly terminals: Terminals
  readonly log: Logger
  readonly allowsShell: boolean
  launch(query: TerminalQuery): ProgramLaunch
}

/** Resolves when the client has left or another one has its terminal. */
export async function serveTerminal(socket: HttpSocket, deps: SocketDeps): Promise<void> {
  const seat = await findSeat(socket, deps)
  if (!seat) return
  try {
    for await (const frame of socket.frames) await seat.receive(frame)
  } finally {
    seat.leave()
  }
}

async function findSeat(socket: HttpSocket, deps: SocketDeps): Promise<Seat | undefined> {
  try {
    const query = parseQuery(socket.request.query)
    if (query.isShell && !deps.allowsShell) {
      socket.close(CLOSE_CODES.off, 'the shell is switched off: see web_terminal.shell')
      return undefined
    }
    const { isShell, profile = '', attach, isFresh } = query
    const key = attach === undefined ? undefined : `${isShell ? 'shell' : 'chat'} ${profile} ${attach}`
    const client = {
      send: (bytes: Uint8Array) => socket.send(bytes),
      close: (code: number, reason: string) => socket.close(code, cutReason(reason)),
    }
    return await deps.terminals.open({ key, isFresh, launch: () => deps.launch(query) }, client)
  } catch (error) {
    logFault(deps.log, 'a terminal could not be opened', error)
    const isMalformed = errorCode(error) === 'WEB_TERMINAL_QUERY'
    socket.close(isMalformed ? CLOSE_CODES.badRequest : CLOSE_CODES.failed, cutReason(errorMessage(error)))
    return undefined
  }
}
