/**
 * The HTTP API of ntfy: publishing (https://docs.ntfy.sh/publish) and subscribing (https://docs.ntfy.sh/subscribe/api).
 */
import { createHash } from 'node:crypto'
import { errorMessage, type Net, type NetRequest, type NetResponse, tryParseJson } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryUncertain,
} from 'svc/sdk/platform'
import { z } from 'zod'

/** Where the topic is and who asks. */
export interface Account {
  /** Without a slash at its end. */
  readonly server: string
  readonly topic: string
  readonly publishTopic: string
  /** A token, or `user:password`. */
  readonly credentials: string | undefined
  readonly markdown: boolean
}

/** One event of a topic, as far as it matters here (https://docs.ntfy.sh/subscribe/api/#json-message-format). */
const event = z.object({
  id: z.string().min(1),
  /** Seconds since 1970. */
  time: z.number(),
  event: z.string(),
  topic: z.string().default(''),
  message: z.string().default(''),
  title: z.string().default(''),
  tags: z.array(z.string()).default([]),
  /** `base64` if the message is not text. */
  encoding: z.string().default(''),
  /** Named by the publisher, since ntfy 2.16. */
  sequence_id: z.string().optional(),
  attachment: z
    .object({
      name: z.string().default('file'),
      url: z.string(),
      type: z.string().optional(),
      size: z.number().optional(),
    })
    .optional(),
})
export type NtfyEvent = z.infer<typeof event>

/** By this tag our own messages are known when they come back. It is shown, so it is short. */
export const OWN_TAG = 'svc'

/** Names of topics that servers take (https://docs.ntfy.sh/publish). */
export const TOPIC = /^[-_A-Za-z0-9]{1,64}$/

/** The keepalive of a server comes every 45 s unless its owner changed that. */
const SILENCE_MS = 90_000
const ANSWER_MS = 15_000

const SENDING = { timeoutMs: 60_000, idleMs: ANSWER_MS, once: true } as const

/** What a message is published with. */
export interface Publication {
  readonly topic: string
  readonly text: string
  readonly key: string
  readonly file?: { readonly name: string; readonly bytes: Uint8Array } | undefined
  /** As in `OutboundMessage`. */
  readonly commit?: (() => void) | undefined
}

/** Calls the server; `account` is read for each call, so that a new token applies at once. */
export class NtfyApi {
  readonly #net: Net
  readonly #account: () => Account

  constructor(net: Net, account: () => Account) {
    this.#net = net
    this.#account = account
  }

  /** The stream of a topic, from what came at or after `since` (seconds since 1970; left out: from now on). */
  async subscribe(since: number | undefined, signal: AbortSignal): Promise<NetResponse> {
    const { topic } = this.#account()
    const path = `/${topic}/json${since === undefined ? '' : `?since=${since}`}`
    let answer: NetResponse
    try {
      answer = await this.#request(path, { signal, timeoutMs: ANSWER_MS, idleMs: SILENCE_MS })
    } catch (error) {
      throw deliveryBusy('NTFY_UNREACHABLE', `The topic cannot be read: ${errorMessage(error)}`, { cause: error })
    }
    if (answer.status === 200) return answer
    throw await this.#failure(answer, 'ntfy does not let the topic be read', 'NTFY_UNREACHABLE')
  }

  /** Returns the id of the message. The same key gives the same sequence id. */
  async publish({ topic, text, key, file, commit }: Publication): Promise<string> {
    const { markdown } = this.#account()
    const query = file && new URLSearchParams({ filename: file.name, ...(text && { message: text }) })
    const headers = {
      'content-type': file ? 'application/octet-stream' : 'text/plain; charset=utf-8',
      'x-tags': OWN_TAG,
      'x-sequence-id': sequenceId(key),
      ...(markdown && { 'x-markdown': 'true' }),
    }
    const path = query ? `/${topic}?${query}` : `/${topic}`
    const body = file?.bytes ?? text
    let answer: NetResponse
    try {
      answer = await this.#request(path, { method: 'POST', headers, body, ...SENDING, ...(commit && { commit }) })
    } catch (error) {
      throw deliveryErrorFromNetwork('NTFY_FAILED', 'The message did not get to ntfy, as far as is known', error)
    }
    if (answer.status !== 200) throw await this.#failure(answer, 'ntfy refused the message', 'NTFY_FAILED')
    const said = readEvent(await answer.text().catch(() => ''))
    if (!said)
      throw deliveryUncertain('NTFY_STRANGE', 'The answer to a message was none of ntfy. Check NTFY_SERVER_URL.')
    return said.id
  }

  /** The id of a message that was published with this key. Throws what `unsure` makes when the server cannot tell. */
  async find(topic: string, key: string): Promise<string | undefined> {
    const unknown = (reason: string, cause?: unknown) =>
      deliveryUncertain('NTFY_FORGETFUL', `ntfy cannot tell whether the message was sent: ${reason}.`, cause)
    const answer = await this.#request(`/${topic}/json?poll=1&since=all`, { timeoutMs: ANSWER_MS }).catch((cause) => {
      throw unknown(errorMessage(cause), cause)
    })
    if (answer.status !== 200) {
      answer.close()
      throw unknown(`reading the topic gives HTTP ${answer.status}`)
    }
    const kept = (await answer.text()).split('\n').flatMap((line) => readEvent(line) ?? [])
    const found = kept.find((each) => each.sequence_id === sequenceId(key))
    if (found) return found.id
    const isOld = kept.some((each) => isOwn(each) && each.sequence_id === undefined)
    if (isOld) throw unknown('it is older than 2.16')
    return undefined
  }

  async isHealthy(signal: AbortSignal): Promise<boolean> {
    const answer = await this.#request('/v1/health', { signal, timeoutMs: 10_000 })
    return answer.status === 200 && (await answer.text()).includes('true')
  }

  /** A file that is kept by the server itself: other addresses are not ours to ask. */
  async file(url: string, signal: AbortSignal): Promise<NetResponse> {
    const answer = await this.#request(new URL(url).pathname, { signal, timeoutMs: ANSWER_MS })
    if (answer.status === 200) return answer
    throw await this.#failure(answer, 'ntfy does not give the file', 'NTFY_FAILED')
  }

  isKept(url: string): boolean {
    return url.startsWith(`${this.#account().server}/file/`)
  }

  #request(path: string, request: Omit<NetRequest, 'url'>): Promise<NetResponse> {
    const { server, credentials } = this.#account()
    const headers = { ...request.headers, ...(credentials && { authorization: authorization(credentials) }) }
    return this.#net.request({ ...request, url: `${server}${path}`, headers })
  }

  async #failure(response: NetResponse, what: string, code: string): Promise<Error> {
    const said = await response.text(65_536).catch(() => '')
    const reason = parse(said, z.object({ error: z.string() }))?.error ?? ''
    const { status } = response
    if (status === 401)
      return deliveryRefused(
        'NTFY_UNAUTHORIZED',
        `${what}: it does not accept NTFY_TOKEN. Set a new one, then resume ntfy.`,
      )
    if (status === 403)
      return deliveryRefused(
        'NTFY_FORBIDDEN',
        `${what}: the account has no right to it. Grant it, or name another topic.`,
      )
    if (status === 404)
      return deliveryRefused(
        'NTFY_TOPIC_NOT_FOUND',
        `${what}: there is no such topic. Check NTFY_SERVER_URL and NTFY_TOPIC.`,
      )
    return deliveryErrorFromResponse({ code, what, response, reason })
  }
}

/** `user:password` is Basic, anything else a token (https://docs.ntfy.sh/publish/#authentication). */
function authorization(credentials: string): string {
  return credentials.includes(':') ? `Basic ${Buffer.from(credentials).toString('base64')}` : `Bearer ${credentials}`
}

/** Keys may hold more than a sequence id may. */
function sequenceId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

export function isOwn({ tags }: NtfyEvent): boolean {
  return tags.includes(OWN_TAG)
}

/** Parses one line of a stream; undefined if it is malformed. */
export function readEvent(line: string): NtfyEvent | undefined {
  return parse(line, event)
}

function parse<T>(text: string, schema: z.ZodType<T>): T | undefined {
  // A body that is not JSON is not a response of ntfy.
  return schema.safeParse(tryParseJson(text)?.value).data
}
