/** The live feed over a WebSocket, for pages of the dashboard. */
import { errorCode, errorMessage, logFault } from 'svc/sdk'
import type { DashboardSocket } from 'svc/sdk/dashboard'
import { Boards } from 'svc/sdk/kanban'
import { followBatches } from './feed.ts'
import { type Context, getBoard, PREFIX } from './route.ts'

/** What waits for the network of a client that stopped reading. */
const MAX_WAITING = 4_000_000
/** RFC 6455, 7.4.1: the request does not follow the rules of this server. */
const POLICY = 1008

export function eventSocket(ctx: Context): DashboardSocket {
  return {
    path: `${PREFIX}/events`,
    summary: 'Events as they happen, in batches {events, cursor}; ?since= is a cursor, ?board= another board or *',
    async handle(socket) {
      const { query, signal } = socket.request
      const since = query.get('since') ?? ''
      const board = query.get('board') || undefined
      const boards = ctx.use(Boards)
      const problem = await findProblem(ctx, boards, board)
      if (problem !== undefined) return socket.close(POLICY, problem)
      const batches = followBatches({
        ...{ boards, query: getBoard({ board }), signal: AbortSignal.any([signal, ctx.signal]) },
        since: /^\d{1,15}$/.test(since) ? Number(since) : undefined,
      })
      for await (const batch of batches) {
        if (socket.waitingBytes > MAX_WAITING) return socket.close(POLICY, 'The client does not read.')
        await socket.send(JSON.stringify(batch))
      }
    },
  }
}

/** Why nothing can be told of a board, as the reason of a close. */
async function findProblem(ctx: Context, boards: Boards, board: string | undefined): Promise<string | undefined> {
  if (board === undefined || board === '*') return undefined
  try {
    await boards.board(board)
    return undefined
  } catch (error) {
    if (errorCode(error) !== 'KANBAN_BOARD_UNKNOWN') throw error
    logFault(ctx.log, 'a client of the live feed named a board that is not there', error)
    return errorMessage(error).slice(0, 100)
  }
}
