/** `/api/ws`: the JSON-RPC interface over a WebSocket. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext } from 'svc/sdk'
import { type HttpSocket, Rpc } from 'svc/sdk/web'
import type { Config } from './config.ts'

/** A message with pictures. */
export const MAX_MESSAGE = 32 * 2 ** 20
/** Bytes that wait for a client that does not read. */
const MAX_WAITING = 8 * 2 ** 20
/** A reload of the page and a short loss of the network stop no turn and close no session. */
const LINGER_MS = 60_000
/** RFC 6455, IANA registry: "Try Again Later". */
const TRY_AGAIN = 1013

export async function serveRpc(ctx: PluginContext<Config>, socket: HttpSocket): Promise<void> {
  // Sessions that name no folder do not work in that of the user, which may be any.
  const cwd = join(ctx.use(Home).dir, 'workspace')
  mkdirSync(cwd, { recursive: true, mode: 0o700 })
  await using connection = ctx.use(Rpc).connect({
    cwd,
    lingerMs: LINGER_MS,
    send(message) {
      if (socket.waitingBytes > MAX_WAITING) socket.close(TRY_AGAIN, 'the client does not read')
      else void socket.send(message)
    },
  })
  for await (const text of socket.messages) connection.receive(text)
}
