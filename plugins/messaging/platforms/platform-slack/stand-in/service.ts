/**
 * Stands in for Slack: the Web API, socket mode and events over HTTP, as docs.slack.dev describes them. It checks tokens,
 * lengths and blocks, keeps history, and sends envelopes again that were not acknowledged, until it gives up.
 */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'
import { BUILT_IN_COMMANDS } from './app-manifest.ts'
import { createTabEvent, createViewEvent, SlackAssistants } from './assistants.ts'
import { listChoices } from './blocks.ts'
import { SlackMarks } from './marks.ts'
import { isSlackMethod } from './methods.ts'
import { SlackPlaces, wrongThread } from './places.ts'
import {
  createHistory,
  createSignature,
  failed,
  type SlackMessage,
  type SlackWords,
  type Speaker,
  toDelivery,
  wrongArguments,
  wrongMessage,
} from './rules.ts'
import { slackEscaped } from './text.ts'
import { SlackUploads } from './uploads.ts'

const BOT_TOKEN = 'xoxb-slack-bot-token-for-tests'
const APP_TOKEN = 'xapp-slack-app-token-for-tests'
const SECRET = 'slack-signing-secret-for-tests'
const BOT = { user_id: 'UBOT', bot_id: 'BBOT', team_id: 'T1' }
const METHODS_THAT_SEND = ['chat.postMessage', 'chat.update', 'files.completeUploadExternal']

/** The stand-in, and what tests of this platform alone want to do with it. */
export interface SlackStandIn extends StandInService {
  readonly signingSecret: string
  /** Sends an envelope as it is; undefined if no client is connected. */
  sendEnvelope(type: string, payload: unknown): string | undefined
  sendRaw(text: string): void
  /** A person types a slash command of the app. Slack takes its own itself, and none in threads. */
  useCommand(member: StandInMember, command: string, text: string, threadId?: string): void
  /** A person opens the older view for assistants beside a channel; returns its thread. */
  openAssistant(member: StandInMember, viewed?: string): string
  /** A person with that view open looks at another channel. */
  lookAt(member: StandInMember, thread: string, viewed: string): void
  /** A person opens a tab of the app, which is the newer view. */
  openTab(member: StandInMember, tab: 'home' | 'messages'): void
  readonly suggested: SlackAssistants['suggested']
  readonly titles: SlackAssistants['titles']
  /** Envelopes that were acknowledged. */
  readonly acknowledged: readonly string[]
  /** Sends again what was not acknowledged. */
  resend(): void
  /** Stops trying to send what was not acknowledged, as it does after some minutes. */
  giveUp(): void
  /** Calls of methods, with their forms. */
  readonly calls: readonly { readonly method: string; readonly form: Readonly<Record<string, string>> }[]
  answerNext(method: string, answer: ServiceAnswer): void
  /** The app is removed from a channel. */
  leave(chatId: string): void
  /** Sockets that were opened so far. */
  readonly opened: number
  /** How the last request over HTTP was answered. */
  readonly replies: readonly { readonly status: number; readonly text: string }[]
  /** Calls the address of `callback`. */
  post(contentType: string, body: string, time?: number): Promise<void>
}

/** Starts one. */
export async function openStandIn(): Promise<SlackStandIn> {
  const fake = new Slack()
  await fake.open()
  return fake
}

class Slack implements SlackStandIn {
  readonly name = 'slack'
  readonly document = 'https://docs.slack.dev/apis'
  readonly env = { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_SIGNING_SECRET: SECRET }
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly signingSecret = SECRET
  readonly acknowledged: string[] = []
  readonly calls: { method: string; form: Record<string, string> }[] = []
  readonly replies: { status: number; text: string }[] = []
  readonly #faults = new SendFaults()
  readonly #answers: { readonly method: string; readonly answer: ServiceAnswer }[] = []
  readonly #messages: SlackMessage[] = []
  readonly #words: SlackWords[] = []
  readonly #uploads = new SlackUploads()
  readonly #places = new SlackPlaces()
  readonly #marks = new SlackMarks(this.#places)
  readonly #assistants = new SlackAssistants(this.#places)
  readonly suggested = this.#assistants.suggested
  readonly titles = this.#assistants.titles
  readonly #waiting: Map<string, { readonly type: string; readonly payload: unknown }> = new Map()
  readonly #sockets = new WebSocketServer({ noServer: true })
  #service: StandInServer | undefined
  #line: WebSocket | undefined
  #callback: string | undefined
  #count = 0
  opened = 0
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
    return { api_url: `${this.#url}/api` }
  }

  #ts(): string {
    return `${Math.floor(Date.now() / 1000)}.${String(++this.#count).padStart(6, '0')}`
  }

  // People

  member({ userId = `U${++this.#count}`, group }: { userId?: string; group?: string } = {}): StandInMember {
    const chatId = group === undefined ? `D${userId.slice(1)}` : `C${Buffer.from(group).toString('hex').toUpperCase()}`
    const at = { chatId, userId, isGroup: group !== undefined }
    this.#places.add(chatId, userId)
    return {
      chatId,
      userId,
      say: (text, options = {}) => this.#say(at, text, options),
      press: (label) => this.#press(at, label),
    }
  }

  async #say({ chatId, userId, isGroup }: Speaker, text: string, options: SayOptions): Promise<string> {
    const { mention, threadId, quote, files = [], messageId = this.#ts() } = options
    const shared = files.map(({ name, mediaType, bytes, isVoice }) => {
      const id = `F${++this.#count}`
      this.#uploads.add(id, name, bytes)
      const place = { url_private_download: `${this.#url}/files/${id}`, ...(isVoice && { subtype: 'slack_audio' }) }
      return { id, name, mimetype: mediaType, size: bytes.length, ...place }
    })
    const parent = this.#messages.find(({ ts }) => ts === (threadId ?? quote))
    const event = {
      ...{ channel: chatId, user: userId, ts: messageId, event_ts: messageId },
      text: `${mention ? `<@${BOT.user_id}> ` : ''}${slackEscaped(text)}`,
      ...(files.length > 0 && { subtype: 'file_share', files: shared }),
      ...((threadId ?? quote) && { thread_ts: threadId ?? quote }),
      ...(parent && { parent_user_id: BOT.user_id }),
    }
    const kind = isGroup ? 'channel' : 'im'
    this.#words.push(event)
    this.#hand(() => {
      this.#event({ type: 'message', channel_type: kind, ...event })
      if (mention && isGroup) this.#event({ type: 'app_mention', ...event })
    })
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

  #event(event: object): void {
    this.sendEnvelope('events_api', {
      type: 'event_callback',
      team_id: BOT.team_id,
      event_id: `Ev${++this.#count}`,
      event,
    })
  }

  async #press({ userId }: Speaker, label: string): Promise<void> {
    const message = this.#messages.findLast((each) => listChoices(each).some((choice) => choice.label === label))
    const choice = message && listChoices(message).find((each) => each.label === label)
    if (!message || !choice) throw new Error(`No message has a button or an option "${label}".`)
    const { ts, channel, thread_ts } = message
    this.sendEnvelope('interactive', {
      ...{ type: 'block_actions', trigger_id: `${++this.#count}.trigger`, team: { id: BOT.team_id } },
      ...{ user: { id: userId, name: 'someone' }, channel: { id: channel } },
      container: { type: 'message', message_ts: ts, channel_id: channel, thread_ts },
      message: { ts, thread_ts },
      actions: [{ action_ts: this.#ts(), ...choice.action }],
    })
  }

  /** .../interactivity/implementing-slash-commands */
  useCommand({ chatId, userId }: StandInMember, command: string, text: string, threadId?: string): void {
    if (!/^\/[a-z0-9_-]{1,31}$/.test(command)) throw new Error(`${command} is no name of a command.`)
    if (BUILT_IN_COMMANDS.includes(command)) throw new Error(`Slack itself runs ${command}.`)
    if (threadId !== undefined) throw new Error(`${command} is not supported in threads.`)
    this.sendEnvelope('slash_commands', {
      ...{ team_id: BOT.team_id, team_domain: 'lab', channel_id: chatId, channel_name: 'somewhere', command, text },
      ...{ user_id: userId, user_name: 'ada', api_app_id: 'A1', is_enterprise_install: 'false' },
      ...{ response_url: `${this.#url}/commands/T1/${++this.#count}`, trigger_id: `${++this.#count}.trigger` },
    })
  }

  openAssistant({ chatId: channel, userId: user }: StandInMember, viewed?: string): string {
    const thread = this.#ts()
    this.#assistants.opened(channel, thread)
    this.#words.push({ ts: thread, channel })
    const root = { subtype: 'assistant_app_thread', channel, channel_type: 'im', user: BOT.user_id, text: 'New chat' }
    this.#event({ type: 'message', ...root, ts: thread, event_ts: thread })
    this.#event(createViewEvent('assistant_thread_started', { user, channel, thread, viewed }, thread))
    return thread
  }

  lookAt({ chatId: channel, userId: user }: StandInMember, thread: string, viewed: string): void {
    const at = { user, channel, thread, viewed }
    this.#event(createViewEvent('assistant_thread_context_changed', at, this.#ts()))
  }

  openTab({ chatId, userId }: StandInMember, tab: 'home' | 'messages'): void {
    this.#event(createTabEvent(tab, userId, chatId, this.#ts()))
  }

  // Events

  sendEnvelope(type: string, payload: unknown): string | undefined {
    if (this.#callback !== undefined) {
      // A client that is not connected gets nothing.
      void this.#call(type, payload).catch(() => undefined)
      return undefined
    }
    const id = `envelope-${++this.#count}`
    this.#waiting.set(id, { type, payload })
    this.#tell(id)
    return id
  }

  #tell(id: string): void {
    if (this.#isSilent) return
    this.sendRaw(JSON.stringify({ envelope_id: id, accepts_response_payload: false, ...this.#waiting.get(id) }))
  }

  resend(): void {
    for (const id of this.#waiting.keys()) this.#tell(id)
  }

  giveUp(): void {
    this.#waiting.clear()
  }

  sendRaw: SlackStandIn['sendRaw'] = (text) => this.#line?.send(text)

  async #call(type: string, payload: unknown): Promise<void> {
    const json = JSON.stringify(payload)
    const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
    if (type === 'events_api') return this.post('application/json', json)
    const fields = type === 'interactive' ? { payload: json } : (payload as Record<string, string>)
    return this.post('application/x-www-form-urlencoded', form(fields))
  }

  async post(contentType: string, body: string, time = Math.floor(Date.now() / 1000)): Promise<void> {
    const headers = { 'content-type': contentType, ...createSignature(SECRET, body, time) }
    const response = await fetch(`${this.#callback}/events`, { method: 'POST', headers, body })
    this.replies.push({ status: response.status, text: await response.text() })
  }

  callback(url: string): void {
    this.#callback = url
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? '/', 'http://slack')
    if (searchParams.get('ticket') !== `ticket-${this.opened}`) return void socket.destroy()
    this.#sockets.handleUpgrade(request, socket, head, (open) => {
      this.#line = open
      if (this.#isSilent) open.pause()
      else open.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A1' } }))
      open.on('message', (text) => {
        const { envelope_id } = JSON.parse(String(text)) as { envelope_id: string }
        this.acknowledged.push(envelope_id)
        this.#waiting.delete(envelope_id)
      })
      if (!this.#isSilent) this.resend()
    })
  }

  // The Web API

  async #answer(request: ServiceRequest): Promise<ServiceAnswer> {
    const { path, body, headers } = request
    if (path.startsWith('/upload/')) return this.#uploads.take(path, body)
    const isKnown = headers['authorization'] === `Bearer ${BOT_TOKEN}` && !this.#isLoggedOut
    if (path.startsWith('/files/'))
      return isKnown ? this.#uploads.download(path) : { headers: { 'content-type': 'text/html' }, body: '<p>sign in' }
    const method = path.replace('/api/', '')
    const form = Object.fromEntries(new URLSearchParams(body.toString('utf8')))
    this.calls.push({ method, form })
    const planned = this.#answers.findIndex((each) => each.method === method)
    if (planned >= 0) return this.#answers.splice(planned, 1)[0]?.answer ?? 'cut'
    if (method === 'apps.connections.open') return this.#connection(headers['authorization'])
    if (!headers['authorization']) return failed('not_authed')
    if (!isKnown) return failed(this.#isLoggedOut ? 'account_inactive' : 'invalid_auth')
    return METHODS_THAT_SEND.includes(method)
      ? this.#faulty(() => this.#method(method, form))
      : this.#method(method, form)
  }

  #connection(authorization: string | undefined): ServiceAnswer {
    if (this.#isLoggedOut) return failed('account_inactive')
    if (authorization !== `Bearer ${APP_TOKEN}`) return failed('invalid_auth')
    const url = `${this.#url.replace(/^http/, 'ws')}/link/?ticket=ticket-${++this.opened}`
    return { body: { ok: true, url } }
  }

  #faulty(act: () => ServiceAnswer): ServiceAnswer {
    const fault = this.#faults.next()
    if (fault === 'busy')
      return { status: 429, headers: { 'retry-after': '1' }, body: { ok: false, error: 'ratelimited' } }
    if (fault === 'unavailable') return { status: 503, body: 'upstream' }
    if (fault === 'forbidden') return failed('is_archived')
    if (fault === 'lost') return 'cut'
    const answer = act()
    return fault === 'unanswered' ? 'cut' : answer
  }

  #method(method: string, form: Record<string, string>): ServiceAnswer {
    if (!isSlackMethod(method)) return failed('unknown_method')
    const wrong = wrongArguments(method, form)
    if (wrong !== undefined) return failed('invalid_arguments', [wrong])
    if (method === 'auth.test') return { body: { ok: true, ...BOT } }
    if (method === 'users.info') return this.#places.person(form['user'])
    if (method === 'chat.postMessage') return this.#post(form)
    if (method === 'chat.update') return this.#change(form)
    if (method === 'assistant.threads.setStatus') return this.#marks.status(form, [...this.#messages, ...this.#words])
    if (method === 'assistant.threads.setSuggestedPrompts') return this.#assistants.suggest(form)
    if (method === 'assistant.threads.setTitle') return this.#assistants.name(form)
    if (method === 'chat.postEphemeral') return this.#marks.note(form)
    if (method === 'reactions.add' || method === 'reactions.remove') {
      const said = [...this.#messages, ...this.#words]
      const { channel, timestamp } = form
      return this.#marks.mark(
        method,
        form,
        said.some((each) => each.channel === channel && each.ts === timestamp),
      )
    }
    if (method === 'files.getUploadURLExternal') return this.#uploadPlace(form)
    if (method === 'files.completeUploadExternal') return this.#complete(form)
    const missing = this.#wrongPlace(form['channel'], form['ts'])
    if (missing !== undefined) return failed(missing)
    return { body: { ok: true, ...createHistory(this.#messages, this.#words, method, form) } }
  }

  #wrongPlace(channel: string | undefined, ts: string | undefined): string | undefined {
    return this.#places.wrong(channel) ?? wrongThread({ channel, ts }, [...this.#messages, ...this.#words])
  }

  #post(form: Record<string, string>): ServiceAnswer {
    const wrong = this.#wrongPlace(form['channel'], form['thread_ts']) ?? wrongMessage(form, 40_000)
    if (wrong) return failed(wrong)
    const message: SlackMessage = {
      ...{ ts: this.#ts(), channel: form['channel'] ?? '', versions: [form['text'] ?? ''], files: [] },
      ...(form['thread_ts'] && { thread_ts: form['thread_ts'] }),
      ...(form['metadata'] && { metadata: JSON.parse(form['metadata']) as object }),
      attachments: JSON.parse(form['attachments'] ?? '[]') as SlackMessage['attachments'],
    }
    this.#messages.push(message)
    const { ts, channel, thread_ts } = message
    this.#event({ type: 'message', channel, ts, thread_ts, text: form['text'], user: BOT.user_id, bot_id: BOT.bot_id })
    return { body: { ok: true, channel, ts } }
  }

  #change(form: Record<string, string>): ServiceAnswer {
    const message = this.#messages.find(({ ts, channel }) => ts === form['ts'] && channel === form['channel'])
    const wrong = message ? wrongMessage(form, 40_000, 4000) : 'message_not_found'
    if (wrong || !message) return failed(wrong ?? 'message_not_found')
    message.versions.push(form['text'] ?? '')
    if (form['attachments']) message.attachments = JSON.parse(form['attachments']) as SlackMessage['attachments']
    return { body: { ok: true, channel: message.channel, ts: message.ts } }
  }

  #uploadPlace(form: Record<string, string>): ServiceAnswer {
    if (!form['filename'] || !(Number(form['length']) > 0)) return failed('invalid_arguments')
    const id = `F${++this.#count}`
    this.#uploads.expect(id, form['filename'], Number(form['length']))
    return { body: { ok: true, upload_url: `${this.#url}/upload/${id}`, file_id: id } }
  }

  #complete(form: Record<string, string>): ServiceAnswer {
    const files = JSON.parse(form['files'] ?? '[]') as { id: string }[]
    const found = files.map(({ id }) => ({ id, upload: this.#uploads.get(id) }))
    const wrong = this.#wrongPlace(form['channel_id'], form['thread_ts'])
    if (wrong) return failed(wrong)
    if (!form['channel_id']) return failed('invalid_arguments')
    const unshared = this.#uploads.share(files.map(({ id }) => id))
    if (unshared) return failed(unshared)
    this.#messages.push({
      ...{ ts: this.#ts(), channel: form['channel_id'], versions: [form['initial_comment'] ?? ''], attachments: [] },
      ...(form['thread_ts'] && { thread_ts: form['thread_ts'] }),
      files: found.map(({ id, upload }) => ({ id, ...(upload ?? { name: '', bytes: new Uint8Array(0) }) })),
    })
    return { body: { ok: true, files } }
  }

  // What tests see and do

  deliveries(): readonly StandInDelivery[] {
    return this.#messages.map(toDelivery)
  }

  connected(): boolean {
    return this.#line?.readyState === 1
  }

  leave: SlackStandIn['leave'] = (chatId) => this.#places.leave(chatId)

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  answerNext(method: string, answer: ServiceAnswer): void {
    this.#answers.push({ method, answer })
  }

  disturb(fault: LineFault): void {
    if (fault === 'twice' || fault === 'late') this.#next = fault
    else if (fault === 'flap') this.#service?.cut()
    else if (fault === 'silence') {
      this.#isSilent = true
      // Nothing is read any more, so no ping is answered.
      this.#line?.pause()
    } else {
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
    this.#isLoggedOut = false
    const wasSilent = this.#isSilent
    this.#isSilent = false
    if (this.#line?.readyState === 1) this.#line.resume()
    if (wasSilent) this.resend()
  }

  reactions = () => this.#marks.reactions.log
  notices = () => this.#marks.notices

  async close(): Promise<void> {
    this.#sockets.close()
    await this.#service?.close()
  }
}
