/** The REST API of Home Assistant: https://developers.home-assistant.io/docs/api/rest. */
import { errorCode, errorMessage, type Net, type NetResponse, SvcError, tryParseJson } from 'svc/sdk'
import { deliveryBusy, deliveryErrorFromNetwork, deliveryErrorFromResponse, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'

/** Where Home Assistant is and who asks. */
export interface Account {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
}

/** The state of an entity. */
export const entityState = z.object({
  entity_id: z.string(),
  state: z.string(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  last_changed: z.string().default(''),
  last_updated: z.string().default(''),
})
export type EntityState = z.infer<typeof entityState>

const services = z.array(
  z.object({
    domain: z.string(),
    services: z.record(z.string(), z.object({ description: z.string().default(''), fields: z.unknown().optional() })),
  }),
)
export type ServiceDomain = z.infer<typeof services>[number]

const NOTIFICATION = 'persistent_notification/create'
const NOTIFY_MS = 10_000
/** A service is answered after at most ten seconds, done or not. */
const ANSWER_MS = 20_000

/** Calls the server; `account` is read for each call, so that a new token applies at once. */
export class HomeApi {
  readonly #net: Net
  readonly #account: () => Account

  constructor(net: Net, account: () => Account) {
    this.#net = net
    this.#account = account
  }

  /** The same id once more changes the notification that is there. Throws what `refused`, `busy` and `unsure` make. */
  async notify(id: string, message: string): Promise<void> {
    const body = JSON.stringify({ title: 'svc', message, notification_id: id })
    const answer = await this.#request(`services/${NOTIFICATION}`, { body, timeoutMs: NOTIFY_MS }).catch((error) => {
      throw deliveryErrorFromNetwork(
        'HOMEASSISTANT_FAILED',
        'The notification did not get to Home Assistant, as far as is known',
        error,
      )
    })
    const { status } = answer
    if (status === 200 || status === 201) return void (await answer.text().catch(() => ''))
    const reason = await readReason(answer)
    if (status === 401) throw unauthorized()
    const what = 'Home Assistant refused the notification'
    throw deliveryErrorFromResponse({ code: 'HOMEASSISTANT_FAILED', what, response: answer, reason })
  }

  async states(signal: AbortSignal): Promise<readonly EntityState[]> {
    return this.#ask('states', z.array(entityState), { signal })
  }

  /** Throws `HOMEASSISTANT_ENTITY` for one that is not there. */
  async state(id: string, signal: AbortSignal): Promise<EntityState> {
    return this.#ask(`states/${id}`, entityState, { signal })
  }

  async services(signal: AbortSignal): Promise<readonly ServiceDomain[]> {
    return this.#ask('services', services, { signal })
  }

  /** States that changed meanwhile. */
  async call(service: string, data: object, signal: AbortSignal): Promise<readonly EntityState[]> {
    return this.#ask(`services/${service}`, z.array(entityState), { signal, body: JSON.stringify(data) })
  }

  /** Entities of an area, by its name or id; templates are the only way to ask for them. */
  async entitiesIn(area: string, signal: AbortSignal): Promise<readonly string[]> {
    const body = JSON.stringify({ template: `{{ area_entities(${JSON.stringify(area)}) | to_json }}` })
    return this.#ask('template', z.array(z.string()), { signal, body })
  }

  async #ask<T>(
    path: string,
    schema: z.ZodType<T>,
    request: { readonly signal: AbortSignal; readonly body?: string },
  ): Promise<T> {
    const answer = await this.#request(path, { timeoutMs: ANSWER_MS, ...request }).catch((cause) => {
      request.signal.throwIfAborted()
      const isInDoubt = path.startsWith('services/') && errorCode(cause) !== 'NET_UNREACHABLE'
      const doubt = isInDoubt ? ' It is not known whether it was done: check before you do it again.' : ''
      const message = `Home Assistant cannot be asked: ${errorMessage(cause)}${doubt}`
      throw new SvcError('HOMEASSISTANT_UNREACHABLE', message, { cause })
    })
    if (answer.status === 401) throw unauthorized()
    if (answer.status === 404 && path.startsWith('states/'))
      throw new SvcError('HOMEASSISTANT_ENTITY', 'There is no such entity. Look it up with ha_list_entities.')
    if (answer.status !== 200 && answer.status !== 201) {
      const reason = await readReason(answer)
      throw new SvcError('HOMEASSISTANT_FAILED', `Home Assistant refused it: HTTP ${answer.status} ${reason}`.trim())
    }
    const { data } = schema.safeParse(tryParseJson(await answer.text())?.value)
    if (data === undefined)
      throw new SvcError('HOMEASSISTANT_FAILED', 'This is not a response of Home Assistant. Check HASS_URL.')
    return data
  }

  #request(
    path: string,
    { body, ...request }: { readonly body?: string; readonly signal?: AbortSignal; readonly timeoutMs: number },
  ): Promise<NetResponse> {
    const { url, token } = this.#account()
    return this.#net.request({
      ...request,
      url: `${url}/api/${path}`,
      idleMs: request.timeoutMs,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body, once: true }),
    })
  }
}

export function unauthorized(): Error {
  return deliveryRefused(
    'HOMEASSISTANT_UNAUTHORIZED',
    'Home Assistant does not accept HASS_TOKEN. Set a new long-lived access token, then resume homeassistant.',
  )
}

export function unreachable(what: string, cause?: unknown): Error {
  return deliveryBusy('HOMEASSISTANT_UNREACHABLE', `${what} Check that it runs and HASS_URL is its address.`, { cause })
}

async function readReason(answer: NetResponse): Promise<string> {
  const text = await answer.text(65_536).catch(() => '')
  return z.object({ message: z.string() }).safeParse(tryParseJson(text)?.value).data?.message ?? ''
}
