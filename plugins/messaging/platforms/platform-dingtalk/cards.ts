/**
 * Interactive cards (open.dingtalk.com/document/orgapp/create-and-deliver-cards, .../interactive-card-update-interface and
 * .../api-streamingupdate): messages with buttons, and messages that are edited while they are written. Names of variables are those of the
 * template that DingTalk's own SDK uses (github.com/open-dingtalk/dingtalk-stream-sdk-python, `card_instance.py`).
 */
import { createHash } from 'node:crypto'
import { SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryRefused,
  type InboundMessage,
  type MessageButton,
  type OutboundMessage,
  type OutboundMessageEdit,
} from 'svc/sdk/platform'
import { z } from 'zod'
import type { DingTalkApi } from './api.ts'
import { isGroup } from './inbound.ts'
import { withBreaks } from './pieces.ts'

export const CARD_TOPIC = '/v1.0/card/instances/callback'

/** The most buttons of one card. */
export const MAX_BUTTONS = 10
const MAX_REMEMBERED = 500

/** `flowStatus` of the template: while a text grows, and afterwards. */
const WRITING = '2'
const FINISHED = '3'
const COLOURS = { primary: 'blue', danger: 'red' } as const
const ORDER = ['msgTitle', 'msgContent', 'msgTextList', 'msgImages', 'msgButtons']

/** A press of a button. Other callbacks of cards are not for us. */
const callback = z.object({
  outTrackId: z.string().min(1),
  userId: z.string().min(1),
  corpId: z.string().optional(),
  content: z.string().optional(),
  value: z.string().optional(),
})
const pressed = z.object({ cardPrivateData: z.object({ actionIds: z.array(z.string().min(1)).min(1) }) })

/** What cards are sent with. */
export interface CardDeps {
  readonly api: DingTalkApi
  readonly templateId: string
  readonly robotCode: () => string
  /** For the id of an update. */
  readonly uuid: () => string
}

export class Cards {
  readonly #deps: CardDeps
  /** Buttons of cards, by their ids. What was shown before the start is known by the value of the button only. */
  readonly #buttons: Map<string, readonly MessageButton[]> = new Map()
  /** Cards that are in the state in which their text can grow. */
  readonly #growing: Set<string> = new Set()

  constructor(deps: CardDeps) {
    this.#deps = deps
  }

  /** The id of the card. Throws as `send` of a platform does. */
  async send(message: OutboundMessage): Promise<string> {
    const { chatId, key, text, buttons = [], commit } = message
    const outTrackId = createCardId(chatId, key)
    const robotCode = this.#deps.robotCode()
    const place = isGroup(chatId)
      ? { openSpaceId: `dtv1.card//IM_GROUP.${chatId}`, imGroupOpenDeliverModel: { robotCode } }
      : {
          openSpaceId: `dtv1.card//IM_ROBOT.${chatId}`,
          imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode },
        }
    const body = {
      cardTemplateId: this.#deps.templateId,
      outTrackId,
      callbackType: 'STREAM',
      userIdType: 1,
      cardData: { cardParamMap: createContent(text, buttons, FINISHED) },
      imGroupOpenSpaceModel: { supportForward: false },
      imRobotOpenSpaceModel: { supportForward: false },
      ...place,
    }
    const answer = await this.#deps.api.call('/v1.0/card/instances/createAndDeliver', body, { commit })
    checkDelivered(answer)
    this.#remember(outTrackId, buttons)
    return outTrackId
  }

  /** While a text grows only the new text is sent; the end replaces all of the card. */
  async edit({ messageId, text, buttons = [], isFinal }: OutboundMessageEdit): Promise<void> {
    if (!isCard(messageId))
      throw deliveryRefused('DINGTALK_FAILED', 'Only cards of DingTalk can be edited; this message is not a card.')
    if (isFinal || buttons.length > 0) {
      await this.#update(messageId, createContent(text, buttons, FINISHED))
      this.#growing.delete(messageId)
      this.#remember(messageId, buttons)
      return
    }
    if (!this.#growing.has(messageId)) {
      await this.#update(messageId, createContent('', [], WRITING))
      this.#growing.add(messageId)
    }
    const body = {
      outTrackId: messageId,
      guid: this.#deps.uuid(),
      key: 'msgContent',
      content: withBreaks(text),
      isFull: true,
      isFinalize: false,
      isError: false,
    }
    await this.#deps.api.call('/v1.0/card/streaming', body, { method: 'PUT' })
  }

  /** Undefined unless it is a press of one of our buttons. `frameId` tells two presses apart. */
  readPress(data: unknown, frameId: string): InboundMessage | undefined {
    const read = callback.safeParse(data).data
    const said = pressed.safeParse(tryParseJson(read?.content ?? read?.value ?? '')?.value).data
    const chatId = read && findCardChat(read.outTrackId)
    const [press] = said?.cardPrivateData.actionIds ?? []
    if (!read || press === undefined || chatId === undefined) return undefined
    const known = this.#buttons.get(read.outTrackId)?.find(({ value }) => value === press)
    return {
      platform: 'dingtalk',
      chatId,
      chatKind: isGroup(chatId) ? 'group' : 'dm',
      userId: read.userId,
      messageId: `press-${frameId}`,
      text: known?.label ?? press,
      press,
      isMention: true,
      ...(read.corpId && { scopeId: read.corpId }),
    }
  }

  async #update(outTrackId: string, cardParamMap: object): Promise<void> {
    const body = { outTrackId, cardData: { cardParamMap }, cardUpdateOptions: { updateCardDataByKey: true } }
    await this.#deps.api.call('/v1.0/card/instances', body, { method: 'PUT' })
  }

  #remember(outTrackId: string, buttons: readonly MessageButton[]): void {
    this.#buttons.delete(outTrackId)
    if (buttons.length > 0) this.#buttons.set(outTrackId, buttons)
    const [oldest] = this.#buttons.keys()
    if (this.#buttons.size > MAX_REMEMBERED && oldest !== undefined) this.#buttons.delete(oldest)
  }
}

/** Values are texts; what has a structure is JSON in one of them. */
function createContent(text: string, buttons: readonly MessageButton[], flowStatus: string): object {
  const msgButtons = buttons.map(({ label, value, style }) => {
    return { text: label, color: style ? COLOURS[style] : 'gray', id: value, request: true }
  })
  return {
    flowStatus,
    msgContent: withBreaks(text),
    sys_full_json_obj: JSON.stringify({ order: ORDER, msgButtons }),
  }
}

/** The chat is in the id, so that a press is understood after a restart. */
function createCardId(chatId: string, key: string): string {
  const digest = createHash('sha256').update(`${chatId}\n${key}`).digest('hex').slice(0, 16)
  return `svc.${Buffer.from(chatId).toString('base64url')}.${digest}`
}

function findCardChat(outTrackId: string): string | undefined {
  const [, chat] = /^svc\.([\w-]+)\.[0-9a-f]{16}$/.exec(outTrackId) ?? []
  return chat === undefined ? undefined : Buffer.from(chat, 'base64url').toString()
}

export function isCard(messageId: string): boolean {
  return findCardChat(messageId) !== undefined
}

const delivered = z.object({
  result: z.object({ deliverResults: z.array(z.object({ success: z.boolean(), errorMsg: z.string().nullish() })) }),
})

/** An answer with status 200 may say that the card is nowhere to be seen. */
function checkDelivered(answer: unknown): void {
  const { data } = delivered.safeParse(answer)
  const failed = data?.result.deliverResults.find(({ success }) => !success)
  if (failed)
    throw deliveryRefused('DINGTALK_CARD', `DingTalk did not show the card: ${failed.errorMsg ?? 'no reason'}.`)
  if (!data || data.result.deliverResults.length === 0)
    throw new SvcError('DINGTALK_FAILED', 'DingTalk did not say whether it shows a card.')
}
