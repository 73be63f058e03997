/**
 * A stand-in for the Bot API of Telegram with one bot: https://core.telegram.org/bots/api. People write to it alone or in
 * groups; updates wait until they are confirmed by an `offset` or taken by a webhook, and only one program may ask for them.
 */

import type { ServerResponse } from 'node:http'
import {
  CALL_FAULTS,
  demandFault,
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInReactions,
  StandInServer,
  type UploadedFile,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { readAlbum, wrongUpload } from './album.ts'
import { done, refusal, refusals } from './answers.ts'
import { TelegramFiles } from './files.ts'
import { readForm } from './form.ts'
import { isTelegramMethod, type TelegramMethod } from './methods.ts'
import { commandIn, createNumber } from './people.ts'
import { TelegramPlaces } from './places.ts'
import { TelegramPresses } from './presses.ts'
import { setReaction } from './reactions.ts'
import { areCommands, isWhole, type Keyboard, readKeyboard, readText, wrongFields, wrongReply } from './rules.ts'
import { FakeWebhook } from './webhook.ts'

const TOKEN = '7000001:AAF-0123456789_abcdefghijklmnopqrs'
const SELF = { id: 7000001, is_bot: true, first_name: 'svc', username: 'svc_test_bot' }
/** A proxy brings it to svc. */
const PUBLIC_URL = 'https://bot.example.com/telegram/updates'

type Data = Readonly<Record<string, unknown>>

/** What the tests of the platform itself look at besides. */
export interface TelegramStandIn extends StandInService {
  /** Names of the menu that was set. */
  readonly commands: readonly string[]
  /** Presses whose buttons no longer look busy. */
  readonly answered: readonly string[]
  /** The group becomes another chat; what is sent to the old one is refused with the new id, which is returned. */
  upgrade(chatId: string): string
  /** From now on the topic takes nothing, with these words of Telegram. */
  closeTopic(threadId: string, words: string): void
  /** Hands over an update as it is. */
  push(update: Data): void
  /** Creates a topic in the chat. */
  topic(chatId: string, threadId: string): void
  /** From now on photos are refused like that. */
  refusePhotos(description: string): void
  /** From now on texts may have previews of their links. */
  allowPreviews(): void
  /** From now on a server with `--local` says that files are there. */
  lie(path: string): void
  /** The parameters of what was sent and edited, in order. */
  readonly calls: readonly Data[]
  /** A person changes what they wrote, as they see it. */
  edit(member: StandInMember, messageId: string, text: string): void
  /** A person sends a sticker; `image` is its picture. */
  sticker(member: StandInMember, about: Data, image: Uint8Array): void
  /** Another program asks for updates; what it is told. */
  rival(): Promise<unknown>
}

/**
 * Starts the service. `webhook`: it is to call svc, which has a public address then; `localFolder`: it runs with `--local` and stores
 * files there.
 */
export async function openStandIn({
  webhook = false,
  localFolder,
}: {
  readonly webhook?: boolean
  readonly localFolder?: string
} = {}): Promise<TelegramStandIn> {
  const bot = new Bot(localFolder)
  const service = await StandInServer.open((request) => bot.answer(request))
  bot.cut = () => service.cut()
  const lineFaults = webhook ? CALL_FAULTS : LINE_FAULTS
  const poll = () => fetch(`${service.url}/bot${TOKEN}/getUpdates`, { method: 'POST', body: '{"timeout":0}' })
  return {
    name: 'telegram',
    document: 'https://core.telegram.org/bots/api',
    config: {
      base_url: service.url,
      ...(localFolder !== undefined && { local_mode: true, local_dir: localFolder }),
      ...(webhook && { webhook_url: PUBLIC_URL, webhook_port: 0 }),
    },
    env: { TELEGRAM_BOT_TOKEN: TOKEN },
    sendFaults: SEND_FAULTS,
    lineFaults,
    member: (options) => bot.member(options),
    deliveries: () => bot.deliveries.map(({ delivery }) => delivery),
    reactions: () => bot.reactions.log,
    notices: () => bot.presses.notices,
    connected: () => bot.connected,
    failSends: (fault, count) => bot.sendFaults.add(fault, count),
    disturb(fault) {
      demandFault(lineFaults, fault)
      bot.disturb(fault)
    },
    calm: () => bot.calm(),
    ...(webhook && { callback: (url: string) => bot.webhook.route(url) }),
    async close() {
      bot.webhook.isPaused = true
      await service.close()
    },
    commands: bot.commands,
    answered: bot.presses.answered,
    upgrade: (chatId) => bot.upgrade(chatId),
    closeTopic: (threadId, words) => bot.closeTopic(threadId, words),
    push: (update) => bot.push(update),
    topic: (chatId, threadId) => void bot.places.topics.add(`${chatId} ${threadId}`),
    refusePhotos: (description) => void Object.assign(bot, { noPhotos: description }),
    allowPreviews: () => void Object.assign(bot, { hasPreviews: true }),
    lie: (path) => void Object.assign(bot.files, { lie: path }),
    calls: bot.calls,
    edit: (member, messageId, text) => bot.change(member, messageId, text),
    sticker: (member, about, image) => bot.sticker(member, about, image),
    rival: async () => (await poll()).json(),
  }
}

interface ShownMessage {
  delivery: StandInDelivery
  readonly keyboard: Keyboard
}

class Bot {
  cut = () => {}
  readonly deliveries: ShownMessage[] = []
  readonly commands: string[] = []
  readonly presses = new TelegramPresses()
  readonly reactions = new StandInReactions()
  readonly sendFaults: SendFaults = new SendFaults()
  noPhotos: string | undefined
  hasPreviews = false
  readonly calls: Data[] = []
  readonly files: TelegramFiles
  readonly places = new TelegramPlaces()
  /** Messages of people, by their chats. */
  readonly #said: Map<string, Data> = new Map()
  readonly #updates: (Data & { readonly update_id: number })[] = []
  readonly webhook = new FakeWebhook(this.#updates)
  readonly #closed: Map<string, string> = new Map()
  #fault: LineFault | undefined
  #held: Data | undefined
  #poll: { readonly response: ServerResponse; readonly timer: NodeJS.Timeout } | undefined
  #isPolled = false
  #ids = 100

  constructor(localFolder: string | undefined) {
    this.files = new TelegramFiles(TOKEN, localFolder)
  }

  get connected(): boolean {
    return this.#isPolled || (this.webhook.isSet && this.#fault !== 'logout')
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const [, kind = '', second = '', ...rest] = request.path.split('/')
    const token = kind === 'file' ? second : kind
    if (this.#fault === 'silence' && /\/get(Updates|Me)$/.test(request.path)) return 'open'
    if (!/^bot\d+:/.test(token)) return refusal(404, 'Not Found')
    if (token !== `bot${TOKEN}` || this.#fault === 'logout') return refusal(401, 'Unauthorized')
    if (kind === 'file') return this.files.serve(rest.join('/'))
    return this.#call(second, request)
  }

  #call(second: string, request: ServiceRequest): ServiceAnswer {
    const { params, files } = readForm(request)
    if (!isTelegramMethod(second)) return refusal(404, 'Not Found: method not found')
    const wrong = wrongFields(second, params, files) ?? wrongUpload(files)
    if (wrong) return wrong
    if (second === 'getUpdates') return this.#getUpdates(params, request.response)
    if (!/^(send|edit)/.test(second) || second === 'sendChatAction') return this.#manage(second, params)
    this.calls.push(params)
    const fault = this.sendFaults.next()
    const refused = fault && refusals[fault]
    if (refused) return refused
    if (second === 'sendPhoto' && this.noPhotos) return refusal(400, this.noPhotos)
    const answer = second === 'editMessageText' ? this.#edit(params) : this.#send(second, params, files)
    return fault === 'unanswered' ? 'cut' : answer
  }

  member({ userId: name = '1001', group }: { readonly userId?: string; readonly group?: string } = {}): StandInMember {
    const userId = /^\d+$/.test(name) ? name : createNumber(name)
    const chatId = group === undefined ? userId : `-100${createNumber(group)}`
    const kind = group === undefined ? { type: 'private' } : { type: 'supergroup', title: group }
    const chat = { id: Number(chatId), ...kind }
    this.places.chats.add(chatId)
    const from = { id: Number(userId), is_bot: false, first_name: `Person ${name}` }
    return {
      chatId,
      userId,
      say: async (text, options = {}) => this.#say(text, { chat, from }, options),
      press: async (label) => this.#press(label, { chat, from }),
    }
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
    this.webhook.isPaused = fault === 'logout'
    if (fault === 'flap' || fault === 'logout') this.cut()
  }

  calm(): void {
    if (this.#held) this.push({ message: this.#held })
    this.#held = undefined
    this.#fault = undefined
    this.webhook.isPaused = false
    this.#release()
    this.sendFaults.clear()
  }

  closeTopic(threadId: string, words: string): void {
    this.#closed.set(threadId, words)
  }

  upgrade(chatId: string): string {
    const to = `-100${++this.#ids}77`
    this.places.move(chatId, to)
    return to
  }

  push(update: Data): void {
    const kinds = Object.keys(update).filter((name) => name !== 'update_id')
    if (!kinds.every((kind) => this.webhook.wants(kind))) return
    this.presses.note(update)
    this.#updates.push({ update_id: ++this.#ids, ...update })
    if (this.#fault !== 'silence') this.#release()
  }

  #say(text: string, where: { readonly chat: Data; readonly from: Data }, options: SayOptions): string {
    const { mention, threadId, quote, files = [], messageId = String(++this.#ids) } = options
    const name = `@${SELF.username}`
    const chatId = String(where.chat['id'])
    if (threadId) this.places.topics.add(`${chatId} ${threadId}`)
    const said = mention ? `${name} ${text}` : text
    const marks = mention ? [{ type: 'mention', offset: 0, length: name.length }] : commandIn(said)
    const isOurs = this.deliveries.some(({ delivery }) => delivery.messageId === quote)
    const message = {
      message_id: Number(messageId),
      date: Math.floor(Date.now() / 1000),
      ...where,
      ...(files.length ? { caption: said, caption_entities: marks } : { text: said, entities: marks }),
      ...(threadId && { message_thread_id: Number(threadId), is_topic_message: true }),
      ...(quote && { reply_to_message: { message_id: Number(quote), ...(isOurs && { from: SELF }) } }),
      ...Object.assign({}, ...files.map((file) => this.files.attach(file))),
    }
    this.#said.set(`${chatId} ${messageId}`, message)
    this.#arrive(message)
    return messageId
  }

  change({ chatId }: StandInMember, messageId: string, text: string): void {
    const key = `${chatId} ${messageId}`
    const edited = { ...this.#said.get(key), text, entities: commandIn(text), edit_date: Math.floor(Date.now() / 1000) }
    this.#said.set(key, edited)
    this.push({ edited_message: edited })
  }

  sticker({ chatId, userId }: StandInMember, about: Data, image: Uint8Array): void {
    const chat = { id: Number(chatId), type: 'private' }
    const from = { id: Number(userId), is_bot: false, first_name: 'Person' }
    const sticker = { ...this.files.sticker(image), ...about }
    this.#arrive({ message_id: ++this.#ids, date: Math.floor(Date.now() / 1000), chat, from, sticker })
  }

  #arrive(message: Data): void {
    const fault = this.#fault
    if (fault === 'late' || fault === 'twice') this.#fault = undefined
    if (fault === 'late') {
      this.#held = message
      return
    }
    this.push({ message })
    if (fault === 'twice') this.push({ message })
    if (this.#held) this.push({ message: this.#held })
    this.#held = undefined
  }

  #press(label: string, where: { readonly chat: Data; readonly from: Data }): void {
    const shown = this.deliveries.findLast(({ keyboard }) => keyboard.some(({ text }) => text === label))
    const key = shown?.keyboard.find(({ text }) => text === label)
    if (!shown || !key) throw new Error(`There is no button "${label}".`)
    const { messageId, threadId } = shown.delivery
    const thread = threadId === undefined ? {} : { message_thread_id: Number(threadId), is_topic_message: true }
    const message = {
      message_id: Number(messageId),
      date: 1,
      chat: where.chat,
      from: SELF,
      ...thread,
      reply_markup: { inline_keyboard: [shown.keyboard] },
    }
    this.push({
      callback_query: { id: `${++this.#ids}`, from: where.from, chat_instance: '1', data: key.callback_data, message },
    })
  }

  #setWebhook(params: Data): ServiceAnswer {
    this.#settle(refusal(409, 'Conflict: terminated by setWebhook request'))
    this.#isPolled = false
    if (params['drop_pending_updates'] === true) this.#updates.length = 0
    const problem = this.webhook.set(params)
    return problem === undefined ? done : refusal(400, `Bad Request: ${problem}`)
  }

  #getUpdates({ offset = 0, timeout = 0, allowed_updates: allowed }: Data, response: ServerResponse): ServiceAnswer {
    if (this.webhook.isSet) {
      const advice = 'use deleteWebhook to delete the webhook first'
      return refusal(409, `Conflict: can't use getUpdates method while webhook is active; ${advice}`)
    }
    this.webhook.allow(allowed)
    const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
    this.#settle(refusal(409, conflict))
    const confirmed = this.#updates.findIndex(({ update_id: id }) => id >= Number(offset))
    this.#updates.splice(0, confirmed < 0 ? this.#updates.length : confirmed)
    this.#isPolled = true
    if (this.#updates.length > 0 || timeout === 0) return { body: { ok: true, result: this.#updates.slice(0, 100) } }
    const timer = setTimeout(() => this.#settle({ body: { ok: true, result: [] } }), Number(timeout) * 1000)
    const poll = { response, timer: timer.unref() }
    this.#poll = poll
    response.on('close', () => {
      if (this.#poll !== poll) return
      this.#poll = undefined
      this.#isPolled = false
      clearTimeout(timer)
    })
    return 'open'
  }

  #release(): void {
    this.webhook.wake()
    if (this.#poll) this.#settle({ body: { ok: true, result: this.#updates.slice(0, 100) } })
  }

  /** Answers the poll that waits. */
  #settle(answer: Exclude<ServiceAnswer, string>): void {
    const poll = this.#poll
    this.#poll = undefined
    if (!poll) return
    clearTimeout(poll.timer)
    poll.response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    poll.response.end(JSON.stringify(answer.body))
  }

  #manage(method: TelegramMethod, params: Data): ServiceAnswer {
    if (method === 'getMe') return { body: { ok: true, result: SELF } }
    if (method === 'setWebhook') return this.#setWebhook(params)
    if (method === 'deleteWebhook') return this.#setWebhook({ ...params, url: '' })
    if (method === 'getWebhookInfo') return { body: { ok: true, result: this.webhook.info() } }
    if (method === 'sendChatAction') {
      const isTyping = params['action'] === 'typing'
      return (
        this.places.wrong(params) ?? (isTyping ? done : refusal(400, 'Bad Request: wrong parameter action in request'))
      )
    }
    if (method === 'answerCallbackQuery') return this.presses.answer(params)
    if (method === 'setMessageReaction') {
      const { chat_id: chat, message_id: id } = params
      return this.places.wrong(params) ?? setReaction(params, this.#has(String(chat), String(id)), this.reactions)
    }
    if (method === 'setMyCommands') return this.#setCommands(params['commands'] as readonly Data[])
    else if (method === 'getFile') return this.files.find(String(params['file_id']))
    return done
  }

  #setCommands(commands: readonly Data[]): ServiceAnswer {
    if (!areCommands(commands)) return refusal(400, 'Bad Request: BOT_COMMAND_INVALID')
    this.commands.splice(0, this.commands.length, ...commands.map(({ command }) => String(command)))
    return done
  }

  #send(method: string, params: Data, given: readonly UploadedFile[]): ServiceAnswer {
    const album = method === 'sendMediaGroup' ? readAlbum(params, given) : undefined
    if (album && 'answer' in album) return album.answer
    const files = album?.files ?? given.slice(0, 1)
    const chatId = String(params['chat_id'])
    const wrong = this.places.wrong(params) ?? wrongReply(params, (id) => this.#has(chatId, String(id)))
    if (wrong) return wrong
    const read = readText(album?.captions ?? params, files.length > 0 ? 'caption' : 'text', this.hasPreviews)
    if ('answer' in read) return read.answer
    const keyboard = readKeyboard(params)
    if ('answer' in keyboard) return keyboard.answer
    const thread = params['message_thread_id']
    const reply = params['reply_parameters'] as { readonly message_id: number } | undefined
    const closed = this.#closed.get(String(thread))
    if (closed) return refusal(400, `Bad Request: ${closed}`)
    const delivery = {
      messageId: String(++this.#ids),
      chatId,
      ...(reply && { replyTo: String(reply.message_id) }),
      ...(thread !== undefined && { threadId: String(thread) }),
      ...read,
      versions: [read.raw],
      buttons: keyboard.map(({ text }) => text),
      files:
        method === 'sendVoice'
          ? files.map((file) => ({ ...file, isVoice: true, durationMs: Number(params['duration']) * 1000 }))
          : files,
    }
    this.deliveries.push({ delivery, keyboard })
    const chat = { id: Number(delivery.chatId) }
    const message = { message_id: Number(delivery.messageId), date: 1, chat }
    if (!album) return { body: { ok: true, result: message } }
    const others = files.slice(1).map(() => ({ ...message, message_id: ++this.#ids }))
    return { body: { ok: true, result: [message, ...others] } }
  }

  /** Whether the message is in the chat. */
  #has(chatId: string, id: string): boolean {
    const isOurs = this.deliveries.some(({ delivery }) => delivery.chatId === chatId && delivery.messageId === id)
    return isOurs || this.#said.has(`${chatId} ${id}`)
  }

  #edit(params: Data): ServiceAnswer {
    if (!isWhole(params['message_id'])) return refusal(400, 'Bad Request: message identifier is not specified')
    const at = this.deliveries.findIndex(({ delivery: { messageId, chatId } }) => {
      return messageId === String(params['message_id']) && chatId === String(params['chat_id'])
    })
    const shown = this.deliveries[at]
    if (!shown) return refusal(400, 'Bad Request: message to edit not found')
    const read = readText(params, 'text', this.hasPreviews)
    if ('answer' in read) return read.answer
    const keyboard = readKeyboard(params)
    if ('answer' in keyboard) return keyboard.answer
    const isSame = read.visible === shown.delivery.visible && read.raw === shown.delivery.raw
    if (isSame && JSON.stringify(keyboard) === JSON.stringify(shown.keyboard))
      return refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
      )
    const versions = [...shown.delivery.versions, read.raw]
    const delivery = { ...shown.delivery, ...read, versions, buttons: keyboard.map(({ text }) => text) }
    this.deliveries[at] = { delivery, keyboard }
    return { body: { ok: true, result: { message_id: Number(delivery.messageId) } } }
  }
}
