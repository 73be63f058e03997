/** What the Bot API refuses in a call (https://core.telegram.org/bots/api#making-requests), in its own words where it has them. */
import type { ServiceAnswer, UploadedFile } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'
import { readHtml } from './html.ts'
import { type TelegramMethod, telegramMethods } from './methods.ts'

type Data = Readonly<Record<string, unknown>>
export type Keyboard = readonly { readonly text: string; readonly callback_data: string }[]

const MAX_TEXT = 4096
const MAX_CAPTION = 1024
const MAX_BUTTONS = 100
const MAX_IN_ROW = 8
/** The field in which a method takes its file. */
const FILES: Readonly<Partial<Record<TelegramMethod, string>>> = {
  sendPhoto: 'photo',
  sendVoice: 'voice',
  sendAudio: 'audio',
  sendVideo: 'video',
  sendDocument: 'document',
}

function bad(description: string): ServiceAnswer {
  return refusal(400, `Bad Request: ${description}`)
}

/** Names that the method does not take, or that are missing. The service ignores the former, and what they mean with them. */
export function wrongFields(
  method: TelegramMethod,
  params: Data,
  [file]: readonly UploadedFile[],
): ServiceAnswer | undefined {
  const { takes, needs }: { readonly takes: readonly string[]; readonly needs: readonly string[] } =
    telegramMethods[method]
  // The files of an album are named by its media.
  const given = [...Object.keys(params), ...(file && method !== 'sendMediaGroup' ? [file.field] : [])]
  const wanted = FILES[method]
  if (wanted !== undefined && !given.includes(wanted)) return bad(`there is no ${wanted} in the request`)
  const strange = given.find((name) => !takes.includes(name))
  if (strange !== undefined) return bad(`this stand-in knows no parameter "${strange}" of ${method}`)
  const missing = needs.find((name) => !given.includes(name))
  if (missing === 'chat_id') return bad('chat_id is empty')
  if (missing === 'text') return bad('message text is empty')
  return missing === undefined ? undefined : bad(`parameter "${missing}" is required`)
}

/** `knows`: whether a message with this id is in the chat. */
export function wrongReply(
  { reply_parameters: reply }: Data,
  knows: (id: number) => boolean,
): ServiceAnswer | undefined {
  if (reply === undefined) return undefined
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply))
    return bad("can't parse reply parameters JSON object")
  const { message_id: id, allow_sending_without_reply: mayBeGone = false, ...rest } = reply as Data
  if (id === undefined) return bad('can\'t parse reply parameters: Can\'t find field "message_id"')
  if (!Number.isInteger(id)) return bad('can\'t parse reply parameters: Field "message_id" must be a valid Number')
  if (typeof mayBeGone !== 'boolean')
    return bad('can\'t parse reply parameters: Field "allow_sending_without_reply" must be of type Boolean')
  const strange = Object.keys(rest).find((name) => !REPLY.includes(name))
  if (strange !== undefined) return bad(`this stand-in knows no field "${strange}" of reply_parameters`)
  return mayBeGone || knows(Number(id)) ? undefined : bad('message to be replied not found')
}

/** Fields of `ReplyParameters` besides those that are looked at. */
const REPLY = ['chat_id', 'quote', 'quote_parse_mode', 'quote_entities', 'quote_position']

/** Fields of `LinkPreviewOptions`. */
const PREVIEW = ['is_disabled', 'url', 'prefer_small_media', 'prefer_large_media', 'show_above_text']

/** The service would fetch the first link of a text, which was not asked for unless `hasPreviews`. Captions have no preview. */
function wrongPreview(given: unknown, hasPreviews: boolean): ServiceAnswer | undefined {
  const options = (given ?? {}) as Data
  const strange = Object.keys(options).find((name) => !PREVIEW.includes(name))
  if (strange !== undefined) return bad(`this stand-in knows no field "${strange}" of link_preview_options`)
  if (!hasPreviews && options['is_disabled'] !== true)
    return bad('this stand-in wants link_preview_options.is_disabled')
  const isBoth = options['prefer_small_media'] === true && options['prefer_large_media'] === true
  return isBoth ? bad('this stand-in wants one size of link_preview_options') : undefined
}

/** The text, or what stands under a file. `hasPreviews`: previews were asked for. */
export function readText(
  params: Data,
  field: 'text' | 'caption',
  hasPreviews = false,
): { readonly answer: ServiceAnswer } | { readonly raw: string; readonly visible: string } {
  const { link_preview_options: preview, parse_mode: mode } = params
  const wrong = field === 'text' ? wrongPreview(preview, hasPreviews) : undefined
  if (wrong) return { answer: wrong }
  if (mode !== undefined && mode !== 'HTML') return { answer: bad(`unsupported parse_mode, here also ${mode}`) }
  const given = params[field] ?? ''
  if (typeof given !== 'string') return { answer: bad(`${field} must be of type String`) }
  const read = mode === 'HTML' ? readHtml(given) : { visible: given }
  if ('error' in read) return { answer: bad(`can't parse entities: ${read.error}`) }
  if (field === 'text' && !read.visible.trim()) return { answer: bad('message text is empty') }
  const [most, what] = field === 'text' ? [MAX_TEXT, 'message'] : [MAX_CAPTION, 'message caption']
  if (read.visible.length > most) return { answer: bad(`${what} is too long`) }
  return { raw: given, visible: read.visible.trim() }
}

/** An inline keyboard, as one list of its buttons. */
export function readKeyboard({ reply_markup: markup }: Data): { readonly answer: ServiceAnswer } | Keyboard {
  if (markup === undefined) return []
  const rows = (markup as { readonly inline_keyboard?: unknown }).inline_keyboard
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) return { answer: bad('object expected as reply markup') }
  const keys = rows.flat() as Keyboard
  if (keys.length > MAX_BUTTONS || rows.some((row) => row.length > MAX_IN_ROW))
    return { answer: bad('reply markup is too long') }
  if (keys.some(({ text }) => typeof text !== 'string' || !text.trim()))
    return { answer: bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard") }
  const isGood = keys.every(
    ({ callback_data: data }) => typeof data === 'string' && data && Buffer.byteLength(data) <= 64,
  )
  return isGood ? keys : { answer: bad('BUTTON_DATA_INVALID') }
}

/** A number, or in forms its digits. */
export function isWhole(value: unknown): boolean {
  return /^-?\d+$/.test(String(value))
}

/** A menu that can be shown. */
export function areCommands(commands: readonly Data[]): boolean {
  const isGood = commands.every(({ command, description }) => {
    const length = String(description ?? '').length
    return /^[a-z0-9_]{1,32}$/.test(String(command)) && length >= 1 && length <= 256
  })
  return isGood && commands.length <= 100
}
