/**
 * The gateway of QQ (bot.q.qq.com/wiki/develop/api-v2/dev-prepare/interface-framework/event-emit.html): a session over a WebSocket, which
 * the next connection takes up where the last event was stored.
 */
import { type Clock, tryParseJson } from 'svc/sdk'
import type { TextSocket } from 'svc/sdk/kit/net'
import { type DescribedMessage, type PlatformApi, readSocket, type StreamBatch } from 'svc/sdk/kit/platform'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'

export interface GatewayDeps {
  readonly api: PlatformApi
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of the API. */
  readonly address: string
  /** The session and how far it was read, as an earlier connection gave it. */
  readonly position: string | undefined
  /** What proves the bot. */
  readonly token: () => Promise<string>
  /** The messages of an event, as it came. */
  readonly read: (event: string) => readonly DescribedMessage[]
}

const [DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO] = [0, 1, 2, 6, 7, 9, 10]
/** Private chats and groups. */
const INTENTS = 1 << 25
const MAX_BEAT_MS = 45_000
/** Two heartbeats without an answer. */
const SILENCE_MS = 2 * MAX_BEAT_MS + 10_000
/** Codes with which QQ closes a session that cannot be taken up; a new one can be begun. */
const UNKNOWN_SESSION = 4006
const isOver = (code: number) => code === UNKNOWN_SESSION || code === 4007 || (code >= 4900 && code <= 4913)
const FINAL: Readonly<Record<number, string>> = {
  4010: 'the bot must be split over several connections, which svc does not do',
  4011: 'the bot must be split over several connections, which svc does not do',
  4013: 'the events that svc subscribes to are not known',
  4014: 'the bot may not receive events of private chats and groups; ask for them at the open platform',
  4914: 'the bot is offline; only the sandbox takes it',
  4915: 'the bot is banned',
}

const payload = z.object({
  op: z.number(),
  s: z.number().optional(),
  t: z.string().optional(),
  d: z.unknown().optional(),
})
const hello = z.object({ heartbeat_interval: z.number().positive() })
const ready = z.object({ session_id: z.string().min(1) })
const answer = z.object({ url: z.string() })
const positionSchema = z.object({ session: z.string().min(1), seq: z.number() })
type Position = z.infer<typeof positionSchema>
type Payload = z.infer<typeof payload>

export async function* listen(deps: GatewayDeps): AsyncGenerator<StreamBatch> {
  const { clock, signal, read } = deps
  const url = await findGateway(deps)
  const session = new Session(deps)
  let code = 0
  const failure = (closed: number) => {
    code = closed
    const problem = FINAL[closed]
    if (problem === undefined) return undefined
    return deliveryRefused('PLATFORM_UNAUTHORIZED', `QQ refused: ${problem} (${closed}).`)
  }
  const opened = (socket: TextSocket) => session.open(socket)
  const reading = { url, label: 'QQ', clock, signal, silenceMs: SILENCE_MS, opened, failure }
  try {
    for await (const text of readSocket(reading)) {
      const event = payload.safeParse(tryParseJson(text ?? '')?.value).data
      if (event?.op === INVALID_SESSION) code = UNKNOWN_SESSION
      const batch = event && (await session.take(event, () => read(text ?? '')))
      if (batch) yield batch
    }
  } catch (error) {
    if (isOver(code)) yield { messages: [], position: '' }
    throw error
  } finally {
    session.close()
  }
}

async function findGateway({ api, address }: GatewayDeps): Promise<string> {
  const { url } = await api.ask({ path: '/gateway', answer })
  // The token is sent there.
  if (URL.canParse(url) && (url.startsWith('wss:') || address.startsWith('http:'))) return url
  throw deliveryBusy('PLATFORM_UNREACHABLE', 'QQ gave an address of its gateway that is not encrypted.')
}

/** What was said on a session, and how far. */
class Session {
  readonly #deps: Pick<GatewayDeps, 'clock' | 'token'>
  readonly #stored: Position | undefined
  #id: string | undefined
  /** The number of the last event that came. */
  #heard: number | undefined
  #socket: TextSocket | undefined
  #cancel = () => {}

  constructor(deps: GatewayDeps) {
    this.#deps = deps
    this.#stored = positionSchema.safeParse(tryParseJson(deps.position ?? '')?.value).data
    this.#id = this.#stored?.session
    this.#heard = this.#stored?.seq
  }

  open(socket: TextSocket): void {
    this.#socket = socket
  }

  close(): void {
    this.#cancel()
  }

  /** What the event brings. Throws when the connection is to be left. */
  async take(event: Payload, read: () => readonly DescribedMessage[]): Promise<StreamBatch | undefined> {
    if (event.op === HELLO) await this.#greet(event.d)
    if (event.op === RECONNECT) throw deliveryBusy('PLATFORM_UNREACHABLE', 'QQ asked for a new connection.')
    if (event.op === INVALID_SESSION)
      throw deliveryBusy('PLATFORM_UNREACHABLE', 'QQ does not know the session any more.')
    return event.op === DISPATCH ? this.#dispatch(event, read) : undefined
  }

  /** Takes up the session, or begins one. */
  async #greet(data: unknown): Promise<void> {
    const token = await this.#deps.token()
    const resumed = this.#stored && { token, session_id: this.#stored.session, seq: this.#stored.seq }
    const begun = { token, intents: INTENTS, shard: [0, 1], properties: {} }
    this.#send(resumed ? { op: RESUME, d: resumed } : { op: IDENTIFY, d: begun })
    this.#cancel()
    this.#beat(Math.min(hello.safeParse(data).data?.heartbeat_interval ?? MAX_BEAT_MS, MAX_BEAT_MS))
  }

  /** The position goes with the messages: it is stored once they are. Undefined before there is a session. */
  #dispatch({ s, t, d }: Payload, read: () => readonly DescribedMessage[]): StreamBatch | undefined {
    if (t === 'READY') this.#id = ready.safeParse(d).data?.session_id
    if (s !== undefined) this.#heard = s
    if (this.#id === undefined) return undefined
    return { messages: read(), position: JSON.stringify({ session: this.#id, seq: this.#heard ?? 0 }) }
  }

  #beat(ms: number): void {
    this.#cancel = this.#deps.clock.after(ms, () => {
      this.#send({ op: HEARTBEAT, d: this.#heard ?? null })
      this.#beat(ms)
    })
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }
}
