/**
 * Responses over a WebSocket, after the public guide (https://developers.openai.com/api/docs/guides/websocket-mode): each
 * message begins a response, whose events come as messages. What is not stored can be continued on the same connection.
 */

import { Clock, Random, Secrets, SvcError } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import { type HttpSocket, parseJsonBody } from 'svc/sdk/web'
import { z } from 'zod'
import { type Api, isOff, refuseUnsupported, wants } from './api.ts'
import { createFieldError, createRefusal, seconds, validateFields } from './envelope.ts'
import { Output } from './output.ts'
import { createResponseObject, type ResponseBody, responseBody } from './response-object.ts'
import { begin, responseId, streamEvents } from './responses.ts'
import type { SessionPosition } from './store.ts'
import { Lanes } from './work-lanes.ts'

const MINUTES = 60
/** Responses of one connection, under way and waiting. */
const MAX_IN_FLIGHT = 16
/** Responses of one connection that can be continued without being stored. */
const MAX_KEPT = 32
/** A chain continues after these. */
const ends: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])

const createEvent = responseBody.extend({
  type: z.literal('response.create'),
  stream_id: z.string().min(1).max(256).nullish(),
  generate: z.boolean().nullish(),
})
type CreateEvent = z.infer<typeof createEvent>

/** Serves one connection. */
export async function serveSocket(api: Api, socket: HttpSocket): Promise<void> {
  const connection = new Connection(api, socket)
  const expire = () => void connection.expire()
  const cancel = api.ctx.use(Clock).after(MINUTES * 60_000, expire, { background: true })
  try {
    await connection.run()
  } finally {
    cancel()
  }
}

class Connection {
  readonly #api: Api
  readonly #socket: HttpSocket
  readonly #lanes: Lanes = new Lanes(MAX_IN_FLIGHT)
  /** Where responses stand that are not stored. */
  readonly #kept: Map<string, SessionPosition> = new Map()
  /** Requests that were only prepared. */
  readonly #prepared: Map<string, ResponseBody> = new Map()
  #isExpired = false

  constructor(api: Api, socket: HttpSocket) {
    this.#api = api
    this.#socket = socket
  }

  async run(): Promise<void> {
    for await (const text of this.#socket.messages) await this.#take(text)
    await this.#lanes.idle()
  }

  /** Nothing new is begun; what is under way ends before the connection does. */
  async expire(): Promise<void> {
    this.#isExpired = true
    await this.#lanes.idle()
    await this.#refuse(createExpired())
    this.#socket.close()
  }

  async #take(text: string): Promise<void> {
    let lane: string | undefined
    try {
      if (this.#isExpired) throw createExpired()
      const { type: _, stream_id, generate, ...body } = await readCreateEvent(text)
      lane = stream_id ?? undefined
      const work = () => (generate === false ? this.#prepare(body, lane) : this.#respond(body, lane))
      if (this.#lanes.add(lane ?? '', work)) return
      const problem = `${MAX_IN_FLIGHT} responses of this connection are under way. Wait for one of them.`
      throw new SvcError('API_RATE_LIMIT_EXCEEDED', problem, { status: 429 })
    } catch (error) {
      await this.#refuse(error, lane)
    }
  }

  async #respond(body: ResponseBody, lane: string | undefined): Promise<void> {
    const before = body.previous_response_id ?? undefined
    const { signal } = this.#socket.request
    let isFailed = true
    try {
      const answer = await begin(this.#api, {
        request: this.#socket.request,
        body: this.#whole(body),
        signal,
        until: signal,
        isStopped: () => false,
        unstored: (id) => this.#kept.get(id),
      })
      for await (const event of streamEvents({ ...answer, body })) {
        if (ends.has(event.type)) {
          isFailed = false
          const { sessionId, output } = answer
          if (isOff(body.store)) setBounded(this.#kept, answer.id, { sessionId, seq: output.outcome.seq }, MAX_KEPT)
        }
        await this.#tell(event, lane)
      }
    } catch (error) {
      await this.#refuse(error, lane)
    }
    // The client is to begin with the whole history then.
    if (isFailed && before !== undefined) this.#forget(before)
  }

  /** Takes what the next response begins with, and asks no model. */
  async #prepare(body: ResponseBody, lane: string | undefined): Promise<void> {
    const { ctx } = this.#api
    try {
      refuseUnsupported(body)
      const random = ctx.use(Random)
      const id = responseId(random)
      const mask = (shown: string) => ctx.use(Secrets).mask(shown)
      const answer = {
        api: this.#api,
        id,
        body,
        createdAt: seconds(ctx.use(Clock).now()),
        output: new Output(random, mask),
        sessionId: null,
        turnId: null,
      }
      setBounded(this.#prepared, id, this.#whole(body), MAX_KEPT)
      const response = createResponseObject(answer, 'in_progress')
      await this.#tell({ type: 'response.created', sequence_number: 0, response }, lane)
      await this.#tell({ type: 'response.in_progress', sequence_number: 1, response }, lane)
      await this.#tell(
        { type: 'response.completed', sequence_number: 2, response: createResponseObject(answer, 'completed') },
        lane,
      )
    } catch (error) {
      await this.#refuse(error, lane)
    }
  }

  /** With what was prepared for it. */
  #whole(body: ResponseBody): ResponseBody {
    const prepared = this.#prepared.get(body.previous_response_id ?? '')
    if (!prepared) return body
    const input = [...listInputItems(prepared), ...listInputItems(body)]
    const { previous_response_id } = prepared
    return {
      ...prepared,
      ...body,
      input,
      instructions: body.instructions ?? prepared.instructions,
      previous_response_id,
    }
  }

  #forget(id: string): void {
    this.#kept.delete(id)
    this.#prepared.delete(id)
  }

  #tell(event: object, lane: string | undefined): Promise<void> {
    return this.#socket.send(JSON.stringify(lane === undefined ? event : { ...event, stream_id: lane }))
  }

  #refuse(error: unknown, lane?: string): Promise<void> {
    const { ctx } = this.#api
    if (!(error instanceof SvcError)) ctx.log.error('a response over a WebSocket failed', { error })
    const { status, body } = createRefusal(error)
    return this.#tell({ type: 'error', status, ...(JSON.parse(ctx.use(Secrets).mask(body)) as object) }, lane)
  }
}

async function readCreateEvent(text: string): Promise<CreateEvent> {
  const parsed = parseJsonBody(Buffer.from(text))
  if (parsed.kind === 'limit') throw new SvcError('API_BODY_LIMIT', parsed.reason, { status: 413 })
  if (parsed.kind !== 'value') throw new SvcError('API_INVALID_JSON', 'The message is not JSON.', { status: 400 })
  const event = await validateFields(parsed.value, createEvent, 'body')
  if (wants(event.background)) throw createFieldError('background', 'background is not available over a WebSocket.')
  return event
}

function listInputItems({ input }: ResponseBody): readonly unknown[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input
}

function createExpired(): SvcError {
  const text = `The connection is ${MINUTES} minutes old. Open a new one.`
  return new SvcError('API_WEBSOCKET_CONNECTION_LIMIT_REACHED', text, { status: 400 })
}
