/**
 * A stand-in for services that post signed events, and for the code host that comments go to: signatures after
 * docs.github.com/webhooks, docs.gitlab.com/user/project/integrations/webhooks and docs.svix.com/receiving; comments after
 * docs.github.com/rest/issues/comments. No `StandInService`: each event is a separate chat, without people in it.
 */
import { createHmac } from 'node:crypto'
import { SendFaults, type ServiceAnswer, type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'
import type { SendFault } from 'svc/sdk/platform'

/** How a sender signs. */
export type SenderStyle = 'github' | 'gitlab' | 'svix' | 'generic' | 'generic-v1'

/** An event as a service would send it. */
export interface SentEvent {
  readonly style: SenderStyle
  readonly secret: string
  /** JSON unless it is a text. */
  readonly payload: unknown
  readonly event?: string
  /** Undefined: the next one. */
  readonly id?: string
  /** The clock of the sender, in milliseconds since 1970. */
  readonly at: number
}

/** A request that is ready to be posted, now or once more. */
export interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A comment on an issue or a pull request. */
export interface HostComment {
  readonly id: number
  readonly repo: string
  readonly number: number
  readonly body: string
  /** Without what a page does not show. */
  readonly visible: string
}

export interface WebhookSender {
  /** Address of the code host, and the token that it wants. */
  readonly apiUrl: string
  readonly token: string
  sign(event: SentEvent): SignedEvent
  post(url: string, event: SignedEvent): Promise<{ readonly status: number; readonly body: unknown }>
  readonly comments: readonly HostComment[]
  /** The next comments go wrong like that. */
  failComments(fault: SendFault, count?: number): void
  close(): Promise<void>
}

const TOKEN = 'ghp_aTokenThatOnlyTestsKnow0000000000000'
const PAGE = 30
const MAX_PAGE = 100
const MAX_CHARACTERS = 65_536

export async function webhookSender(): Promise<WebhookSender> {
  const comments: HostComment[] = []
  const faults = new SendFaults()
  let count = 0
  const service = await StandInServer.open((request) => codeHost(request, comments, faults))
  return {
    apiUrl: service.url,
    token: TOKEN,
    sign: (event) => signed({ ...event, id: event.id ?? `event-${++count}` }),
    async post(url, { headers, body }) {
      const response = await fetch(url, { method: 'POST', headers, body })
      const text = await response.text()
      return { status: response.status, body: parsed(text) ?? text }
    },
    comments,
    failComments: (fault, times) => faults.add(fault, times),
    close: () => service.close(),
  }
}

function signed({ style, secret, payload, event = 'push', id, at }: SentEvent & { readonly id: string }): SignedEvent {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const time = String(Math.floor(at / 1000))
  const hex = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const svix = () => createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  const proofs: Readonly<Record<SenderStyle, () => Record<string, string>>> = {
    github: () => ({ 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${hex(body)}` }),
    gitlab: () => ({ 'x-gitlab-event': event, 'idempotency-key': id, 'x-gitlab-token': secret }),
    svix: () => ({ 'svix-id': id, 'svix-timestamp': time, 'svix-signature': `v1,${svix()}` }),
    generic: () => ({
      'x-request-id': id,
      'x-webhook-timestamp': time,
      'x-webhook-signature-v2': hex(`${time}.${body}`),
    }),
    'generic-v1': () => ({ 'x-request-id': id, 'x-webhook-signature': hex(body) }),
  }
  return { headers: { 'content-type': 'application/json', ...proofs[style]() }, body }
}

function codeHost(request: ServiceRequest, comments: HostComment[], faults: SendFaults): ServiceAnswer {
  if (request.headers['authorization'] !== `Bearer ${TOKEN}`) return wrong(401, 'Bad credentials')
  const [, repo = '', number = ''] = /^\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)\/comments$/.exec(request.path) ?? []
  if (repo === '' || repo.endsWith('/missing')) return wrong(404, 'Not Found')
  const place = { repo, number: Number(number) }
  return request.method === 'POST' ? written(request, comments, faults, place) : listed(request, comments, place)
}

function written(
  request: ServiceRequest,
  comments: HostComment[],
  faults: SendFaults,
  place: { readonly repo: string; readonly number: number },
): ServiceAnswer {
  const fault = faults.next()
  if (fault === 'busy') {
    const headers = { 'retry-after': '1', 'x-ratelimit-remaining': '0' }
    return { status: 403, headers, body: { message: 'You have exceeded a secondary rate limit.' } }
  }
  if (fault === 'unavailable') return wrong(503, 'Service unavailable')
  if (fault === 'forbidden') return wrong(403, 'Resource not accessible by personal access token')
  if (fault === 'lost') return 'cut'
  const { body } = (request.json() ?? {}) as { body?: unknown }
  if (typeof body !== 'string' || body.trim() === '') return wrong(422, "body can't be blank")
  if (body.length > MAX_CHARACTERS) return wrong(422, `body is too long (maximum is ${MAX_CHARACTERS} characters)`)
  const comment = { id: comments.length + 1001, ...place, body, visible: body.replace(/<!--[\s\S]*?-->/g, '').trim() }
  comments.push(comment)
  return fault === 'unanswered' ? 'cut' : { status: 201, body: { id: comment.id, body } }
}

function listed(
  { query }: ServiceRequest,
  comments: readonly HostComment[],
  place: { readonly repo: string; readonly number: number },
): ServiceAnswer {
  const size = Math.min(Number(query.get('per_page') ?? PAGE), MAX_PAGE)
  const from = (Number(query.get('page') ?? 1) - 1) * size
  const here = comments.filter(({ repo, number }) => repo === place.repo && number === place.number)
  return { body: here.slice(from, from + size).map(({ id, body }) => ({ id, body })) }
}

function wrong(status: number, message: string): ServiceAnswer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest' } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
