/** One client over standard input and output, one JSON message a line. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type CliContext, logFault, type PluginContext } from 'svc/sdk'
import { Language, Plugins } from 'svc/sdk/host'
import { type ConnectedClients, followSkills } from './clients.ts'
import type { Config } from './config.ts'
import { describeServer } from './describe.ts'
import { ServedOffer } from './offer.ts'
import { listOwnExports } from './own-exports.ts'

/** The longest message. */
const MAX_LINE = 16 * 2 ** 20
/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

/** Serves until the input ends or svc is told to stop; running calls are cancelled then. */
export async function serveStdio(
  ctx: PluginContext<Config>,
  io: CliContext,
  clients: ConnectedClients,
): Promise<number> {
  const [{ protocol }] = await Promise.all([import('./protocol.ts'), ctx.use(Plugins).bring(Language)])
  const offer = new ServedOffer(ctx, listOwnExports(ctx))
  const failed = (error: unknown) => logFault(ctx.log, 'a message of an MCP client failed', error)
  const info = describeServer(ctx)
  const connected = protocol.createServer({ info, offer, id: 'stdio', cwd: io.cwd, failed })
  const { server } = connected
  clients.add(connected)
  followSkills(ctx, clients)
  const write = (message: object) => io.out(`${JSON.stringify(message)}\n`)
  const transport: Transport = {
    start: async () => {},
    send: async (message) => {
      write(message)
      await io.drained()
    },
    close: async () => transport.onclose?.(),
  }
  await server.connect(transport)
  const closed = new Promise<void>((resolve) => {
    io.signal.addEventListener('abort', () => resolve())
  })
  const reading = (async () => {
    for await (const line of io.lines(MAX_LINE)) {
      if (line?.trim() === '') continue
      const read = readMessage(line, (value) => protocol.JSONRPCMessageSchema.safeParse(value).data)
      if ('reject' in read) write({ jsonrpc: '2.0', id: null, error: read.reject })
      else transport.onmessage?.(read.message)
    }
  })()
  await Promise.race([reading, closed])
  await server.close()
  await offer.settled()
  return 0
}

type Read =
  | { readonly message: JSONRPCMessage }
  | { readonly reject: { readonly code: number; readonly message: string } }

/** `line` is undefined when it was too long. */
function readMessage(line: string | undefined, check: (value: unknown) => JSONRPCMessage | undefined): Read {
  if (line === undefined) {
    const message = `The message is over ${MAX_LINE / 2 ** 20} MiB; it was left out.`
    return { reject: { code: INVALID_REQUEST, message } }
  }
  try {
    const message = check(JSON.parse(line))
    return message ? { message } : { reject: { code: INVALID_REQUEST, message: 'This is no message of JSON-RPC 2.0.' } }
  } catch {
    return { reject: { code: PARSE_ERROR, message: 'The line is not JSON. Send one JSON object on one line.' } }
  }
}
