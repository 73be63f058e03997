/**
 * Stands in for a Mattermost server: REST API version 4 and its WebSocket, as developers.mattermost.com/api-documentation
 * describes them. It checks tokens, lengths and threads, and knows pending posts for half a minute.
 */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  LINE_FAULTS,
  parseForm,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'
import { MattermostReactions } from './reactions.ts'

const TOKEN = 'mattermost-token-for-tests'
const ME = { id: 'botbotbotbotbotbotbotbotbo', username: 'svc.bot' }
const TEAM = 'teamteamteamteamteamteamte'
const MAX_RUNES = 16_383

interface Channel {
  readonly id: string
  readonly type: 'D' | 'O'
  readonly display_name: string
  last_post_at: number
}

interface Stored {
  readonly id: string
  readonly create_at: number
  readonly user_id: string
  readonly channel_id: string
  readonly root_id: string
  readonly props: Readonly<Record<string, unknown>>
  readonly file_ids: readonly string[]
  readonly versions: string[]
}

/** The stand-in, and what tests of this platform alone want to do with it. */
export interface MattermostStandIn extends StandInService {
  /** Sends an event as it is. */
  sendEvent(event: string, data: unknown): void
  sendRaw(text: string): void
  /** Actions that came over the socket. */
  readonly actions: readonly { readonly action: string; readonly data: Readonly<Record<string, unknown>> }[]
  /** Requests as they came. */
  readonly requests: readonly { readonly call: string; readonly body: string }[]
  /** The next request for this (its beginning) is answered so. */
  answerNext(call: string, answer: ServiceAnswer): void
  /** The server forgets pending posts, as it does after half a minute. */
  forgetPending(): void
}

/** Starts one. */
export async function openStandIn(): Promise<MattermostStandIn> {
  const fake = new Mattermost()
  await fake.open()
  return fake
}

class Mattermost implements MattermostStandIn {
  readonly name = 'mattermost'
  readonly document = 'https://developers.mattermost.com/api-documentation'
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly actions: { action: string; data: Record<string, unknown> }[] = []
  readonly requests: { call: string; body: string }[] = []
  readonly #faults = new SendFaults()
  readonly #reactions = new MattermostReactions()
  readonly #answers: { readonly call: string; readonly answer: ServiceAnswer }[] = []
  readonly #channels: Map<string, Channel> = new Map()
  readonly #posts: Map<string, Stored> = new Map()
  readonly #files: Map<string, { readonly name: string; readonly bytes: Uint8Array }> = new Map()
  readonly #pending: Map<string, string> = new Map()
  readonly #sockets = new WebSocketServer({ noServer: true })
  #service: StandInServer | undefined
  #line: WebSocket | undefined
  #seq = 0
  #count = 0
  #newest = 0
  #next: 'twice' | 'late' | undefined
  #held: (() => void) | undefined
  #isSilent = false
  #isLoggedOut = false

  async open(): Promise<void> {
    this.#service = await StandInServer.open(
      (request) => this.#answer(request),
      (request, socket, head) => this.#upgrade(request, socket, head),
    )
  }

  get #url(): string {
    if (!this.#service) throw new Error('The stand-in is not open.')
    return this.#service.url
  }

  get config() {
    return { base_url: this.#url }
  }

  get env() {
    return { MATTERMOST_TOKEN: TOKEN }
  }

  #id(): string {
    return `id${String(++this.#count).padStart(24, '0')}`
  }

  /** No two posts have the same time. */
  #now(): number {
    this.#newest = Math.max(this.#newest + 1, Date.now())
    return this.#newest
  }

  // People

  member({ userId = this.#id(), group }: { userId?: string; group?: string } = {}): StandInMember {
    const known = [...this.#channels.values()].find((each) => each.display_name === (group ?? userId))
    const channel = known ?? { id: this.#id(), type: group ? 'O' : 'D', display_name: group ?? userId, last_post_at: 1 }
    this.#channels.set(channel.id, channel)
    const say: StandInMember['say'] = async (text, options = {}) => this.#say(channel, userId, { text, ...options })
    return { chatId: channel.id, userId, say }
  }

  #say(channel: Channel, userId: string, { text, ...options }: SayOptions & { text: string }): string {
    const { mention, threadId, quote, files = [], messageId = this.#id() } = options
    const ids = files.map((file) => {
      const id = this.#id()
      this.#files.set(id, file)
      return id
    })
    const said = {
      ...{ id: messageId, channel_id: channel.id, user_id: userId, root_id: threadId ?? quote ?? '', props: {} },
      ...{ create_at: this.#now(), file_ids: ids },
      versions: [`${mention ? `@${ME.username} ` : ''}${text}`],
    }
    this.#posts.set(messageId, said)
    channel.last_post_at = said.create_at
    this.#hand(() => this.#posted(said))
    return messageId
  }

  /** Delivers now, twice, or behind the one that comes next. */
  #hand(deliver: () => void): void {
    const [fault, held] = [this.#next, this.#held]
    this.#next = undefined
    this.#held = fault === 'late' ? deliver : undefined
    if (fault === 'late') return
    deliver()
    if (fault === 'twice') deliver()
    held?.()
  }

  #posted(said: Stored): void {
    const channel = this.#channels.get(said.channel_id)
    this.sendEvent('posted', {
      ...{ channel_type: channel?.type, channel_display_name: channel?.display_name, team_id: TEAM },
      ...{ sender_name: '@someone', post: JSON.stringify(this.#json(said)) },
    })
  }

  #json({ versions, ...said }: Stored): object {
    const files = said.file_ids.map((id) => {
      const file = this.#files.get(id)
      return { id, name: file?.name, mime_type: 'application/x-test', size: file?.bytes.length }
    })
    return { ...said, message: versions.at(-1), type: '', delete_at: 0, metadata: { files } }
  }

  // The WebSocket

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.url !== '/api/v4/websocket') return void socket.destroy()
    this.#sockets.handleUpgrade(request, socket, head, (open) => {
      open.on('message', (text) => this.#heard(open, String(text)))
    })
  }

  #heard(socket: WebSocket, text: string): void {
    const { action, seq, data } = JSON.parse(text) as { action: string; seq: number; data: Record<string, unknown> }
    this.actions.push({ action, data })
    if (this.#isSilent) return
    const reply = (body: object) => socket.send(JSON.stringify({ ...body, seq_reply: seq }))
    if (action === 'ping') return void reply({ status: 'OK', data: { text: 'pong', version: '11.0.0' } })
    if (action !== 'authentication_challenge') return void reply({ status: 'OK' })
    if (data['token'] !== TOKEN || this.#isLoggedOut) {
      return void reply({
        status: 'FAIL',
        error: { id: 'api.web_socket.auth', message: 'Invalid token', status_code: 401 },
      })
    }
    this.#line = socket
    this.#seq = 0
    this.sendEvent('hello', { server_version: '11.0.0', connection_id: this.#id() })
    reply({ status: 'OK' })
  }

  sendEvent(event: string, data: unknown): void {
    const seq = this.#seq++
    if (!this.#isSilent) this.sendRaw(JSON.stringify({ event, data, seq, broadcast: {} }))
  }

  sendRaw(text: string): void {
    if (this.#line?.readyState === 1) this.#line.send(text)
  }

  // REST

  #answer(request: ServiceRequest): ServiceAnswer {
    const call = `${request.method} ${request.path.replace('/api/v4', '')}`
    this.requests.push({ call, body: request.body.toString('utf8') })
    const planned = this.#answers.findIndex((each) => call.startsWith(each.call))
    if (planned >= 0) return this.#answers.splice(planned, 1)[0]?.answer ?? 'cut'
    if (request.headers['authorization'] !== `Bearer ${TOKEN}` || this.#isLoggedOut) {
      return problem(401, 'api.context.session_expired.app_error', 'Invalid or expired session, please login again.')
    }
    return this.#authorised(call, request)
  }

  #authorised(call: string, request: ServiceRequest): ServiceAnswer {
    const [, method = '', kind = '', id = '', rest = ''] = /^(\w+) \/(\w+)(?:\/([^/]+))?(\/.+)?$/.exec(call) ?? []
    if (call === 'GET /users/me') return { body: ME }
    if (call === 'GET /users/me/channels') return { body: [...this.#channels.values()] }
    if (kind === 'channels' && rest === '/posts') return this.#list(id, request.query)
    if (kind === 'files') return method === 'POST' ? this.#upload(request) : this.#download(id)
    const reaction = this.#reactions.answer(call, request, ME.id, (each) => this.#posts.has(each))
    if (reaction) return reaction
    if (kind !== 'posts') return problem(404, 'api.context.404.app_error', 'Sorry, we could not find the page.')
    if (method === 'POST') return this.#faulty(() => this.#create(request))
    if (method === 'PUT') return this.#faulty(() => this.#change(id, request))
    const found = this.#posts.get(id)
    return found ? { body: this.#json(found) } : problem(404, 'app.post.get.app_error', 'Unable to get the post.')
  }

  #faulty(act: () => ServiceAnswer): ServiceAnswer {
    const fault = this.#faults.next()
    if (fault === 'busy') return { status: 429, headers: { 'x-ratelimit-reset': '1' }, body: 'limit exceeded\n' }
    if (fault === 'unavailable') return { status: 503, body: 'upstream' }
    if (fault === 'forbidden')
      return problem(403, 'api.context.permissions.app_error', 'You do not have the permissions.')
    if (fault === 'lost') return 'cut'
    const answer = act()
    return fault === 'unanswered' ? 'cut' : answer
  }

  #create(request: ServiceRequest): ServiceAnswer {
    const said = request.json() as Partial<Record<keyof Stored | 'message' | 'pending_post_id', unknown>> | undefined
    const channel = this.#channels.get(String(said?.channel_id))
    if (!said || !channel) return problem(403, 'api.context.permissions.app_error', 'You do not have the permissions.')
    const known = this.#posts.get(this.#pending.get(String(said.pending_post_id)) ?? '')
    if (known) return { status: 201, body: this.#json(known) }
    const message = String(said.message ?? '')
    const file_ids = (said.file_ids ?? []) as string[]
    const root = said.root_id ? this.#posts.get(String(said.root_id)) : undefined
    if (said.root_id && (!root || root.root_id))
      return problem(400, 'api.post.create_post.root_id.app_error', 'Invalid RootId.')
    const props = (said.props ?? {}) as Record<string, unknown>
    const isUsed = (id: string) => [...this.#posts.values()].some((each) => each.file_ids.includes(id))
    const wrong =
      wrongText(message, file_ids.length) ??
      wrongProps(props) ??
      wrongFiles(file_ids, (id) => this.#files.has(id), isUsed)
    if (wrong) return wrong
    const post: Stored = {
      ...{ id: this.#id(), user_id: ME.id, channel_id: channel.id, root_id: String(said.root_id ?? '') },
      ...{ create_at: this.#now(), versions: [message], file_ids },
      props,
    }
    this.#posts.set(post.id, post)
    if (said.pending_post_id) this.#pending.set(String(said.pending_post_id), post.id)
    channel.last_post_at = post.create_at
    this.#posted(post)
    return { status: 201, body: this.#json(post) }
  }

  #change(id: string, request: ServiceRequest): ServiceAnswer {
    const post = this.#posts.get(id)
    const { message } = (request.json() ?? {}) as { message?: string }
    if (!post || message === undefined) return problem(404, 'app.post.get.app_error', 'Unable to get the post.')
    const wrong = wrongText(message, post.file_ids.length)
    if (wrong) return wrong
    post.versions.push(message)
    return { body: this.#json(post) }
  }

  #list(channelId: string, query: URLSearchParams): ServiceAnswer {
    const here = [...this.#posts.values()].filter((each) => each.channel_id === channelId).reverse()
    const since = query.get('since')
    const [page, size] = [Number(query.get('page') ?? 0), Number(query.get('per_page') ?? 60)]
    const shown =
      since === null
        ? here.slice(page * size, (page + 1) * size)
        : here.filter((each) => each.create_at > Number(since))
    const posts = Object.fromEntries(shown.map((each) => [each.id, this.#json(each)]))
    return { body: { order: shown.map(({ id }) => id), posts } }
  }

  #upload(request: ServiceRequest): ServiceAnswer {
    const given = parseForm(request)?.files ?? []
    if (given.some(({ bytes }) => bytes.length > MAX_FILE_BYTES))
      return problem(413, 'api.file.upload_file.too_large.app_error', 'Unable to upload file. File is too large.')
    const infos = given.map((file) => {
      const id = this.#id()
      this.#files.set(id, file)
      return { id, name: file.name, size: file.bytes.length }
    })
    return { status: 201, body: { file_infos: infos, client_ids: [] } }
  }

  #download(id: string): ServiceAnswer {
    const file = this.#files.get(id)
    return file ? { body: file.bytes } : problem(404, 'app.file_info.get.app_error', 'Unable to get the file info.')
  }

  // What tests see and do

  deliveries(): readonly StandInDelivery[] {
    const own = [...this.#posts.values()].filter(({ user_id }) => user_id === ME.id)
    return own.map(({ id, channel_id, root_id, versions, file_ids }) => {
      const raw = versions.at(-1) ?? ''
      const files = file_ids.flatMap((each) => this.#files.get(each) ?? [])
      return {
        ...{
          messageId: id,
          chatId: channel_id,
          raw,
          visible: wordsOfMarkdown(raw, 'github'),
          versions,
          buttons: [],
          files,
        },
        ...(root_id && { threadId: root_id }),
      }
    })
  }

  reactions = () => this.#reactions.marks.log

  connected(): boolean {
    return this.#line?.readyState === 1
  }

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  answerNext(call: string, answer: ServiceAnswer): void {
    this.#answers.push({ call, answer })
  }

  forgetPending(): void {
    this.#pending.clear()
  }

  disturb(fault: LineFault): void {
    if (fault === 'twice' || fault === 'late') this.#next = fault
    else if (fault === 'flap') this.#service?.cut()
    else if (fault === 'silence') this.#isSilent = true
    else {
      this.#isLoggedOut = true
      this.#line?.terminate()
    }
  }

  calm(): void {
    this.#faults.clear()
    this.#answers.length = 0
    this.#held?.()
    this.#held = undefined
    this.#next = undefined
    this.#isSilent = false
    this.#isLoggedOut = false
  }

  async close(): Promise<void> {
    this.#sockets.close()
    await this.#service?.close()
  }
}

/** An error as the service writes it. */
function problem(status: number, id: string, message: string): ServiceAnswer {
  return { status, body: { id, message, detailed_error: '', status_code: status } }
}

const MAX_FILE_BYTES = 100 * 2 ** 20
const MAX_FILES = 10

/** Ids of files that were uploaded, at most ten, and of no other post. */
function wrongFiles(ids: readonly string[], has: (id: string) => boolean, isUsed: (id: string) => boolean) {
  if (ids.length > MAX_FILES) return problem(400, 'model.post.is_valid.file_ids.app_error', 'Invalid file ids.')
  if (ids.every((id) => has(id) && !isUsed(id))) return undefined
  return problem(400, 'api.post.create_post.file_ids.app_error', 'Unable to attach the files to the post.')
}

function wrongText(message: string, files: number): ServiceAnswer | undefined {
  if ([...message].length > MAX_RUNES) return problem(400, 'model.post.is_valid.msg.app_error', 'Invalid message.')
  if (!message.trim() && files === 0) return problem(400, 'api.post.create_post.empty', 'The message is empty.')
  if (/(?<!\w)@(?:all|channel|here)\b/.test(message.replace(/(`+)[\s\S]*?\1/g, ''))) {
    // The service would ring everybody's bell; a stand-in says so.
    return problem(400, 'stand-in.bells', 'This stand-in does not support notifications.')
  }
  return undefined
}

/** The server would show what stands at the links of the post. */
function wrongProps(props: Record<string, unknown>): ServiceAnswer | undefined {
  if (props['remove_link_preview'] === 'true') return undefined
  return problem(400, 'stand-in', 'This stand-in wants the prop remove_link_preview.')
}
