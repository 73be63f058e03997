/** Sending: one message of ours is one message there, in the place and the form that Telegram takes it in. */
import { measureSound } from 'svc/sdk/kit/files'
import {
  deliveryErrorFromNetwork,
  deliveryRefused,
  deliveryUncertain,
  type OutboundFile,
  type OutboundMessage,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { Answer, Params, Refusal, TelegramApi, Upload } from './api.ts'
import { sendFailure } from './failures.ts'
import { withoutMarks } from './html.ts'
import {
  albumForms,
  chooseMediaForm,
  createFrame,
  getSendMethod,
  MAX_CAPTION,
  MAX_TEXT,
  type MediaForm,
} from './outgoing.ts'
import { sent } from './updates.ts'

const HTML = { parse_mode: 'HTML' }

/** How messages are to look and sound. */
export interface SendingStyle {
  /** For a preview Telegram fetches the first link of a text, which leaks its content (https://core.telegram.org/bots/api#linkpreviewoptions). */
  readonly previews: 'off' | 'small' | 'large'
  /** Where messages make no sound. */
  readonly silent: 'off' | 'groups' | 'all'
}

/** What a message that is sent brings along. */
type Sending = Pick<OutboundMessage, 'commit'>

export class Sender {
  readonly #api: TelegramApi
  readonly #style: SendingStyle
  /** Groups that have become others; Telegram says so at the first message to the old one. */
  readonly #moved: Map<string, string> = new Map()

  constructor(api: TelegramApi, style: SendingStyle) {
    this.#api = api
    this.#style = style
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { text, files = [] } = message
    const [file, ...others] = files
    const most = file ? MAX_CAPTION : MAX_TEXT
    if (text.length > most) throw deliveryRefused('TELEGRAM_LENGTH', `The text has over ${most} characters.`)
    if (file && others.length > 0) return this.#sendAlbum(message, files)
    if (file) return this.#sendFile(message, file)
    if (!text.trim()) throw deliveryRefused('TELEGRAM_LENGTH', 'Telegram takes no message without words.')
    const params = { ...this.#frame(message), text, ...HTML, ...this.#preview() }
    return readReceipt(await this.deliver('sendMessage', params, message))
  }

  /** That nothing changes is as good as a change. */
  async edit(edit: {
    readonly chatId: string
    readonly messageId: string
    readonly text: string
    readonly extra: Params
  }) {
    const { chatId, messageId, text, extra } = edit
    const params = { chat_id: chatId, message_id: Number(messageId), text, ...HTML, ...this.#preview(), ...extra }
    const answer = await this.#attempt('editMessageText', params)
    if (answer.refusal && !/message is not modified/i.test(answer.refusal.description))
      throw sendFailure(answer.refusal)
  }

  /** The result of a method; throws what `refused`, `busy` and `unsure` make. */
  async deliver(
    method: string,
    params: Params,
    sending: Sending = {},
    files: readonly Upload[] = [],
  ): Promise<unknown> {
    const answer = await this.#attempt(method, params, sending, files)
    if (answer.refusal) throw sendFailure(answer.refusal)
    return answer.result
  }

  #frame(message: OutboundMessage): Params {
    const { silent } = this.#style
    // Ids of groups and channels are negative.
    const isSilent = silent === 'all' || (silent === 'groups' && message.chatId.startsWith('-'))
    return { ...createFrame(message), ...(isSilent && { disable_notification: true }) }
  }

  #preview(): Params {
    const { previews } = this.#style
    if (previews === 'off') return { link_preview_options: { is_disabled: true } }
    return { link_preview_options: previews === 'small' ? { prefer_small_media: true } : { prefer_large_media: true } }
  }

  async #sendFile(message: OutboundMessage, file: OutboundFile): Promise<SendReceipt> {
    const bytes = await file.bytes()
    const form = chooseMediaForm(file)
    const params = { ...this.#frame(message), ...createCaption(message), ...(form === 'voice' && createLength(bytes)) }
    const upload = { field: form, name: file.name, mediaType: file.mediaType, bytes }
    const answer = await this.#attempt(getSendMethod(form), params, message, [upload])
    if (!answer.refusal) return readReceipt(answer.result)
    if (!isOnlyForm(form, answer.refusal)) throw sendFailure(answer.refusal)
    return readReceipt(await this.deliver('sendDocument', params, message, [{ ...upload, field: 'document' }]))
  }

  /** Two to ten files that appear as one; the caption of the first is the caption of all. */
  async #sendAlbum(message: OutboundMessage, files: readonly OutboundFile[]): Promise<SendReceipt> {
    const forms = albumForms(files)
    const media = files.map((_, at) => {
      return { type: forms[at], media: `attach://file${at}`, ...(at === 0 && createCaption(message)) }
    })
    const uploads = files.map(async ({ name, mediaType, bytes }, at) => {
      return { field: `file${at}`, name, mediaType, bytes: await bytes() }
    })
    const params = { ...this.#frame(message), media }
    const result = await this.deliver('sendMediaGroup', params, message, await Promise.all(uploads))
    return readReceipt(Array.isArray(result) ? result[0] : undefined)
  }

  /** Where the chat is now, and without marks when Telegram does not understand them. */
  async #attempt(
    method: string,
    params: Params,
    sending: Sending = {},
    files: readonly Upload[] = [],
  ): Promise<Answer> {
    const chatId = String(params['chat_id'])
    const here = { ...params, chat_id: this.#moved.get(chatId) ?? chatId }
    const answer = await this.#call(method, here, sending, files)
    if (answer.refusal?.migrateTo) {
      this.#moved.set(chatId, answer.refusal.migrateTo)
      return this.#call(method, { ...params, chat_id: answer.refusal.migrateTo }, sending, files)
    }
    return answer.refusal && isBadMarkup(answer.refusal)
      ? this.#call(method, toPlainParams(here), sending, files)
      : answer
  }

  async #call(method: string, params: Params, { commit }: Sending, files: readonly Upload[] = []): Promise<Answer> {
    const options = commit ? { commit } : {}
    try {
      return await (files.length > 0
        ? this.#api.upload(method, params, files, options)
        : this.#api.call(method, params, options))
    } catch (error) {
      throw deliveryErrorFromNetwork(
        'TELEGRAM_FAILED',
        'The message did not get to Telegram, as far as is known',
        error,
      )
    }
  }
}

function isBadMarkup({ status, description }: Refusal): boolean {
  return status === 400 && /can't parse entities/i.test(description)
}

function toPlainParams({ parse_mode: _, ...params }: Params): Params {
  const bare = Object.entries(params).map(([name, value]) => {
    if (name === 'media' && Array.isArray(value)) return [name, value.map(toPlainParams)]
    return [name, (name === 'text' || name === 'caption') && typeof value === 'string' ? withoutMarks(value) : value]
  })
  return Object.fromEntries(bare)
}

function createCaption({ text }: OutboundMessage): Params {
  return text ? { caption: text, ...HTML } : {}
}

/** Shown before the voice message is played. */
function createLength(bytes: Uint8Array): Params {
  const length = measureSound(bytes)
  return length ? { duration: Math.max(1, Math.round(length.ms / 1000)) } : {}
}

/** Pictures with unsupported dimensions are sent as files; users who block voice messages may get audio as a file. */
function isOnlyForm(form: MediaForm, { status, description }: Refusal): boolean {
  if (status !== 400) return false
  return form === 'photo'
    ? /PHOTO|IMAGE/.test(description)
    : form === 'voice' && /VOICE_MESSAGES_FORBIDDEN/.test(description)
}

function readReceipt(result: unknown): SendReceipt {
  const { data } = sent.safeParse(result)
  if (!data) throw deliveryUncertain('TELEGRAM_FAILED', 'The answer to a message was none of the Bot API.')
  const { message_id: id, date } = data
  return { messageId: String(id), ...(date !== undefined && { at: date * 1000 }) }
}
