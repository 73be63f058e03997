/** Twilio's REST API: messages (twilio.com/docs/messaging/api/message-resource), media and the account. */
import { errorMessage, type Net, type NetResponse, SvcError, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
  readWithLimit,
} from 'svc/sdk/platform'
import { z } from 'zod'

/** Who asks, and where. */
export interface Account {
  readonly baseUrl: string
  readonly sid: string
  readonly token: string
}

/** A text on its way out. */
export interface TextMessage {
  readonly from: string
  readonly to: string
  readonly body: string
}

const accountAnswer = z.object({ status: z.string() })
const messageAnswer = z.object({ sid: z.string().min(1) })
const errorAnswer = z.object({ code: z.number().optional(), message: z.string().optional() })

/** Milliseconds; the facts of the reference say 30 seconds. */
const TIMEOUT_MS = 30_000
const MAX_REDIRECTS = 3

export class TwilioApi {
  readonly #net: () => Net
  readonly #account: Account

  constructor(net: () => Net, account: Account) {
    this.#net = net
    this.#account = account
  }

  /** Throws unless the account is there and in use. */
  async check(): Promise<void> {
    const response = await this.#ask(`${this.#path}.json`).catch((cause: unknown) => {
      throw deliveryBusy('SMS_UNREACHABLE', `Twilio could not be reached: ${errorMessage(cause)}`, { cause })
    })
    const body = await response.text().catch(() => '')
    if (response.status === 404 || response.status === 401) throw unauthorized()
    if (response.status !== 200) throw toFailure('Twilio did not say who we are', response, body)
    const answer = accountAnswer.safeParse(tryParseJson(body)?.value)
    if (!answer.success)
      throw deliveryBusy('SMS_UNREACHABLE', 'What answers is not Twilio. Check platforms.sms.base_url.')
    const { status } = answer.data
    if (status !== 'active')
      throw deliveryRefused('SMS_ACCOUNT', `The Twilio account is ${status}. Its console says why.`)
  }

  /** The id of the message that Twilio made of it. */
  async send({ from, to, body }: TextMessage, commit?: () => void): Promise<string> {
    const form = new URLSearchParams({ From: from, To: to, Body: body })
    const response = await this.#ask(`${this.#path}/Messages.json`, form, commit).catch((cause: unknown) => {
      throw deliveryErrorFromNetwork('SMS_UNREACHABLE', 'Twilio could not be reached', cause)
    })
    const answer = await response.text().catch((cause: unknown) => {
      throw deliveryErrorFromNetwork('SMS_UNREACHABLE', 'Twilio could not be reached', cause)
    })
    if (response.status === 401) throw unauthorized()
    if (response.status >= 300) throw toFailure('Twilio did not take the message', response, answer)
    const message = messageAnswer.safeParse(tryParseJson(answer)?.value)
    if (message.success) return message.data.sid
    throw deliveryUncertain('SMS_UNREACHABLE', 'Twilio answered something strange; the message may have been sent.')
  }

  /** A file of a message. It is behind a redirect to another host, which must not see the token. */
  async media(url: string, { maxBytes, signal }: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    const own = new URL(this.#account.baseUrl).origin
    if (!URL.canParse(url) || new URL(url).origin !== own)
      throw new SvcError('SMS_MEDIA', `The picture is not at ${own}. It is not fetched.`)
    for (let at = url, hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const headers = new URL(at).origin === own ? this.#headers : {}
      const response = await this.#net().request({ url: at, headers, signal, timeoutMs: TIMEOUT_MS })
      if (response.status === 200) return readWithLimit(response.body, { name: 'The picture', maxBytes })
      response.close()
      const next = response.headers['location']
      if (response.status < 300 || response.status >= 400 || !next)
        throw new SvcError('SMS_MEDIA', `Twilio did not give the picture: HTTP ${response.status}.`)
      at = new URL(next, at).href
    }
    throw new SvcError('SMS_MEDIA', 'Twilio sends from one address to the next for this picture. It is not fetched.')
  }

  get #path(): string {
    return `/2010-04-01/Accounts/${encodeURIComponent(this.#account.sid)}`
  }

  get #headers(): Record<string, string> {
    const { sid, token } = this.#account
    return { authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}` }
  }

  async #ask(path: string, form?: URLSearchParams, commit?: () => void): Promise<NetResponse> {
    const url = `${this.#account.baseUrl.replace(/\/+$/, '')}${path}`
    const headers = { ...this.#headers, accept: 'application/json' }
    if (!form) return this.#net().request({ url, headers, timeoutMs: TIMEOUT_MS })
    return this.#net().request({
      url,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      timeoutMs: TIMEOUT_MS,
      once: true,
      ...(commit && { commit }),
    })
  }
}

function unauthorized(): SvcError {
  const advice = 'Copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN from its console again.'
  return deliveryRefused('SMS_UNAUTHORIZED', `Twilio does not accept the account. ${advice}`)
}

/** Errors name numbers of people, which must not stand in logs. */
function toFailure(what: string, response: NetResponse, body: string): SvcError {
  const { code, message } = errorAnswer.safeParse(tryParseJson(body)?.value).data ?? {}
  const said = message?.replace(/\+?\d{7,15}/g, (number) => `…${number.slice(-4)}`)
  const reason = [said, code !== undefined && `error ${code}`].filter(Boolean).join(', ')
  return deliveryErrorFromResponse({ code: 'SMS_REFUSED', what, response, ...(reason && { reason }) })
}
