/**
 * Events over a long connection (open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case):
 * an address is asked for, frames come over a WebSocket there, and each event is acknowledged once it is stored.
 */
import { type Clock, tryParseJson } from 'svc/sdk'
import type { TextSocket } from 'svc/sdk/kit/net'
import { type DescribedMessage, type PlatformApi, readSocket, type StreamBatch } from 'svc/sdk/kit/platform'
import { setBounded } from 'svc/sdk/kit/state'
import { deliveryBusy } from 'svc/sdk/platform'
import { z } from 'zod'
import { type FeishuEvent, parseEvent } from './call.ts'
import { CONTROL, DATA, decodeFrame, encodeFrame, type Frame, findHeader } from './frame.ts'

export interface LongConnectionDeps {
  readonly api: PlatformApi
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of the API. */
  readonly address: string
  readonly account: { readonly AppID: string; readonly AppSecret: string }
  /** The messages of an event. */
  readonly read: (event: FeishuEvent) => readonly DescribedMessage[]
}

const pace = z.object({ PingInterval: z.number().positive() })
const endpoint = z.object({ data: z.object({ URL: z.string(), ClientConfig: pace.optional() }) })
const PING_S = 120
/** After two pings without an answer the connection is lost. */
const MORE_MS = 10_000
/** Events whose parts are waited for, and how many parts one has at most. */
const MAX_OPEN = 50
const MAX_PARTS = 100

export async function* listen(deps: LongConnectionDeps): AsyncGenerator<StreamBatch> {
  const { clock, signal, read } = deps
  const { url, pingS } = await findEndpoint(deps)
  const service = Number(new URL(url).searchParams.get('service_id') ?? 0)
  const parts = new FrameParts()
  let socket: TextSocket | undefined
  let interval = pingS
  let cancel = () => {}
  const ping = () => {
    cancel = clock.after(interval * 1000, () => {
      socket?.send(createPing(service))
      ping()
    })
  }
  const opened = (open: TextSocket) => {
    socket = open
    open.send(createPing(service))
    ping()
  }
  const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const silenceMs = pingS * 2000 + MORE_MS
  try {
    for await (const text of readSocket({ url, label: 'Feishu', clock, signal, silenceMs, opened, decode })) {
      const frame = text === undefined ? undefined : decodeFrame(Buffer.from(text, 'base64'))
      if (frame?.method === CONTROL) interval = Math.min(readPace(frame) ?? pingS, pingS)
      const whole = frame && parts.add(frame)
      const event = whole && parseEvent(tryParseJson(Buffer.from(whole).toString())?.value)
      yield { messages: event ? read(event) : [] }
      // Only now all of it is stored. An event without an answer comes again.
      if (whole) socket?.send(createAcknowledgement(frame))
    }
  } finally {
    cancel()
  }
}

async function findEndpoint({ api, account, address }: LongConnectionDeps) {
  const { data } = await api.ask({ path: '/callback/ws/endpoint', json: account, answer: endpoint })
  const { URL: url, ClientConfig: config } = data
  const isSafe = URL.canParse(url) && (url.startsWith('wss:') || address.startsWith('http:'))
  // It carries a ticket, and is not repeated.
  if (!isSafe) throw deliveryBusy('PLATFORM_UNREACHABLE', 'Feishu gave an address for events that is not encrypted.')
  return { url, pingS: Math.min(config?.PingInterval ?? PING_S, PING_S) }
}

/** Events are cut into frames with one `message_id`. */
class FrameParts {
  readonly #open: Map<string, (Uint8Array | undefined)[]> = new Map()

  /** The event whose last part this is. */
  add(frame: Frame): Uint8Array | undefined {
    if (frame.method !== DATA || !['event', 'card'].includes(findHeader(frame, 'type'))) return undefined
    const [sum, at] = [Number(findHeader(frame, 'sum') || 1), Number(findHeader(frame, 'seq') || 0)]
    if (!(Number.isInteger(sum) && sum >= 1 && sum <= MAX_PARTS)) return undefined
    if (!(Number.isInteger(at) && at >= 0 && at < sum)) return undefined
    const id = findHeader(frame, 'message_id')
    const known = this.#open.get(id)
    const parts = known?.length === sum ? known : Array.from<undefined>({ length: sum })
    const filled: (Uint8Array | undefined)[] = parts.with(at, frame.payload)
    const payloads = filled.filter((part) => part !== undefined)
    if (payloads.length < sum) {
      setBounded(this.#open, id, filled, MAX_OPEN)
      return undefined
    }
    this.#open.delete(id)
    return Buffer.concat(payloads)
  }
}

function readPace(frame: Frame): number | undefined {
  if (findHeader(frame, 'type') !== 'pong') return undefined
  const read = pace.safeParse(tryParseJson(Buffer.from(frame.payload).toString())?.value).data
  return read?.PingInterval
}

function createPing(service: number): Uint8Array {
  const payload = new Uint8Array()
  return encodeFrame({ ...{ sequence: 0n, logId: 0n, service, payload }, method: CONTROL, headers: [['type', 'ping']] })
}

/** The frame of the event with the result in the place of its payload. */
function createAcknowledgement(frame: Frame): Uint8Array {
  const headers = [...frame.headers, ['biz_rt', '0'] as const]
  return encodeFrame({ ...frame, headers, payload: Buffer.from(JSON.stringify({ code: 200 })) })
}
