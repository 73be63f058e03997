/** One event, from its request to the agent: proven, counted, filtered, known from before, and taken once. */
import { createHash } from 'node:crypto'
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import type { InboundMessage } from 'svc/sdk/platform'
import { type HttpRequest, type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { type Destination, resolveDestination } from './destination.ts'
import { condition, type ReadList } from './filters.ts'
import type { Limiter } from './limiter.ts'
import { readPayload } from './payload.ts'
import type { Route, Routes } from './routes.ts'
import { prove, styleHeaders } from './signature.ts'
import type { EventStore } from './store.ts'
import { createPrompt, fillTemplate, standardPrompt } from './template.ts'
import type { WebhookSender } from './webhook-sender.ts'

export interface IntakeDeps {
  readonly log: Logger
  readonly routes: Routes
  readonly store: EventStore
  readonly courier: WebhookSender
  /** Of routes, and of addresses whose signatures were wrong. */
  readonly taken: Limiter
  readonly failed: Limiter
  readonly readList: ReadList
  clock(): Clock
  receive(message: InboundMessage): Promise<void>
  script(route: Route, payload: unknown): Promise<{ readonly payload: unknown } | undefined>
}

/** Facts known before the body was read. */
type Verdict = { readonly reply: HttpResponse } | { readonly route: Route; readonly mark: string | undefined }

/** An event that was let in. */
interface Event {
  readonly route: Route
  readonly id: string
  readonly mark: string | undefined
  readonly event: string
  readonly payload: unknown
}

/** For so long a repeated event is not taken again. */
export const REMEMBERED_MS = 3_600_000
const ID = /^[\w.=+/@:-]{1,128}$/

export class Intake {
  readonly #deps: IntakeDeps
  readonly #verdicts: WeakMap<HttpRequest, Verdict> = new WeakMap()
  /** Events under way: the same one waits and sees what became of the first. */
  readonly #underWay: Map<string, Promise<unknown>> = new Map()
  readonly #warned: Set<string> = new Set()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** The lock. */
  check(request: HttpRequest): boolean {
    const verdict = this.#judge(request)
    if (verdict) this.#verdicts.set(request, verdict)
    return verdict !== undefined
  }

  /** Behind the lock. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const verdict = this.#verdicts.get(request)
    if (!verdict) return jsonResponse({ error: 'Invalid signature' }, 401)
    return 'reply' in verdict ? verdict.reply : this.#read(request, verdict.route, verdict.mark)
  }

  /** Undefined: the proof is missing or wrong. */
  #judge(request: HttpRequest): Verdict | undefined {
    const { routes, taken, failed, log } = this.#deps
    const { address } = request
    const name = request.params['route'] ?? ''
    const route = routes.get(name)
    // A proxy lends its address to everybody: who guesses at one route must not close the others.
    const stranger = `${address} ${route ? name : ''}`
    if (!route) {
      if (!failed.take(stranger)) return { reply: limited(failed.waitMs(stranger)) }
      return { reply: jsonResponse({ error: `Unknown route: ${name}` }, 404) }
    }
    if (!route.enabled) return { reply: jsonResponse({ error: 'The route is switched off' }, 403) }
    if (route.key === undefined || route.problem !== undefined)
      return { reply: jsonResponse({ error: 'The route is not complete' }, 403) }
    const { headers, body } = request
    const proof = prove(route.style, route.key, { headers, body, now: this.#deps.clock().now() })
    // Who has the secret is never refused for what others did: a check costs microseconds.
    if (proof.ok) {
      const waitMs = taken.waitMs(name)
      return waitMs > 0 ? { reply: limited(waitMs) } : { route, mark: proof.mark }
    }
    if (!failed.take(stranger)) return { reply: limited(failed.waitMs(stranger)) }
    log.warn('a webhook request was refused: its signature is not right', { route: name, address, why: proof.why })
    return undefined
  }

  async #read({ headers, body }: HttpRequest, route: Route, mark: string | undefined): Promise<HttpResponse> {
    this.#warnOfAge(route)
    const read = readPayload(body, headers['content-type'])
    if (!read) return jsonResponse({ error: 'Cannot parse body' }, 400)
    if ('limit' in read) return jsonResponse({ error: read.limit }, 413)
    const { payload } = read
    const event = readEventName(route, headers, payload)
    if (route.events.length > 0 && !route.events.includes(event)) return jsonResponse({ status: 'ignored', event })
    const passes = condition(route.filters, this.#deps.readList)
    if (!passes({ event, headers, payload })) return ignored(route, 'filter')
    const id = readEventId(route, headers, body)
    const admit = () => this.#admit({ route, id, mark, event, payload })
    return this.#alone(`${route.name} ${id}`, () => this.#alone(`${route.name} signed ${mark ?? id}`, admit))
  }

  /** One after the other, for events that are the same. */
  async #alone(name: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const before = this.#underWay.get(name) ?? Promise.resolve()
    const done = before.then(work)
    const settled = done.catch(() => undefined)
    this.#underWay.set(name, settled)
    try {
      return await done
    } finally {
      if (this.#underWay.get(name) === settled) this.#underWay.delete(name)
    }
  }

  async #admit(given: Event): Promise<HttpResponse> {
    const { store, taken, clock, script } = this.#deps
    const { route, id, mark } = given
    const known = store.taken({ route: route.name, id, mark }, clock().now() - REMEMBERED_MS)
    if (known !== undefined) return jsonResponse({ status: 'duplicate', delivery_id: known })
    const changed = route.script === undefined ? given : await script(route, given.payload)
    if (!changed) return ignored(route, 'script')
    // Only what does work uses up the minute.
    if (!taken.take(route.name)) return limited(taken.waitMs(route.name))
    const event = { ...given, payload: changed.payload }
    try {
      const destination = resolveDestination(route, event.payload)
      const at = clock().now()
      const isRepeated = store.begin({ route: route.name, id, mark, event: event.event, destination, at })
      return await (route.deliver_only ? this.#deliver(event, destination, isRepeated) : this.#ask(event))
    } catch (error) {
      return this.#failure(error, event)
    }
  }

  /** For the agent. It counts as taken once it is safe in the inbox. */
  async #ask({ route, id, event, payload }: Event): Promise<HttpResponse> {
    const { store, clock, receive } = this.#deps
    const text =
      route.prompt.trim() === '' ? standardPrompt(route.name, event, payload) : createPrompt(route.prompt, payload)
    await receive({
      platform: 'webhook',
      chatId: `${route.name}:${id}`,
      userId: `webhook:${route.name}`,
      messageId: id,
      text,
      at: clock().now(),
      ...(route.skills.length > 0 && { skills: route.skills }),
    })
    store.take(route.name, id)
    return jsonResponse({ status: 'accepted', route: route.name, event, delivery_id: id }, 202)
  }

  /** Without the agent. What may have got through before is looked for first. */
  async #deliver({ route, id, payload }: Event, destination: Destination, isRepeated: boolean): Promise<HttpResponse> {
    const { store, courier, clock } = this.#deps
    const key = createHash('sha256').update(`${route.name} ${id}`).digest('hex').slice(0, 40)
    const since = clock().now() - REMEMBERED_MS
    const before = isRepeated ? await courier.find(destination, key, since) : undefined
    if (before === undefined)
      await courier.deliver(destination, { route: route.name, id, key, text: fillTemplate(route.prompt, payload) })
    store.take(route.name, id)
    return jsonResponse({
      status: 'delivered',
      route: route.name,
      target: describeDestination(destination),
      delivery_id: id,
    })
  }

  /** Nothing is remembered as taken, so that it may come again. */
  #failure(error: unknown, { route, id }: Event): HttpResponse {
    const { status = 503 } = error as { status?: number }
    const { log } = this.#deps
    logFault(log, `an event of the webhook route ${route.name} failed`, error)
    log.warn('a webhook event could not be taken', { route: route.name, id, error })
    if (status === 422) return jsonResponse({ error: errorMessage(error) }, 422)
    if (route.deliver_only) return jsonResponse({ status: 'error', error: 'Delivery failed', delivery_id: id }, 502)
    return jsonResponse({ status: 'error', error: 'Not taken; send it again', delivery_id: id }, 503)
  }

  #warnOfAge({ name, style }: Route): void {
    if (style !== 'generic-v1' || this.#warned.has(name)) return
    this.#warned.add(name)
    this.#deps.log.warn('this webhook route signs without the time; the style generic does better', { route: name })
  }
}

function limited(waitMs: number): HttpResponse {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return jsonResponse({ error: 'Rate limit exceeded' }, 429, { 'retry-after': String(seconds) })
}

function ignored({ name }: Route, reason: 'filter' | 'script'): HttpResponse {
  return jsonResponse({ status: 'ignored', reason, route: name })
}

function readEventName({ style }: Route, headers: HttpRequest['headers'], payload: object): string {
  const { event } = styleHeaders[style]
  const fields = payload as { event_type?: unknown; type?: unknown }
  const given = [event && headers[event], fields.event_type, fields.type].find(
    (each) => typeof each === 'string' && each,
  )
  return String(given ?? 'unknown').slice(0, 100)
}

/** What the sender calls it, else what is in it: a repeated one has the same. */
function readEventId({ style }: Route, headers: HttpRequest['headers'], body: Uint8Array): string {
  const given = styleHeaders[style].ids.map((name) => headers[name]).find((each) => each !== undefined && each !== '')
  if (given !== undefined && ID.test(given)) return given
  return createHash('sha256')
    .update(given ?? body)
    .digest('hex')
    .slice(0, 40)
}

function describeDestination(destination: Destination): string {
  if (destination.kind === 'comment') return `github_comment ${destination.repo}#${destination.number}`
  return destination.kind === 'chat' ? destination.target : 'log'
}
