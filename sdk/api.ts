/** What plugins add to the API of the agent for programs: routes, and the agent as clients of this API have it. */

import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { HttpAuth, HttpRequest, HttpResponse } from './http.ts'
import type { Message } from './messages.ts'
import type { Schema } from './schema.ts'
import type { SessionFilter, SessionSummary } from './sessions.ts'
import type { TurnEvent } from './turn-events.ts'

/** A request to a route of the API. Its key was checked. @since 0.1 */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly http: HttpRequest
  /** What `ApiRoute.query` made of the query; an empty object without a schema. */
  readonly query: Query
  /** What `ApiRoute.body` made of the JSON; undefined without a schema. */
  readonly body: Body
  /** `X-Svc-Session-Key`, or empty. Holders of different keys must not see each other's things. */
  readonly scope: string
  /** Aborted when no client waits for the reply any more: a request with an `Idempotency-Key` outlives its client. */
  readonly signal: AbortSignal
}

/**
 * One path and method of the API server, contributed to `ApiRoutes`. It has the address, the key, the origins, the limits and
 * the `X-Request-Id` of the server; a POST is done once for each `Idempotency-Key`; it is part of `/v1/openapi.json`.
 * `handle` throws `SvcError` with a `status`, and with `param` for the field that it is about: the client gets the envelope of
 * the public API, with the part of the code after `API_`, in lower case.
 * @since 0.1
 */
export interface ApiRoute<Query = unknown, Body = unknown> extends Ordered {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters: `/api/sessions/:id`. */
  readonly path: string
  /** For the description of the API; left out: method and path. */
  readonly summary?: string
  /** Left out: that of the server. */
  readonly lock?: HttpAuth
  /** Of the query, whose values are texts. */
  readonly query?: Schema<Query>
  /** Of the body. One that fits `{}` may be left out by the client. */
  readonly body?: Schema<Body>
  readonly response?: Schema<unknown>
  /** Bytes of a body; left out: the limit of the server, about 10 MB. */
  readonly maxBytes?: number
  /** Formats a failure of this route for its clients; left out: the envelope of the public API. */
  failure?(failure: { readonly status: number; readonly code: string; readonly message: string }): HttpResponse
  handle(request: ApiRequest<Query, Body>): HttpResponse | Promise<HttpResponse>
}
/** @since 0.1 */
export const ApiRoutes: ExtensionPoint<ApiRoute> = extensionPoint(
  'api-routes',
  ({ method, path }) => `${method} ${path}`,
  undefined,
  {
    problem: checkMembers({ method: 'string', path: 'string', summary: 'string?', handle: 'function' }),
  },
)

/** A route whose handler knows the types of its schemas. @since 0.1 */
export function defineApiRoute<Query, Body>(route: ApiRoute<Query, Body>): ApiRoute {
  return route as ApiRoute
}

/** A turn that a client began. Its events have to be read to the end, or left. @since 0.2 */
export interface ApiTurn {
  readonly sessionId: string
  readonly turnId: string
  /** The text of the message. */
  readonly text: string
  readonly events: AsyncIterable<TurnEvent>
}

/** An item of a response or of a conversation, as clients get it. @since 0.1 */
export interface ApiItem {
  readonly id: string
  readonly [field: string]: unknown
}

/** A conversation that a client created. @since 0.2 */
export interface ApiConversation {
  /** The place in a session that has all of its items; undefined: none has. */
  readonly place?: { readonly sessionId: string; readonly seq: number }
  /** Messages and tool calls, oldest first. */
  items(): readonly ApiItem[]
}

/** Conversations that clients create, which responses belong to. Its provider serves their routes. @since 0.1 */
export interface ApiConversations {
  /** Undefined when the holder of this key has none of this id. */
  find(id: string, scope: string): ApiConversation | undefined
  /** Appends the input and output of a response, with the current position of its session. Does nothing if it was removed. */
  append(id: string, scope: string, items: readonly ApiItem[], place?: ApiConversation['place']): void
}
export const ApiConversations: Service<ApiConversations> = defineService('api-conversations')

/** How a session of a client begins. @since 0.2 */
export interface ApiSession {
  /** Put behind the core prompt. */
  readonly instructions?: string
  readonly history?: readonly Message[]
  readonly title?: string
  readonly scope: string
}

/** The agent and its sessions, as clients of the API have them. Its provider serves the routes. @since 0.1 */
export interface ApiAgent {
  /** Sessions that the holder of this key may see, the one used last first. */
  sessions(filter: SessionFilter, scope: string): readonly SessionSummary[]
  /** Throws `API_SESSION_NOT_FOUND` for a session of another holder. */
  check(sessionId: string, scope: string): void
  /** How many runs are at work or wait for their turn. */
  activeRuns(): number
  /** Makes a session; false when the id is taken. */
  create(sessionId: string, session: ApiSession): boolean
  /**
   * A branch has the instructions and the holder of its session. `as` is its id (default: a new one). Throws
   * `SESSION_NOT_FOUND` and `SESSION_ID_TAKEN`.
   */
  branch(sessionId: string, options?: { readonly as?: string }): string
  instructions(sessionId: string): string | undefined
  /** Input items as they can be asked for: each has an id, messages have parts. */
  items(input: string | readonly unknown[]): readonly ApiItem[]
  /**
   * Messages as clients of the API send them, with an id or without. Throws `API_INVALID_REQUEST` and the like with the place
   * below `field`. Reads pictures.
   */
  readHistory(items: readonly unknown[], field: string, scope: string, signal: AbortSignal): Promise<readonly Message[]>
  /**
   * Says something in a session: `content` is text or a list of parts, `field` its name for failures. Throws what is answered
   * with 400, 404, 429 or 503; then nothing has happened.
   */
  begin(said: {
    readonly sessionId: string
    readonly content: unknown
    readonly field: string
    readonly instructions?: string
    /** A name of a model as clients give it: one of `model_routes`, or nothing. */
    readonly model?: string
    readonly scope: string
    /** The client can answer: what is asked comes as events of the turn (default: no question is asked). */
    readonly interactive?: boolean
    readonly signal: AbortSignal
  }): Promise<ApiTurn>
  /** Whether a client says that it can answer questions: `X-Svc-Interactive`, or `svc.interactive` of the body. */
  isInteractive(request: ApiRequest): boolean
  /**
   * The name and the fields under which all routes show what is asked, and that it was answered; undefined for an event that is
   * about something else. Clients answer at `POST /v1/questions/{id}/answer`.
   */
  toQuestionEvent(event: TurnEvent): readonly [name: string, fields: object] | undefined
}
export const ApiAgent: Service<ApiAgent> = defineService('api-agent')
