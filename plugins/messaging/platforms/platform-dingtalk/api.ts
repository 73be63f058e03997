/**
 * The API of DingTalk for robots (open.dingtalk.com/document/orgapp): access tokens, messages to people and groups, files,
 * and where a stream begins. Errors are `{"code", "message"}` with an HTTP status, in the older API `{"errcode", "errmsg"}`.
 */
import { type Clock, type Net, type NetResponse, type Random, type Secrets, SvcError, tryParseJson } from 'svc/sdk'
import { encodeMultipartForm } from 'svc/sdk/media'
import {
  beforeSending,
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
  type OutboundFile,
} from 'svc/sdk/platform'

const TIMEOUT_MS = 30_000
const UPLOAD_MS = 300_000
/** A token is not used in the last minutes of its life. */
const EARLY_MS = 300_000

/** The app in whose name is asked. */
export interface App {
  readonly clientId: string
  readonly clientSecret: string
}

export interface ApiDeps {
  readonly baseUrl: string
  readonly oapiUrl: string
  readonly net: () => Net
  readonly clock: () => Clock
  readonly random: () => Random
  readonly secrets: () => Secrets
  app(): App
}

/** What a file is uploaded as. */
export type UploadType = 'image' | 'file' | 'voice'

type Answer = Readonly<Record<string, unknown>>

/** One request with JSON. */
interface JsonRequest {
  readonly url: string
  readonly body: object | Uint8Array
  readonly contentType?: string
  readonly token?: string
  readonly timeoutMs?: number
  readonly method?: CallOptions['method']
  /** As in `OutboundMessage`. */
  readonly commit?: (() => void) | undefined
}

/** How the API is asked. */
export interface CallOptions {
  /** Default `POST`. `PUT` is idempotent, so it may be repeated. */
  readonly method?: 'POST' | 'PUT' | undefined
  readonly commit?: (() => void) | undefined
}

export class DingTalkApi {
  readonly #deps: ApiDeps
  #token: { readonly value: string; readonly until: number } | undefined

  constructor(deps: ApiDeps) {
    this.#deps = deps
  }

  /** Where a stream of messages is to be opened. A ticket opens one, within 90 seconds. */
  async openStream(topics: readonly string[]): Promise<{ readonly endpoint: string; readonly ticket: string }> {
    const subscriptions = topics.map((topic) => ({ type: 'CALLBACK', topic }))
    const body = { ...this.#deps.app(), subscriptions, ua: 'svc/0.1' }
    const { endpoint, ticket } = await this.#ask({ url: `${this.#deps.baseUrl}/v1.0/gateway/connections/open`, body })
    if (typeof endpoint === 'string' && typeof ticket === 'string') return { endpoint, ticket }
    throw new SvcError('DINGTALK_FAILED', 'DingTalk did not say where the stream is to be opened.')
  }

  /** Asks the API with an access token; one that has ended is replaced, once. */
  async call(path: string, body: object, { method, commit }: CallOptions = {}): Promise<Answer> {
    const url = `${this.#deps.baseUrl}${path}`
    const token = await this.#accessToken()
    try {
      return await this.#ask({ url, body, token, method, commit })
    } catch (error) {
      if (!endedTokens.has(error as Error)) throw error
      this.#token = undefined
      return this.#ask({ url, body, token: await this.#accessToken(), method, commit })
    }
  }

  /** Posts to the address that came with a message; the error's code when DingTalk names one. */
  async postWebhook(
    url: string,
    body: object,
    commit?: () => void,
  ): Promise<{ readonly errcode: number; readonly errmsg: string }> {
    const { errcode, errmsg } = await this.#ask({ url, body, commit })
    if (typeof errcode !== 'number')
      throw deliveryUncertain('DINGTALK_FAILED', 'DingTalk did not say whether it took a message.')
    return { errcode, errmsg: this.#deps.secrets().mask(String(errmsg ?? '')) }
  }

  /** Uploads a file; its media id (open.dingtalk.com/document/orgapp/upload-media-files). */
  upload(file: OutboundFile, type: UploadType): Promise<string> {
    return beforeSending(this.#upload(file, type))
  }

  async #upload(file: OutboundFile, type: UploadType): Promise<string> {
    const token = encodeURIComponent(await this.#accessToken())
    const { name, mediaType } = file
    const part = { field: 'media', name, mediaType, bytes: await file.bytes() }
    const form = encodeMultipartForm({ type }, part, this.#deps.random().hex(16))
    const answer = await this.#ask({
      url: `${this.#deps.oapiUrl}/media/upload?access_token=${token}&type=${type}`,
      body: form.body,
      contentType: form.contentType,
      timeoutMs: UPLOAD_MS,
    })
    if (typeof answer['media_id'] === 'string') return answer['media_id']
    throw webhookFailure(Number(answer['errcode'] ?? 0), String(answer['errmsg'] ?? 'it gave no media_id'))
  }

  /** Fetches what a temporary address of DingTalk leads to. */
  open(url: string, signal: AbortSignal): Promise<NetResponse> {
    return this.#request({ url, signal, timeoutMs: UPLOAD_MS })
  }

  #accessToken(): Promise<string> {
    return beforeSending(this.#freshToken())
  }

  async #freshToken(): Promise<string> {
    const { app, clock, baseUrl, secrets } = this.#deps
    if (this.#token && clock().now() < this.#token.until) return this.#token.value
    const { clientId, clientSecret } = app()
    const body = { appKey: clientId, appSecret: clientSecret }
    const { accessToken, expireIn } = await this.#ask({ url: `${baseUrl}/v1.0/oauth2/accessToken`, body })
    if (typeof accessToken !== 'string') throw new SvcError('DINGTALK_FAILED', 'DingTalk gave no access token.')
    secrets().protect(accessToken)
    const lifeMs = typeof expireIn === 'number' ? expireIn * 1000 : 0
    this.#token = { value: accessToken, until: clock().now() + lifeMs - EARLY_MS }
    return accessToken
  }

  async #ask({
    url,
    body,
    contentType = 'application/json',
    token,
    timeoutMs = TIMEOUT_MS,
    method = 'POST',
    commit,
  }: JsonRequest): Promise<Answer> {
    const headers = {
      accept: 'application/json',
      'content-type': contentType,
      ...(token && { 'x-acs-dingtalk-access-token': token }),
    }
    const bytes = body instanceof Uint8Array ? body : JSON.stringify(body)
    const request = { url, method, headers, body: bytes, timeoutMs, ...(commit && { commit }) }
    const response = await this.#request(request)
    const text = await response.text().catch((cause) => {
      throw deliveryErrorFromNetwork('DINGTALK_FAILED', 'DingTalk cannot be asked', cause)
    })
    const value = tryParseJson(text)?.value
    const answer = typeof value === 'object' && value !== null ? (value as Answer) : undefined
    if (response.status !== 200) throw this.#failure(response, answer ?? {})
    if (answer) return answer
    throw deliveryUncertain(
      'DINGTALK_FAILED',
      'DingTalk answered something that is not JSON. Check the configured addresses.',
    )
  }

  #request(request: Parameters<Net['request']>[0]): Promise<NetResponse> {
    return this.#deps
      .net()
      .request({ ...request, idleMs: TIMEOUT_MS, ...(request.method === 'POST' && { once: true }) })
      .catch((cause) => {
        throw deliveryErrorFromNetwork('DINGTALK_FAILED', 'DingTalk cannot be asked', cause)
      })
  }

  #failure(response: NetResponse, answer: Answer): SvcError {
    const code = String(answer['code'] ?? '')
    const reason = this.#deps.secrets().mask([code, answer['message']].filter(Boolean).join(': '))
    if (LIMITED.test(code)) return limited(reason)
    if (response.status === 401 || WRONG_APP.test(code)) {
      if (WRONG_APP.test(code)) return unauthorized(reason)
      const error = deliveryRefused('DINGTALK_FAILED', `DingTalk does not accept its own access token: ${reason}.`)
      endedTokens.add(error)
      return error
    }
    return deliveryErrorFromResponse({ code: 'DINGTALK_FAILED', what: 'DingTalk refused', response, reason })
  }
}

/** Failures that a new access token may mend. */
const endedTokens = new WeakSet<Error>()

/** Codes of the API for calls that are too many, such as `Forbidden.AccessDenied.QpsLimitForApi`. */
const LIMITED = /qps|throttl|limit|toofast|frequen/i
const WRONG_APP = /invalidClient|authFailed|appNotExist|invalidAppKey|invalidAppSecret/i
/** `errcode`s for "busy", "20 a minute" and "too often" (open.dingtalk.com/document/orgapp/server-api-error-codes-1). */
const LIMITED_CODES = [-1, 90018, 130101, 410100]

/** Nothing was done, and it may be later. DingTalk does not say when. */
export function limited(reason: string): SvcError {
  return deliveryBusy('DINGTALK_LIMITED', `DingTalk limits how fast the robot may write: ${reason}`)
}

function unauthorized(reason: string): SvcError {
  const advice = 'Set DINGTALK_CLIENT_ID and DINGTALK_CLIENT_SECRET to those of the app in the developer console.'
  return deliveryRefused('DINGTALK_UNAUTHORIZED', `DingTalk does not accept the app: ${reason}. ${advice}`)
}

/** What an `errcode` means for something that was sent: it was not done. */
export function webhookFailure(errcode: number, errmsg: string): SvcError {
  const reason = `${errcode} ${errmsg}`
  return LIMITED_CODES.includes(errcode)
    ? limited(reason)
    : deliveryRefused('DINGTALK_FAILED', `DingTalk refused: ${reason}.`)
}

/** Whether another way to the same chat would be limited as well. */
export function isLimited(errcode: number): boolean {
  return LIMITED_CODES.includes(errcode)
}
