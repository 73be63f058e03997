/**
 * The realtime API of Rocket.Chat (developer.rocket.chat/apidocs/realtimeapi): a login with the token, and all messages of the account.
 */
import { tryParseJson } from 'svc/sdk'
import { readSocket, type SocketReading } from 'svc/sdk/kit/platform'
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { type ChatMessage, message } from './messages.ts'

/** The server pings about every half minute. */
const SILENCE_MS = 90_000
const PING_MS = 30_000
const LOGIN = 'login'
const MESSAGES = 'messages'

const frame = z.object({
  msg: z.string().optional(),
  id: z.string().optional(),
  error: z.object({ message: z.string().optional(), reason: z.string().optional() }).optional(),
  subs: z.array(z.string()).optional(),
  collection: z.string().optional(),
  fields: z.object({ args: z.array(z.unknown()).optional() }).optional(),
})

export interface EventOptions extends Pick<SocketReading, 'clock' | 'signal'> {
  /** Of the server. */
  readonly address: string
  readonly token: string
  /** Called once, with what calls a method of the server. */
  opened(call: (method: string, params: readonly unknown[]) => void): void
}

/** `ready` once, when messages flow; undefined for a sign of life. Throws `refused` for a token that is not accepted. */
export async function* readEvents(options: EventOptions): AsyncGenerator<ChatMessage | 'ready' | undefined, never> {
  const { address, token, clock, signal } = options
  let send = (_frame: object) => {}
  let count = 0
  const events = readSocket({
    ...{ url: `${address.replace(/^http/, 'ws')}/websocket`, label: 'Rocket.Chat', clock, signal },
    ...{ silenceMs: SILENCE_MS, pingMs: PING_MS },
    opened(socket) {
      send = (said) => socket.send(JSON.stringify(said))
      send({ msg: 'connect', version: '1', support: ['1'] })
    },
  })
  for await (const text of events) {
    const step = readFrame(frame.safeParse(tryParseJson(text ?? '')?.value).data ?? {}, token)
    if (step.reply) send(step.reply)
    if (step.isReady) options.opened((method, params) => send({ msg: 'method', method, id: `call-${++count}`, params }))
    yield step.isReady ? 'ready' : step.message
  }
  throw new Error('readSocket ends by an error only')
}

/** What a frame asks of us, or tells. */
interface Step {
  readonly reply?: object
  readonly isReady?: boolean
  readonly message?: ChatMessage | undefined
}

function readFrame({ msg, id, error, subs, collection, fields }: z.infer<typeof frame>, token: string): Step {
  if (msg === 'ping') return { reply: { msg: 'pong' } }
  if (msg === 'connected') return { reply: { msg: 'method', method: 'login', id: LOGIN, params: [{ resume: token }] } }
  if (msg === 'ready') return { isReady: subs?.includes(MESSAGES) === true }
  if (collection === 'stream-room-messages') return { message: message.safeParse(fields?.args?.[0]).data }
  if (msg !== 'result' || id !== LOGIN) return {}
  if (!error)
    return { reply: { msg: 'sub', id: MESSAGES, name: 'stream-room-messages', params: ['__my_messages__', false] } }
  const reason = error.message ?? error.reason ?? 'it gives no reason'
  throw deliveryRefused('PLATFORM_UNAUTHORIZED', `Rocket.Chat does not accept the token: ${reason}.`)
}
