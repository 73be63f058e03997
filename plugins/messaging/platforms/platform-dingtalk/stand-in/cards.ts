/**
 * Interactive cards as DingTalk takes them (open.dingtalk.com/document/orgapp/create-and-deliver-cards,
 * .../interactive-card-update-interface, .../api-streamingupdate), with one template: that of DingTalk's SDK.
 */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { StandInDelivery } from 'svc/sdk/platform'
import { markdownWords } from './text.ts'

export const TEMPLATE = '382e4302-551d-4880-bf29-a30acfab2e71.schema'
const WRITING = '2'
const MAX_ID = 128

type Data = Readonly<Record<string, unknown>>

/** A button of a card that is shown. */
export interface CardButton {
  readonly outTrackId: string
  readonly id: string
}

interface Card {
  readonly at: number
  readonly chatId: string
  params: Readonly<Record<string, string>>
}

function failure(code: string, message: string, status = 400): ServiceAnswer {
  return { status, body: { code, message, requestid: 'request' } }
}

export class FakeCards {
  refusal: string | undefined
  hidden: string | undefined
  readonly #robotCode: string
  readonly #sent: StandInDelivery[]
  readonly #cards: Map<string, Card> = new Map()
  /** Updates that were taken, by their ids. */
  readonly #guids: Set<string> = new Set()

  constructor(robotCode: string, sent: StandInDelivery[]) {
    this.#robotCode = robotCode
    this.#sent = sent
  }

  /** The newest button in the chat with this label. */
  find(chatId: string, label: string): CardButton {
    for (const [outTrackId, card] of [...this.#cards].reverse()) {
      const button = card.chatId === chatId ? readButtons(card.params).find(({ text }) => text === label) : undefined
      if (button) return { outTrackId, id: button.id }
    }
    throw new Error(`There is no button "${label}".`)
  }

  answer(method: string, path: string, body: Data): ServiceAnswer {
    if (this.refusal !== undefined) return failure(this.refusal, 'cards are refused', 403)
    if (method === 'POST' && path === '/v1.0/card/instances/createAndDeliver') return this.#create(body)
    if (method === 'PUT' && path === '/v1.0/card/instances') return this.#update(body)
    if (method === 'PUT' && path === '/v1.0/card/streaming') return this.#stream(body)
    return failure('InvalidAction.NotFound', 'no such API', 404)
  }

  #create(body: Data): ServiceAnswer {
    const { cardTemplateId, outTrackId, callbackType, openSpaceId, cardData } = body
    if (cardTemplateId !== TEMPLATE) return failure('param.templateNotExist', 'the template does not exist')
    if (typeof outTrackId !== 'string' || outTrackId.length > MAX_ID || this.#cards.has(outTrackId))
      return failure('param.outTrackId', 'outTrackId is used already, or too long')
    if (callbackType !== 'STREAM') return failure('param.callbackType', 'this stand-in wants STREAM')
    const [, kind, chatId = ''] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.(.+)$/.exec(String(openSpaceId)) ?? []
    const model = body[kind === 'IM_GROUP' ? 'imGroupOpenDeliverModel' : 'imRobotOpenDeliverModel'] as Data | undefined
    if (!kind || model?.['robotCode'] !== this.#robotCode || (kind === 'IM_GROUP') !== chatId.startsWith('cid'))
      return failure('param.openSpaceId', 'the space is not valid')
    if (kind === 'IM_ROBOT' && model['spaceType'] !== 'IM_ROBOT') return failure('param.spaceType', 'no space type')
    const params = readParams(cardData)
    if (!params) return failure('param.cardParamMap', 'all values of cardParamMap must be strings')
    const result = { spaceType: kind, spaceId: chatId, success: this.hidden === undefined, errorMsg: this.hidden }
    if (this.hidden === undefined) {
      this.#cards.set(outTrackId, { at: this.#sent.length, chatId, params })
      this.#sent.push({ ...shown(outTrackId, chatId, params), versions: [params['msgContent'] ?? ''] })
    }
    return { body: { success: true, result: { outTrackId, deliverResults: [result] } } }
  }

  #update({ outTrackId, cardData, cardUpdateOptions }: Data): ServiceAnswer {
    const card = this.#cards.get(String(outTrackId))
    const params = readParams(cardData)
    if (!card) return failure('param.cardNotExist', 'the card does not exist')
    if (!params) return failure('param.cardParamMap', 'all values of cardParamMap must be strings')
    const isByKey = (cardUpdateOptions as Data | undefined)?.['updateCardDataByKey'] === true
    return this.#show(String(outTrackId), card, isByKey ? { ...card.params, ...params } : params)
  }

  #stream({ outTrackId, guid, key, content, isFull, isFinalize, isError }: Data): ServiceAnswer {
    const card = this.#cards.get(String(outTrackId))
    if (!card) return failure('param.cardNotExist', 'the card does not exist')
    const isGood = typeof guid === 'string' && key === 'msgContent' && typeof content === 'string' && isFull === true
    if (!isGood || typeof isFinalize !== 'boolean' || typeof isError !== 'boolean')
      return failure('param.error', 'a parameter of the update is missing')
    if (card.params['flowStatus'] !== WRITING) return failure('param.stateError', 'the card does not stream')
    if (this.#guids.has(guid)) return { body: { success: true, result: true } }
    this.#guids.add(guid)
    return this.#show(String(outTrackId), card, { ...card.params, msgContent: content })
  }

  #show(outTrackId: string, card: Card, params: Readonly<Record<string, string>>): ServiceAnswer {
    const before = this.#sent[card.at]
    const text = params['msgContent'] ?? ''
    const versions = [...(before?.versions ?? []), ...(text === '' ? [] : [text])]
    card.params = params
    this.#sent[card.at] = { ...shown(outTrackId, card.chatId, params), versions }
    return { body: { success: true, result: true } }
  }
}

function shown(
  messageId: string,
  chatId: string,
  params: Readonly<Record<string, string>>,
): Omit<StandInDelivery, 'versions'> {
  const raw = params['msgContent'] ?? ''
  return {
    messageId,
    chatId,
    raw,
    visible: markdownWords(raw),
    buttons: readButtons(params).map(({ text }) => text),
    files: [],
  }
}

function readParams(cardData: unknown): Readonly<Record<string, string>> | undefined {
  const map = (cardData as { readonly cardParamMap?: unknown } | undefined)?.cardParamMap
  if (typeof map !== 'object' || map === null) return undefined
  return Object.values(map).every((value) => typeof value === 'string') ? (map as Record<string, string>) : undefined
}

function readButtons({ sys_full_json_obj: json = '{}' }: Readonly<Record<string, string>>): readonly {
  readonly text: string
  readonly id: string
}[] {
  const { msgButtons = [] } = JSON.parse(json) as { msgButtons?: { text: string; id: string; request?: boolean }[] }
  return msgButtons.filter(({ request }) => request === true)
}
