/**
 * A stand-in for an ntfy server with one protected topic: publishing (https://docs.ntfy.sh/publish), subscribing
 * (https://docs.ntfy.sh/subscribe/api) and the errors that servers answer with.
 */

import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInService } from 'svc/sdk/platform'

const TOKEN = 'tk_0123456789abcdefghijklmnopqrs'
const BASIC = `Basic ${Buffer.from('phil:my pass').toString('base64')}`
const TOPIC = 'svc-talk'
const MAX_BYTES = 4096
const NAME = /^[-_A-Za-z0-9]{1,64}$/

interface Message {
  readonly id: string
  readonly time: number
  readonly event: 'message'
  readonly topic: string
  readonly message: string
  readonly tags?: readonly string[]
  readonly sequence_id?: string
  readonly content_type?: string
  readonly attachment?: { readonly name: string; readonly type: string; readonly size: number; readonly url: string }
}

/** Starts a server that knows the token of its `env` and the account `phil` with the password `my pass`. */
export async function openStandIn(): Promise<StandInService> {
  const topic = new Topic()
  const service = await StandInServer.open((request) => topic.answer(request))
  topic.url = service.url
  topic.cut = () => service.cut()
  return {
    name: 'ntfy',
    document: 'https://docs.ntfy.sh/publish and https://docs.ntfy.sh/subscribe/api',
    config: { server: service.url },
    env: { NTFY_TOPIC: TOPIC, NTFY_TOKEN: TOKEN },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    // ntfy does not distinguish the publishers of a topic.
    member: () => ({ chatId: TOPIC, userId: TOPIC, say: async (text, options) => topic.say(text, options) }),
    deliveries: () => topic.deliveries,
    connected: () => topic.streams.size > 0,
    failSends: (fault, count) => topic.sendFaults.add(fault, count),
    disturb: (fault) => topic.disturb(fault),
    calm: () => topic.calm(),
    close: () => service.close(),
  }
}

class Topic {
  url = ''
  cut = () => {}
  readonly streams: Set<ServerResponse> = new Set()
  readonly deliveries: StandInDelivery[] = []
  readonly sendFaults: SendFaults = new SendFaults()
  readonly #kept: Message[] = []
  readonly #files: Map<string, Buffer> = new Map()
  #fault: LineFault | undefined
  #held: Message | undefined

  answer(request: ServiceRequest): ServiceAnswer {
    const [, topic = '', kind] = request.path.split('/')
    if (request.path === '/v1/health') return this.#fault === 'silence' ? 'open' : { body: { healthy: true } }
    const isKnown = [`Bearer ${TOKEN}`, BASIC].includes(request.headers['authorization'] ?? '')
    if (!isKnown || this.#fault === 'logout') return failure(40101, 'unauthorized')
    if (topic === 'file') return this.#file(request.path)
    if (!NAME.test(topic)) return failure(40401, 'page not found')
    if (kind === 'json' && request.method === 'GET') return this.#subscribe(request)
    if (kind === undefined && ['POST', 'PUT'].includes(request.method)) return this.#publish(topic, request)
    return failure(40401, 'page not found')
  }

  say(text: string, { files = [], messageId = newId() }: SayOptions = {}): string {
    const [file] = files
    const attachment = file && this.#keep(file.name, file.mediaType, Buffer.from(file.bytes))
    // Servers trim messages, and write something where there is nothing.
    const words = text.trim() || (file ? `You received a file: ${file.name}` : 'triggered')
    const message = { ...basics(messageId, TOPIC, words), ...(attachment && { attachment }) }
    if (this.#fault === 'late') {
      this.#held = message
      this.#fault = undefined
    } else {
      this.#deliver(message)
      if (this.#fault === 'twice') this.#deliver(message)
      if (this.#fault === 'twice') this.#fault = undefined
      if (this.#held) this.#deliver(this.#held)
      this.#held = undefined
    }
    return messageId
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
    if (fault === 'flap' || fault === 'logout') this.cut()
  }

  calm(): void {
    if (this.#held) this.#deliver(this.#held)
    this.#held = undefined
    this.#fault = undefined
    this.sendFaults.clear()
  }

  #deliver(message: Message): void {
    this.#kept.push(message)
    if (this.#fault === 'silence') return
    for (const stream of this.streams) stream.write(`${JSON.stringify(message)}\n`)
  }

  #subscribe({ query, response }: ServiceRequest): ServiceAnswer {
    if (this.#fault === 'silence') return 'open'
    const since = query.get('since')
    if (since && !/^(all|\d+)$/.test(since)) return failure(40008, 'invalid since parameter')
    const old = this.#kept.filter(({ time }) => since === 'all' || (since !== null && time >= Number(since)))
    const isPoll = query.get('poll') === '1'
    const opening = { id: newId(), time: seconds(), event: 'open', topic: TOPIC }
    const keepalive = { ...opening, id: newId(), event: 'keepalive' }
    const first = isPoll ? old : [opening, ...old, keepalive]
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
    response.write(first.map((each) => `${JSON.stringify(each)}\n`).join(''))
    if (isPoll) response.end()
    else {
      this.streams.add(response)
      response.on('close', () => this.streams.delete(response))
    }
    return 'open'
  }

  #publish(topic: string, request: ServiceRequest): ServiceAnswer {
    const fault = this.sendFaults.next()
    const refusal = fault && refusals[fault]
    if (refusal) return refusal
    const { query, body, headers } = request
    if (!NAME.test(headers['x-sequence-id'] ?? 'none')) return failure(40049, 'invalid request: sequence ID invalid')
    const isFile = query.has('filename') || body.length > MAX_BYTES
    const name = query.get('filename') ?? 'attachment.txt'
    const attachment = isFile ? this.#keep(name, 'application/octet-stream', body) : undefined
    const raw = isFile ? (query.get('message') ?? `You received a file: ${name}`) : body.toString('utf8')
    const message = {
      ...basics(newId(), topic, raw.trim() || 'triggered'),
      ...described(headers),
      ...(attachment && { attachment }),
    }
    this.deliveries.push(delivered(message, isFile ? [{ name, bytes: body }] : []))
    this.#deliver(message)
    return fault === 'unanswered' ? 'cut' : { body: message }
  }

  #keep(name: string, type: string, bytes: Buffer): Message['attachment'] {
    const path = `/file/${newId()}.bin`
    this.#files.set(path, bytes)
    return { name, type, size: bytes.length, url: `${this.url}${path}` }
  }

  #file(path: string): ServiceAnswer {
    const bytes = this.#files.get(path)
    return bytes ? { body: bytes } : failure(40401, 'page not found')
  }
}

/** Answers to messages that are not taken. */
const refusals: Readonly<Partial<Record<SendFault, ServiceAnswer>>> = {
  lost: 'cut',
  busy: failure(42901, 'limit reached: too many requests, please be nice', { 'retry-after': '1' }),
  unavailable: { status: 503, body: 'upstream is away' },
  forbidden: failure(40301, 'forbidden'),
}

/** As servers write errors; the first three digits of the code are the status. */
function failure(code: number, error: string, headers: Readonly<Record<string, string>> = {}): ServiceAnswer {
  const http = Math.floor(code / 100)
  return { status: http, headers, body: { code, http, error, link: 'https://ntfy.sh/docs/publish/' } }
}

function basics(id: string, topic: string, message: string) {
  return { id, time: seconds(), event: 'message', topic, message } as const
}

/** What headers say of a message. */
function described(headers: ServiceRequest['headers']): Partial<Message> {
  const tags = headers['x-tags']?.split(',').map((tag) => tag.trim())
  const { 'x-sequence-id': sequence, 'x-markdown': markdown } = headers
  return {
    ...(tags && { tags }),
    ...(sequence !== undefined && { sequence_id: sequence }),
    ...(markdown !== undefined && { content_type: 'text/markdown' }),
  }
}

function delivered(message: Message, files: StandInDelivery['files']): StandInDelivery {
  const { id, topic, message: raw, content_type: type } = message
  const visible = type === 'text/markdown' ? wordsOfMarkdown(raw) : raw
  return { messageId: id, chatId: topic, raw, visible, versions: [raw], buttons: [], files }
}

function newId(): string {
  return randomBytes(9).toString('base64url').replace(/[-_]/g, 'x')
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
