/** Sends: at the address that came with a message, or as the robot (open.dingtalk.com/document/orgapp, robots). */
import { errorMessage } from 'svc/sdk'
import { measureSound } from 'svc/sdk/kit/files'
import {
  classifyDeliveryError,
  deliveryRefused,
  deliveryUncertain,
  type OutboundFile,
  type OutboundMessage,
} from 'svc/sdk/platform'
import { type DingTalkApi, isLimited, limited, webhookFailure } from './api.ts'
import { isGroup } from './inbound.ts'
import { pieces, withBreaks } from './pieces.ts'
import type { Webhooks } from './webhooks.ts'

/** open.dingtalk.com/document/orgapp/custom-bot-send-message-type */
const WEBHOOK_BYTES = 20_000
/** `msgParam` of the robot has at most 15,000 bytes, including JSON escapes and the title. */
const ROBOT_BYTES = 14_500
const TITLE_LENGTH = 40

/** What a message is sent with. */
export interface Sending {
  readonly api: DingTalkApi
  readonly webhooks: Webhooks
  readonly robotCode: string
  /** As in `OutboundMessage`. */
  readonly commit: (() => void) | undefined
}

/** The id of the last message, where DingTalk gives one. */
export async function send(message: OutboundMessage, given: Omit<Sending, 'commit'>): Promise<string | undefined> {
  const { chatId, text, files = [], buttons = [], commit } = message
  const sending = { ...given, commit }
  const steps: (() => Promise<string | undefined>)[] = []
  // A question whose card could not be shown is answered by its number.
  const choices = buttons.map(({ label }, at) => `${at + 1}. ${label}`)
  const words = withBreaks([text, ...choices].join('\n'))
  if (words.trim() !== '')
    for (const piece of pieces(words, WEBHOOK_BYTES)) steps.push(() => sendText(chatId, piece, sending))
  for (const file of files) {
    // Uploaded first: when that fails, nothing was sent yet.
    const content = await fileContent(file, sending.api)
    steps.push(() => asRobot(chatId, content, sending))
  }
  if (steps.length === 0) throw deliveryRefused('DINGTALK_FAILED', 'A message of blanks alone cannot be sent.')
  return inOrder(steps)
}

/** What fails when something of it was sent must not be tried again. */
async function inOrder(steps: readonly (() => Promise<string | undefined>)[]): Promise<string | undefined> {
  let id: string | undefined
  for (const [at, step] of steps.entries()) {
    try {
      id = await step()
    } catch (error) {
      if (at === 0) throw error
      throw deliveryUncertain('DINGTALK_FAILED', `Only a part of the message was sent: ${errorMessage(error)}`, error)
    }
  }
  return id
}

async function sendText(chatId: string, text: string, sending: Sending): Promise<string | undefined> {
  const url = sending.webhooks.of(chatId)
  if (url !== undefined) {
    const markdown = { title: createTitle(text), text }
    const { errcode, errmsg } = await sending.api.postWebhook(url, { msgtype: 'markdown', markdown }, sending.commit)
    if (errcode === 0) return undefined
    if (isLimited(errcode)) throw webhookFailure(errcode, errmsg)
    // It has ended, or is not allowed: the robot may be.
    sending.webhooks.forget(chatId)
  }
  return inOrder(
    robotPieces(text).map((piece) => () => {
      return asRobot(
        chatId,
        { msgKey: 'sampleMarkdown', msgParam: { title: createTitle(piece), text: piece } },
        sending,
      )
    }),
  )
}

/** Content in one of the forms that robots have. */
interface Content {
  readonly msgKey: string
  readonly msgParam: object
}

async function asRobot(chatId: string, { msgKey, msgParam }: Content, sending: Sending): Promise<string | undefined> {
  const { api, robotCode, commit } = sending
  const body = { robotCode, msgKey, msgParam: JSON.stringify(msgParam) }
  if (isGroup(chatId)) {
    const answer = await api.call('/v1.0/robot/groupMessages/send', { ...body, openConversationId: chatId }, { commit })
    return readProcessKey(answer)
  }
  const answer = await api.call('/v1.0/robot/oToMessages/batchSend', { ...body, userIds: [chatId] }, { commit })
  const lists = (name: string) => Array.isArray(answer[name]) && answer[name].includes(chatId)
  if (lists('invalidStaffIdList'))
    throw deliveryRefused('DINGTALK_FAILED', `DingTalk does not know a user ${chatId} whom the robot may write to.`)
  if (lists('flowControlledStaffIdList')) throw limited(`user ${chatId} got too many messages`)
  return readProcessKey(answer)
}

function readProcessKey(answer: Readonly<Record<string, unknown>>): string | undefined {
  const key = answer['processQueryKey']
  return typeof key === 'string' ? key : undefined
}

/** Pictures are shown; robots send other files as files. */
async function fileContent(file: OutboundFile, api: DingTalkApi): Promise<Content> {
  if (file.mediaType.startsWith('image/'))
    return { msgKey: 'sampleImageMsg', msgParam: { photoURL: await api.upload(file, 'image') } }
  const spoken = file.isVoice ? await voiceContent(file, api) : undefined
  if (spoken) return spoken
  const mediaId = await api.upload(file, 'file')
  const fileType = /\.(\w+)$/.exec(file.name)?.[1] ?? 'bin'
  return { msgKey: 'sampleFile', msgParam: { mediaId, fileName: file.name, fileType } }
}

/** Of an upload of this kind (open.dingtalk.com/document/orgapp/upload-media-files). */
const MAX_VOICE = 2 * 2 ** 20

/**
 * A voice message is Ogg or AMR, with its length in milliseconds (.../types-of-messages-sent-by-robots); undefined for speech that can
 * only be a file.
 */
async function voiceContent(file: OutboundFile, api: DingTalkApi): Promise<Content | undefined> {
  const length = file.size <= MAX_VOICE ? measureSound(await file.bytes()) : undefined
  if (length?.format !== 'opus' && length?.format !== 'amr') return undefined
  try {
    const mediaId = await api.upload(file, 'voice')
    return { msgKey: 'sampleAudio', msgParam: { mediaId, duration: String(length.ms) } }
  } catch (error) {
    if (classifyDeliveryError(error).kind !== 'refused') throw error
    return undefined
  }
}

/** The line that notifications show. */
function createTitle(text: string): string {
  const [first = ''] = text
    .replace(/[#>*`_\\[\]]/g, '')
    .trim()
    .split('\n')
  return [...first.trim()].slice(0, TITLE_LENGTH).join('') || 'svc'
}

/** JSON makes text longer; a piece is measured as it will be written. */
function robotPieces(text: string): readonly string[] {
  const grown = Buffer.byteLength(JSON.stringify(text)) / Math.max(1, Buffer.byteLength(text))
  return pieces(text, Math.floor(ROBOT_BYTES / grown)).flatMap((piece) => {
    return Buffer.byteLength(JSON.stringify(piece)) <= ROBOT_BYTES ? [piece] : pieces(piece, ROBOT_BYTES / 6)
  })
}
