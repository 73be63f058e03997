/**
 * Stands in for the daemon of signal-cli with one account, as its manual says
 * (https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc): JSON-RPC at `/api/v1/rpc`, events at
 * `/api/v1/events`, the last 1,000 of which it keeps for those who come back.
 */

import type { ServerResponse } from 'node:http'
import {
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInReactions,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'

const ACCOUNT = '+15550100'
const ACCOUNT_ID = '5f3c9a10-0000-4000-8000-0000000000aa'
const ADA = '5f3c9a10-0000-4000-8000-000000000001'
const KEPT_EVENTS = 1000
/** More is no message even as a long text. */
const TEXT_BYTES = 65_536
const MENTIONED = '\ufffc'

type Params = Readonly<Record<string, unknown>>

/** How one request is answered. */
interface Answers {
  reply(answer: object): ServiceAnswer
  fail(code: number, message: string, data?: unknown): ServiceAnswer
}

interface Sent {
  readonly chatId: string
  readonly timestamp: number
  readonly params: Readonly<Record<string, unknown>>
}

/** What tests of Signal itself need besides. */
export interface SignalStandIn extends StandInService {
  /** Sends any envelope as an event; `text` sends it as it is. */
  event(envelope: object | string): void
  /** The parameters of what was sent last. */
  lastSend(): Readonly<Record<string, unknown>>
  /** The next `send` is answered with this error. */
  failNext(error: { readonly code: number; readonly message: string; readonly data?: unknown }): void
  /** The next `send` has this as its result. */
  answerNext(result: unknown): void
  /** Whether it runs for several accounts and lists them. */
  isMulti: boolean
  /** A phone scans the code of this address, and agrees or lets it expire. */
  scan(deviceLinkUri: string, outcome?: 'agree' | 'expire'): void
  /** Whether a phone is waited for. */
  readonly isLinking: boolean
  /** Clears the daemon's memory of its events, as a restart does. */
  forget(): void
}

export async function openStandIn(): Promise<SignalStandIn> {
  const daemon = new Daemon()
  await daemon.open()
  return daemon
}

class Daemon implements SignalStandIn {
  readonly name = 'signal'
  readonly document = 'https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc'
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly env = { SIGNAL_ACCOUNT: ACCOUNT, SIGNAL_ALLOW_ALL_USERS: 'true' }
  isMulti = true
  readonly #sent: Sent[] = []
  readonly #files: Map<string, Buffer> = new Map()
  readonly #faults = new SendFaults()
  readonly #reactions = new StandInReactions()
  readonly #listeners: Set<ServerResponse> = new Set()
  #events: { readonly id: number; readonly data: string }[] = []
  #lastId = 0
  #time = Date.now()
  #line: LineFault | undefined
  #held: object | undefined
  #isGone = false
  #next: { readonly error: unknown } | { readonly result: unknown } | undefined
  #service: StandInServer | undefined
  #codes = 0
  /** Those that were given out, with what ends the wait for a phone. */
  readonly #links: Map<string, ((outcome: 'agree' | 'expire') => void) | undefined> = new Map()

  async open(): Promise<void> {
    this.#service = await StandInServer.open((request) => this.#answer(request))
  }

  get config(): Readonly<Record<string, unknown>> {
    return { http_url: this.#service?.url }
  }

  member({ userId = ADA, group }: { userId?: string; group?: string } = {}): StandInMember {
    const groupId = group === undefined ? undefined : Buffer.from(group.padEnd(32, '.')).toString('base64')
    return {
      chatId: groupId ?? userId,
      userId,
      say: async (text, options = {}) => this.#say({ userId, groupId, group }, text, options),
    }
  }

  deliveries(): readonly StandInDelivery[] {
    return this.#sent.map(({ chatId, timestamp, params }) => {
      const message = String(params['message'] ?? '')
      const styles = params['textStyle'] as readonly string[] | undefined
      const raw = styles ? `${message} [${styles.join(' ')}]` : message
      return {
        messageId: `${timestamp}-${ACCOUNT_ID}`,
        chatId,
        raw,
        visible: message,
        versions: [raw],
        buttons: [],
        files: ((params['attachment'] ?? []) as readonly string[]).map((uri) => ({
          ...parseFileUri(uri),
          ...(params['voiceNote'] === true && { isVoice: true }),
        })),
      }
    })
  }

  reactions = () => this.#reactions.log

  connected(): boolean {
    return this.#listeners.size > 0
  }

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  disturb(fault: LineFault): void {
    if (fault === 'flap') this.#service?.cut()
    else if (fault === 'logout') this.#isGone = true
    else this.#line = fault
  }

  calm(): void {
    const wasSilent = this.#line === 'silence'
    this.#line = undefined
    this.#isGone = false
    this.#faults.clear()
    this.#release()
    if (wasSilent) for (const listener of this.#listeners) listener.destroy()
  }

  event(envelope: object | string): void {
    const data = typeof envelope === 'string' ? envelope : JSON.stringify({ envelope, account: ACCOUNT })
    const event = { id: ++this.#lastId, data }
    this.#events = [...this.#events, event].slice(-KEPT_EVENTS)
    if (this.#line !== 'silence') for (const listener of this.#listeners) write(listener, event)
  }

  lastSend(): Readonly<Record<string, unknown>> {
    const last = this.#sent.at(-1)
    if (!last) throw new Error('Nothing was sent.')
    return last.params
  }

  failNext(error: { readonly code: number; readonly message: string; readonly data?: unknown }): void {
    this.#next = { error }
  }

  answerNext(result: unknown): void {
    this.#next = { result }
  }

  scan(deviceLinkUri: string, outcome: 'agree' | 'expire' = 'agree'): void {
    const end = this.#links.get(deviceLinkUri)
    if (!end) throw new Error('Nothing waits for a phone with this code.')
    end(outcome)
  }

  get isLinking(): boolean {
    return [...this.#links.values()].some((each) => each !== undefined)
  }

  forget(): void {
    this.#events = []
    this.#lastId = 0
    this.#service?.cut()
  }

  async close(): Promise<void> {
    await this.#service?.close()
  }

  #say(
    who: { readonly userId: string; readonly groupId: string | undefined; readonly group: string | undefined },
    text: string,
    options: SayOptions,
  ): string {
    const { userId, groupId, group } = who
    const [given] = options.messageId?.split('-') ?? []
    const timestamp = given ? Number(given) : this.#now()
    const [quoteTime, quoteAuthor] = options.quote?.split(/-(.*)/s) ?? []
    const dataMessage = {
      timestamp,
      message: options.mention ? `${MENTIONED} ${text}` : text || null,
      expiresInSeconds: 0,
      viewOnce: false,
      ...(options.mention && {
        mentions: [{ name: ACCOUNT, number: ACCOUNT, uuid: ACCOUNT_ID, start: 0, length: 1 }],
      }),
      ...(options.quote && {
        quote: { id: Number(quoteTime), author: quoteAuthor, authorUuid: quoteAuthor, text: '' },
      }),
      ...(options.files && { attachments: options.files.map((file) => this.#keep(file)) }),
      ...(groupId && { groupInfo: { groupId, groupName: group, revision: 1, type: 'DELIVER' } }),
    }
    const number = userId.startsWith('+') ? userId : null
    this.#deliver({
      source: userId,
      sourceNumber: number,
      sourceUuid: number ? null : userId,
      sourceName: 'Ada',
      sourceDevice: 1,
      timestamp,
      serverReceivedTimestamp: timestamp,
      serverDeliveredTimestamp: timestamp,
      dataMessage,
    })
    return `${timestamp}-${userId}`
  }

  /** Every message has a different time. */
  #now(): number {
    this.#time = Math.max(this.#time + 1, Date.now())
    return this.#time
  }

  #keep({ name, mediaType, bytes, isVoice }: NonNullable<SayOptions['files']>[number]): object {
    const id = `attachment-${this.#files.size + 1}`
    this.#files.set(id, Buffer.from(bytes))
    return { contentType: mediaType, filename: isVoice || name === '' ? null : name, id, size: bytes.length }
  }

  #deliver(envelope: object): void {
    if (this.#line === 'late' && !this.#held) {
      this.#held = envelope
      return
    }
    this.event(envelope)
    if (this.#line === 'twice') this.event(envelope)
    this.#release()
    if (this.#line === 'twice' || this.#line === 'late') this.#line = undefined
  }

  #release(): void {
    if (this.#held) this.event(this.#held)
    this.#held = undefined
  }

  async #answer(request: ServiceRequest): Promise<ServiceAnswer> {
    // A daemon that hangs takes requests and says nothing.
    if (this.#line === 'silence') return 'open'
    if (request.path === '/api/v1/check') return { body: '' }
    if (request.path === '/api/v1/events') return this.#listen(request)
    if (request.path !== '/api/v1/rpc' || request.method !== 'POST') return { status: 404, body: 'Not found' }
    return this.#rpc(request)
  }

  #listen({ headers, query, response }: ServiceRequest): ServiceAnswer {
    if (this.isMulti && query.get('account') !== ACCOUNT)
      return { status: 400, body: 'Specified account does not exist' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n')
    const last = headers['last-event-id']
    const known = this.#events.some(({ id }) => String(id) === last) || String(this.#lastId) === last
    const missed = last === undefined ? [] : this.#events.filter(({ id }) => !known || id > Number(last))
    for (const event of missed) write(response, event)
    this.#listeners.add(response)
    response.on('close', () => this.#listeners.delete(response))
    return 'open'
  }

  #rpc(request: ServiceRequest): ServiceAnswer | Promise<ServiceAnswer> {
    const said = request.json() as { id?: unknown; method?: string; params?: Params } | undefined
    const reply = (answer: object): ServiceAnswer => ({ body: { jsonrpc: '2.0', ...answer, id: said?.id ?? null } })
    const fail = (code: number, message: string, data: unknown = null) => reply({ error: { code, message, data } })
    if (!said?.method) return fail(-32600, 'method field must be set')
    const { method, params = {} } = said
    if (method === 'listAccounts')
      return this.isMulti
        ? reply({ result: this.#isGone ? [] : [{ number: ACCOUNT, aci: ACCOUNT_ID }] })
        : fail(-32601, 'Method not found')
    if (this.isMulti && method === 'startLink') return this.#startLink(reply)
    if (this.isMulti && method === 'finishLink') return this.#finishLink(params, { reply, fail }, request.response)
    if (this.isMulti && params['account'] !== ACCOUNT) return fail(-32602, 'Specified account does not exist')
    if (this.#isGone) return fail(-3, 'Failed to send: [401] Authorization failed! (AuthorizationFailedException)')
    return this.#run(method, params, { reply, fail })
  }

  #startLink(reply: Answers['reply']): ServiceAnswer {
    const count = ++this.#codes
    const uuid = Buffer.from(`link ${count}`).toString('base64url')
    const key = Buffer.from(`key ${count}`.padEnd(33, '.')).toString('base64')
    const deviceLinkUri = `sgnl://linkdevice?uuid=${uuid}&pub_key=${encodeURIComponent(key)}`
    this.#links.set(deviceLinkUri, undefined)
    return reply({ result: { deviceLinkUri } })
  }

  /** Answers when the phone has scanned the code, or when the server ended it. A code is good for one try. */
  async #finishLink(params: Params, { reply, fail }: Answers, response: ServerResponse): Promise<ServiceAnswer> {
    const { deviceLinkUri, deviceName } = params
    if (typeof deviceLinkUri !== 'string') return fail(-1, 'Missing deviceLinkUri.')
    if (!this.#links.has(deviceLinkUri)) return fail(-1, 'Link request not found.')
    if (typeof deviceName !== 'string') return fail(-1, 'Missing deviceName.')
    const outcome = await new Promise<'agree' | 'expire'>((resolve) => {
      this.#links.set(deviceLinkUri, resolve)
      response.on('close', () => resolve('expire'))
    })
    this.#links.delete(deviceLinkUri)
    if (outcome === 'expire') return fail(-1, 'Link request timed out, please try again.')
    return reply({ result: { number: ACCOUNT } })
  }

  #run(method: string, params: Params, { reply, fail }: Answers): ServiceAnswer {
    if (method === 'send') return this.#send(params, { reply, fail })
    if (method === 'sendTyping') return reply({ result: {} })
    if (method === 'sendReaction') return this.#react(params, { reply, fail })
    if (method !== 'getAttachment') return fail(-32601, 'Method not found')
    if (!params['recipient'] && !params['groupId']) return fail(-1, 'Recipient or group must be given')
    const file = this.#files.get(String(params['id']))
    return file ? reply({ result: { data: file.toString('base64') } }) : fail(-1, 'Could not find attachment')
  }

  /** man signal-cli, "sendReaction". */
  #react(params: Params, { reply, fail }: Answers): ServiceAnswer {
    if (!params['recipient'] && !params['groupId']) return fail(-1, 'No recipients given')
    const { emoji, targetAuthor, targetTimestamp, remove } = params
    if (typeof emoji !== 'string' || typeof targetAuthor !== 'string' || typeof targetTimestamp !== 'number')
      return fail(-32602, 'emoji, targetAuthor and targetTimestamp must be given')
    this.#reactions.replace(`${targetTimestamp}-${targetAuthor}`, remove === true ? undefined : emoji)
    return reply({ result: { timestamp: this.#now(), results: [] } })
  }

  #send(params: Params, { reply, fail }: Answers): ServiceAnswer {
    const next = this.#next
    this.#next = undefined
    if (next) return reply(next)
    const fault = this.#faults.next()
    if (fault === 'busy')
      return fail(-5, 'Failed to send message due to rate limiting', {
        response: { results: [{ type: 'RATE_LIMIT_FAILURE', retryAfterSeconds: 1 }] },
      })
    if (fault === 'unavailable') return { status: 503, body: 'Service unavailable' }
    if (fault === 'forbidden') return fail(-1, 'The user is not registered.')
    if (fault === 'lost') return 'cut'
    const wrong = findProblem(params)
    if (wrong) return fail(-1, wrong)
    const timestamp = this.#now()
    const [recipient] = [params['recipient'] ?? []].flat() as string[]
    const chatId = String(params['groupId'] ?? recipient)
    this.#sent.push({ chatId, timestamp, params })
    if (fault === 'unanswered') return 'cut'
    return reply({ result: { timestamp, results: [{ recipientAddress: { uuid: chatId }, type: 'SUCCESS' }] } })
  }
}

function write(listener: ServerResponse, { id, data }: { readonly id: number; readonly data: string }): void {
  listener.write(`id:${id}\nevent:receive\ndata:${data}\n\n`)
}

/** What signal-cli says of parameters that it does not take. */
function findProblem(params: Readonly<Record<string, unknown>>): string | undefined {
  const message = String(params['message'] ?? '')
  if (!params['recipient'] && !params['groupId']) return 'No recipients given'
  if (message === '' && !params['attachment']) return 'Sending empty message is not allowed'
  if (Buffer.byteLength(message) > TEXT_BYTES) return 'The message is too long'
  for (const style of (params['textStyle'] ?? []) as readonly string[]) {
    const [, start, length, name = ''] = /^(\d+):(\d+):(.+)$/.exec(style) ?? []
    if (!['BOLD', 'ITALIC', 'SPOILER', 'STRIKETHROUGH', 'MONOSPACE'].includes(name)) return `Invalid style: ${name}`
    if (Number(start) + Number(length) > message.length) return `Invalid textStyle syntax (${style})`
  }
  return undefined
}

/** `data:<type>;filename=<name>;base64,<data>` */
function parseFileUri(uri: string): { name: string; bytes: Uint8Array } {
  const [, name = '', data = ''] = /^data:[^;]+;filename=([^;]*);base64,(.*)$/s.exec(uri) ?? []
  return { name, bytes: Buffer.from(data, 'base64') }
}
