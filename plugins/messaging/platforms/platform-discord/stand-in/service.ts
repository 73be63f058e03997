/**
 * Stands in for Discord: REST API version 10 and its gateway, as discord.com/developers/docs describes them. It checks
 * tokens, intents, lengths, pings and nonces, resumes sessions with the events that were not confirmed, and keeps history.
 */
import {
  LINE_FAULTS,
  parseForm,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { listChoices } from './components.ts'
import { DiscordGateway, type DiscordUser } from './gateway.ts'
import { DiscordHistory, snowflake } from './history.ts'
import { DiscordInteractions } from './interactions.ts'
import { problem } from './problems.ts'
import { DiscordReactions } from './reactions.ts'
import { type Channel, isWrongCommand, type Stored, showFiles, wrongFiles, wrongMessage, wrongVoice } from './rules.ts'
import { discordWords } from './text.ts'

const TOKEN = 'discord-bot-token-for-tests'
const ME: DiscordUser = {
  ...{ id: '100000000000000001', username: 'svc', bot: true },
  ...{ discriminator: '0', global_name: null, avatar: null },
}
const APPLICATION = '100000000000000002'
const GUILD = '100000000000000003'
const ROLE = '100000000000000004'

/** The stand-in, and what tests of this platform alone want to do with it. */
export interface DiscordStandIn extends StandInService {
  /** Sends an event, as the service would. */
  dispatch(type: string, data: unknown): void
  /** Sends bytes that need not be an event. */
  sendRaw(text: string): void
  /** Ends the connection with a code of the service. */
  closeWith(code: number, reason?: string): void
  /** Every session is gone. */
  forgetSessions(): void
  /** How sessions began, oldest first. */
  readonly handshakes: readonly ('identify' | 'resume')[]
  /** Commands in the menu. */
  menu(): readonly { readonly name: string }[]
  /** A person chooses a command in the menu. */
  useCommand(member: StandInMember, name: string, args: string): Promise<string>
  /** Requests as they came: method and path, with their bodies. */
  readonly requests: readonly { readonly call: string; readonly body: string }[]
  /** Callbacks of interactions: their ids and kinds. */
  readonly callbacks: readonly { readonly id: string; readonly type: number }[]
  /** The next request for this (`POST /path`, its beginning) is answered so. */
  answerNext(call: string, answer: ServiceAnswer): void
  readonly applicationId: string
  readonly guildId: string
  readonly botRole: string
}

/** Starts one. */
export async function openStandIn(): Promise<DiscordStandIn> {
  const fake = new Discord()
  await fake.open()
  return fake
}

class Discord implements DiscordStandIn {
  readonly name = 'discord'
  readonly document = 'https://discord.com/developers/docs'
  readonly env = { DISCORD_BOT_TOKEN: TOKEN }
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly requests: { call: string; body: string }[] = []
  readonly #interactions = new DiscordInteractions()
  readonly #reactions = new DiscordReactions()
  readonly callbacks = this.#interactions.callbacks
  readonly applicationId = APPLICATION
  readonly guildId = GUILD
  readonly botRole = ROLE
  readonly #faults = new SendFaults()
  readonly #answers: { readonly call: string; readonly answer: ServiceAnswer }[] = []
  readonly #channels: Map<string, Channel> = new Map()
  readonly #stored: Stored[] = []
  readonly #history = new DiscordHistory()
  readonly #nonces: Map<string, string> = new Map()
  readonly #uploads: Map<string, Uint8Array> = new Map()
  readonly #gateway: DiscordGateway = new DiscordGateway({
    ...{ token: TOKEN, user: ME, applicationId: APPLICATION },
    isLoggedOut: () => this.#isLoggedOut,
    newId: snowflake,
    url: () => this.#gatewayUrl(),
  })
  #commands: readonly { readonly name: string }[] = []
  #service: StandInServer | undefined
  #next: 'twice' | 'late' | undefined
  #held: (() => void) | undefined
  #isLoggedOut = false

  async open(): Promise<void> {
    this.#service = await StandInServer.open(
      (request) => this.#answer(request),
      (request, socket, head) => this.#gateway.upgrade(request, socket, head),
    )
  }

  get handshakes(): readonly ('identify' | 'resume')[] {
    return this.#gateway.handshakes
  }

  #gatewayUrl(): string {
    return `${this.#running().url.replace(/^http/, 'ws')}/gateway`
  }

  get config() {
    const { url } = this.#running()
    return { api_url: `${url}/api/v10` }
  }

  #running(): StandInServer {
    if (!this.#service) throw new Error('The stand-in is not open.')
    return this.#service
  }

  // People

  member({ userId = snowflake(), group }: { userId?: string; group?: string } = {}): StandInMember {
    const chatId = group === undefined ? `3${userId.slice(1)}` : this.#groupId(group)
    const channel = group === undefined ? { type: 1, name: 'dm' } : { type: 0, name: group, guild_id: GUILD }
    this.#channels.set(chatId, { id: chatId, ...channel })
    return {
      chatId,
      userId,
      say: (text, options = {}) => this.#say({ chatId, userId, isGroup: group !== undefined }, text, options),
      press: (label) => this.#press({ chatId, userId, isGroup: group !== undefined }, label),
    }
  }

  #groupId(name: string): string {
    const known = [...this.#channels.values()].find((each) => each.type === 0 && each.name === name)
    return known?.id ?? snowflake()
  }

  async #say(at: Speaker, text: string, options: SayOptions): Promise<string> {
    const { mention, threadId, quote, files = [], messageId = snowflake() } = options
    const thread = { type: 11, name: 'a thread', parent_id: at.chatId, guild_id: GUILD }
    if (threadId) this.#channels.set(threadId, { id: threadId, ...thread })
    const isVoice = files.some((file) => file.isVoice)
    const attachments = files.map(({ name, mediaType, bytes }) => {
      const id = snowflake()
      this.#uploads.set(id, bytes)
      const url = `${this.#running().url}/attachments/${id}/${encodeURIComponent(name)}`
      const sound = isVoice ? { duration_secs: 1.5, waveform: 'AAB/fwAA' } : {}
      return { id, filename: name, content_type: mediaType, size: bytes.length, url, ...sound }
    })
    const answered = this.#stored.find(({ id }) => id === quote)
    const data = {
      id: messageId,
      type: quote ? 19 : 0,
      channel_id: threadId ?? at.chatId,
      ...(at.isGroup && { guild_id: GUILD, member: createMember(at.userId) }),
      author: { id: at.userId, username: `user-${at.userId}`, global_name: null },
      content: mention ? `<@${ME.id}> ${text}` : text,
      timestamp: new Date().toISOString(),
      ...{ flags: isVoice ? 1 << 13 : 0, mention_roles: [], attachments },
      mentions: mention ? [ME] : [],
      ...(answered && {
        referenced_message: {
          ...{ id: answered.id, content: answered.versions.at(-1) },
          author: { id: answered.authorId, username: 'someone' },
        },
      }),
    }
    this.#history.add(data)
    this.#hand(() => this.dispatch('MESSAGE_CREATE', data))
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

  async #press(at: Speaker, label: string): Promise<void> {
    const message = this.#stored.findLast((each) => listChoices(each).some((choice) => choice.label === label))
    const choice = message && listChoices(message).find((each) => each.label === label)
    if (!message || !choice) throw new Error(`No message has a button or an option "${label}".`)
    const shown = { id: message.id, components: message.components }
    this.#interact(at, message.channelId, { type: 3, data: choice.data, message: shown })
  }

  async useCommand({ chatId, userId }: StandInMember, name: string, args: string): Promise<string> {
    const isGroup = this.#channels.get(chatId)?.type === 0
    const options = args ? [{ type: 3, name: 'args', value: args }] : []
    return this.#interact({ chatId, userId, isGroup }, chatId, { type: 2, data: { id: '1', name, options } })
  }

  #interact({ userId, isGroup }: Speaker, channelId: string, what: object): string {
    const [id, user] = [snowflake(), { id: userId, username: `user-${userId}`, global_name: null }]
    const who = isGroup ? { guild_id: GUILD, member: { nick: null, roles: [], user } } : { user }
    const channel = this.#channels.get(channelId)
    const rest = { id, application_id: APPLICATION, token: `interaction-token-${id}`, channel_id: channelId, channel }
    this.dispatch('INTERACTION_CREATE', { ...rest, ...who, ...what })
    return id
  }

  // The gateway

  dispatch(type: string, data: unknown): void {
    if (type === 'INTERACTION_CREATE') this.#interactions.add((data ?? {}) as Record<string, unknown>)
    this.#gateway.dispatch(type, data)
  }

  sendRaw(text: string): void {
    this.#gateway.sendRaw(text)
  }

  closeWith(code: number, reason?: string): void {
    this.#gateway.closeWith(code, reason)
  }

  forgetSessions(): void {
    this.#gateway.forget()
  }

  // REST

  async #answer(request: ServiceRequest): Promise<ServiceAnswer> {
    const { method, path, body } = request
    if (path.startsWith('/attachments/')) return this.#attachment(path)
    const call = `${method} ${path.replace('/api/v10', '')}`
    this.requests.push({ call, body: body.toString('utf8') })
    const planned = this.#answers.findIndex((each) => call.startsWith(each.call))
    if (planned >= 0) return this.#answers.splice(planned, 1)[0]?.answer ?? 'cut'
    if (/^POST \/interactions\/\d+\/[^/]+\/callback$/.test(call))
      return this.#interactions.acknowledge(call, request.json())
    if (/^DELETE \/webhooks\//.test(call)) return this.#interactions.takeAway(call, APPLICATION)
    if (request.headers['authorization'] !== `Bot ${TOKEN}` || this.#isLoggedOut) {
      return problem(401, '401: Unauthorized', 0)
    }
    return this.#authorised(call, request)
  }

  #authorised(call: string, request: ServiceRequest): ServiceAnswer {
    const [, channelId, rest = ''] = /^\w+ \/channels\/(\d+)(.*)$/.exec(call) ?? []
    if (channelId !== undefined) return this.#inChannel({ channelId, rest, request })
    if (call === 'GET /users/@me') return { body: ME }
    if (call === 'GET /applications/@me') return { body: { id: APPLICATION, name: 'svc', description: '' } }
    if (call === 'GET /gateway/bot') {
      const limit = { total: 1000, remaining: 999, reset_after: 0 }
      return { body: { url: this.#gatewayUrl(), shards: 1, session_start_limit: limit } }
    }
    if (/^GET \/guilds\/\d+\/members\//.test(call)) return { body: createMember(call.split('/').at(-1) ?? '') }
    if (/^GET \/applications\/\d+\/commands$/.test(call)) return { body: this.#commands }
    if (/^PUT \/applications\/\d+\/commands$/.test(call)) return this.#overwrite(request.json())
    return problem(404, '404: Not Found', 0)
  }

  #inChannel({ channelId, rest, request }: ChannelCall): ServiceAnswer {
    const channel = this.#channels.get(channelId)
    if (!channel) return problem(404, 'Unknown Channel', 10003)
    if (rest === '') return { body: channel }
    if (rest === '/typing') return { status: 204 }
    if (request.method === 'POST' && rest === '/messages') return this.#faulty(() => this.#create(channelId, request))
    if (rest === '/messages') return { body: this.#history.list(channelId, request.query) }
    const [, started] = /^\/messages\/(\d+)\/threads$/.exec(rest) ?? []
    if (request.method === 'POST' && started) return this.#beginThread(channel, started, request.json())
    const mark = this.#reactions.answer(request.method, rest, (id) => this.#history.has(channelId, id))
    if (mark) return mark
    const [, messageId] = /^\/messages\/(\d+)$/.exec(rest) ?? []
    if (request.method === 'PATCH' && messageId) return this.#faulty(() => this.#change(channelId, messageId, request))
    return problem(404, '404: Not Found', 0)
  }

  /** "Start Thread from Message": once for each message of a channel that is no thread; it has the id of the message. */
  #beginThread(channel: { id: string; type: number }, id: string, body: unknown): ServiceAnswer {
    const { name } = (body ?? {}) as { name?: unknown }
    if (!this.#history.has(channel.id, id)) return problem(404, 'Unknown Message', 10008)
    if (channel.type !== 0) return problem(400, 'Cannot execute action on this channel type', 50024)
    if (this.#channels.has(id)) return problem(400, 'A thread has already been created for this message', 160004)
    if (typeof name !== 'string' || name.length < 1 || name.length > 100)
      return problem(400, 'Invalid Form Body', 50035)
    this.#channels.set(id, { id, type: 11, parent_id: channel.id, name } as never)
    return { status: 201, body: this.#channels.get(id) }
  }

  #faulty(act: () => ServiceAnswer): ServiceAnswer {
    const fault = this.#faults.next()
    if (fault === 'busy') {
      const headers = { 'retry-after': '1', 'x-ratelimit-scope': 'user' }
      return { status: 429, headers, body: { message: 'You are being rate limited.', retry_after: 1, global: false } }
    }
    if (fault === 'unavailable') return { status: 503, body: 'upstream connect error' }
    if (fault === 'forbidden') return problem(403, 'Missing Access', 50001)
    if (fault === 'lost') return 'cut'
    const answer = act()
    return fault === 'unanswered' ? 'cut' : answer
  }

  #create(channelId: string, request: ServiceRequest): ServiceAnswer {
    const { fields, files = [] } = { fields: undefined, ...parseForm(request) }
    const said = (fields ? JSON.parse(fields['payload_json'] ?? '') : request.json()) as
      | Record<string, unknown>
      | undefined
    if (!said) return problem(400, 'The request body contains invalid JSON.', 50109)
    const hasMessage = (id: string) => this.#history.has(channelId, id)
    const wrong = wrongMessage(said, { kind: 'create', files: files.length, hasMessage })
    const wrongUpload = wrong ?? wrongFiles(said, files) ?? wrongVoice(said, files)
    if (wrongUpload) return wrongUpload
    const nonce = said['enforce_nonce'] === true ? `${channelId} ${said['nonce']}` : undefined
    const known = this.#stored.find(({ id }) => nonce !== undefined && id === this.#nonces.get(nonce))
    if (known) return { body: { id: known.id, channel_id: channelId } }
    const id = snowflake()
    if (nonce !== undefined) this.#nonces.set(nonce, id)
    const versions = [String(said['content'] ?? '').trim()]
    const components = (said['components'] ?? []) as Stored['components']
    this.#stored.push({ id, channelId, authorId: ME.id, versions, components, files: showFiles(said, files) })
    const data = { id, type: 0, channel_id: channelId, author: ME, content: versions[0] }
    this.#history.add(data)
    this.dispatch('MESSAGE_CREATE', data)
    return { body: { id, channel_id: channelId, content: versions[0] } }
  }

  #change(channelId: string, messageId: string, request: ServiceRequest): ServiceAnswer {
    const said = request.json() as Record<string, unknown> | undefined
    const message = this.#stored.find((each) => each.id === messageId && each.channelId === channelId)
    if (!message) return problem(404, 'Unknown Message', 10008)
    if (message.files.some(({ isVoice }) => isVoice)) return problem(400, 'Voice messages cannot be edited.', 50162)
    const place = { kind: 'change', files: message.files.length, hasMessage: () => true } as const
    const wrong = said ? wrongMessage(said, place) : problem(400, 'invalid JSON', 50109)
    if (wrong || !said) return wrong ?? 'cut'
    message.versions.push(String(said['content']).trim())
    if (Array.isArray(said['components'])) message.components = said['components'] as Stored['components']
    return { body: { id: messageId, channel_id: message.channelId } }
  }

  #overwrite(body: unknown): ServiceAnswer {
    const commands = body as { name: string; description: string }[]
    if (!Array.isArray(commands) || commands.length > 100 || commands.some(isWrongCommand)) {
      return problem(400, 'Invalid Form Body', 50035)
    }
    this.#commands = commands
    return { body: commands }
  }

  #attachment(path: string): ServiceAnswer {
    const bytes = this.#uploads.get(path.split('/')[2] ?? '')
    return bytes ? { headers: { 'content-type': 'application/octet-stream' }, body: bytes } : { status: 404 }
  }

  // What tests see and do

  deliveries(): readonly StandInDelivery[] {
    return this.#stored.map((message) => {
      const channel = this.#channels.get(message.channelId)
      const raw = message.versions.at(-1) ?? ''
      const isThread = channel?.type === 11
      return {
        messageId: message.id,
        chatId: isThread ? (channel.parent_id ?? '') : message.channelId,
        ...(isThread && { threadId: message.channelId }),
        ...{ raw, visible: discordWords(raw), versions: message.versions, files: message.files },
        buttons: listChoices(message).map(({ label }) => label),
      }
    })
  }

  reactions = () => this.#reactions.marks.log
  notices = () => this.#interactions.notices

  connected(): boolean {
    return this.#gateway.isConnected
  }

  menu(): readonly { readonly name: string }[] {
    return this.#commands
  }

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  answerNext(call: string, answer: ServiceAnswer): void {
    this.#answers.push({ call, answer })
  }

  disturb(fault: LineFault): void {
    if (fault === 'twice' || fault === 'late') this.#next = fault
    else if (fault === 'flap') this.#running().cut()
    else if (fault === 'silence') this.#gateway.isSilent = true
    else {
      this.#isLoggedOut = true
      this.closeWith(4004, 'Authentication failed.')
    }
  }

  calm(): void {
    this.#faults.clear()
    this.#answers.length = 0
    this.#held?.()
    this.#held = undefined
    this.#next = undefined
    this.#gateway.speakAgain()
    this.#isLoggedOut = false
  }

  async close(): Promise<void> {
    this.#gateway.close()
    await this.#service?.close()
  }
}

/** A person as a member of the guild. */
function createMember(userId: string): object {
  return { nick: null, roles: [userId === ME.id ? ROLE : '555'] }
}

interface ChannelCall {
  readonly channelId: string
  /** The path behind it. */
  readonly rest: string
  readonly request: ServiceRequest
}

interface Speaker {
  readonly chatId: string
  readonly userId: string
  readonly isGroup: boolean
}
