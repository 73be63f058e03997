/** `/api/ws`: the JSON-RPC interface over a WebSocket. */
import { homedir } from 'node:os'
import type { PluginContext } from 'svc/sdk'
import { type HttpSocket, Rpc } from 'svc/sdk/web'
import type { Config } from './config.ts'

/** A message with pictures. */
export const MAX_MESSAGE = 32 * 2 ** 20
/** Bytes that wait for a client that does not read. */
const MAX_WAITING = 8 * 2 ** 20
/** RFC 6455, IANA registry: "Try Again Later". */
const TRY_AGAIN = 1013

export async function serveRpc(ctx: PluginContext<Config>, socket: HttpSocket): Promise<void> {
  await using connection = ctx.use(Rpc).connect({
    cwd: homedir(),
    send(message) {
      if (socket.waitingBytes > MAX_WAITING) socket.close(TRY_AGAIN, 'the client does not read')
      else void socket.send(message)
    },
  })
  for await (const text of socket.messages) connection.receive(text)
}
