/** Listens, with all routes. */
import {
  Clock,
  Http,
  type HttpApp,
  type HttpRequest,
  type HttpRoute,
  type PluginContext,
  Random,
  SvcError,
  weakSecret,
} from 'svc/sdk'
import { type Api, keyOf, readSettings } from './api.ts'
import { Background } from './background.ts'
import { chatBody, complete } from './chat.ts'
import type { Config } from './config.ts'
import { answering, failure, named } from './envelope.ts'
import { type Handle, Idempotency } from './idempotency.ts'
import { Places } from './places.ts'
import { recover } from './recover.ts'
import { responseBody } from './response-object.ts'
import { cancelResponse, readInputItems, readResponse, removeResponse, respond } from './responses.ts'
import { approvalBody, approveRun, createRun, followRun, readRun, runBody, stopRun } from './run-routes.ts'
import { Runs } from './runs.ts'
import * as sessions from './sessions.ts'
import type { ApiStore } from './store.ts'
import { Turns } from './turns.ts'

/** With pictures; what is not a picture has a lower limit of its own, see `bodyOf`. */
const MAX_BYTES = 10_000_000

/** Does nothing when the user has not enabled it. Throws `API_KEY_WEAK` and what `Http.mount` throws. */
export async function start(ctx: PluginContext<Config>, store: ApiStore): Promise<void> {
  const settings = readSettings(ctx)
  if (!settings.isEnabled) return
  const key = keyOf(ctx)
  const weakness = key === undefined ? undefined : weakSecret(key)
  if (weakness !== undefined) throw new SvcError('API_KEY_WEAK', `API_SERVER_KEY ${weakness}.`)
  const turns = new Turns(ctx)
  const places = new Places(ctx, store)
  const runs = new Runs(ctx, store, turns)
  const idempotency = new Idempotency({ store, clock: () => ctx.use(Clock), log: ctx.log, signal: ctx.signal })
  const background = new Background(ctx.log)
  const api: Api = { ctx, settings, store, turns, places, runs, background, idempotency }
  ctx.defer(() => Promise.all([runs.settled(), background.settled(), idempotency.settled()]).then(() => {}))
  recover(ctx, store)
  const mounted = await ctx.use(Http).mount(appOf(api))
  ctx.defer(mounted.close)
  api.runs.start()
  if (key === undefined) ctx.log.warn('the API server does no work: API_SERVER_KEY is not set', { url: mounted.url })
  else ctx.log.info('the API server listens', { url: mounted.url })
}

function appOf(api: Api): HttpApp {
  const { ctx, settings } = api
  return {
    name: 'api-server',
    host: settings.host,
    port: settings.port,
    prefix: '',
    lock: { kind: 'bearer', secret: () => keyOf(ctx) },
    origins: settings.origins,
    failure: (error) => named(requestId(api), failure(error)),
    routes: [...modelRoutes(api), ...sessionRoutes(api)],
  }
}

type Get = (path: string, summary: string, handle: HttpRoute['handle']) => HttpRoute

function reader(api: Api): Get {
  return (path, summary, handle) => ({
    method: 'GET',
    path,
    summary,
    handle: (request) => answering(requestId(api), () => handle(request)),
  })
}

function requestId({ ctx }: Pick<Api, 'ctx'>): string {
  return `req_${ctx.use(Random).hex(16)}`
}

/** A route that changes something. Those of POST are worked on once for each idempotency key. */
function writer(api: Api) {
  const { idempotency } = api
  return (route: string, summary: string, handle: Handle, request?: HttpRoute['request']): HttpRoute => {
    const [method = 'POST', path = ''] = route.split(' ') as [HttpRoute['method'], string]
    const work = (asked: HttpRequest) =>
      method === 'POST' ? idempotency.once(asked, handle) : handle(asked, asked.signal)
    const described = { method, path, summary, maxBytes: MAX_BYTES, ...(request && { request }) }
    return { ...described, handle: (asked) => answering(requestId(api), () => work(asked)) }
  }
}

function modelRoutes(api: Api): HttpRoute[] {
  const [get, change] = [reader(api), writer(api)]
  return [
    change('POST /v1/chat/completions', 'Answers a conversation', (...call) => complete(api, ...call), chatBody),
    change('POST /v1/responses', 'Answers, and can be gone on from', (...call) => respond(api, ...call), responseBody),
    get('/v1/responses/:id', 'A stored response', (request) => readResponse(api, request)),
    get('/v1/responses/:id/input_items', 'What was said to a response', (request) => readInputItems(api, request)),
    change('POST /v1/responses/:id/cancel', 'Stops a response in the background', (request) =>
      cancelResponse(api, request),
    ),
    ...['compact', 'input_tokens'].map((name) => absent(`/v1/responses/${name}`)),
    change('DELETE /v1/responses/:id', 'Removes a stored response', (request) => removeResponse(api, request)),
    change('POST /v1/runs', 'Begins a run that goes on by itself', (...call) => createRun(api, ...call), runBody),
    get('/v1/runs/:id', 'How a run is', (request) => readRun(api, request)),
    get('/v1/runs/:id/events', 'What happens in a run, from Last-Event-ID on', (request) => followRun(api, request)),
    change(
      'POST /v1/runs/:id/approval',
      'Answers a question of a run',
      (request) => approveRun(api, request),
      approvalBody,
    ),
    change('POST /v1/runs/:id/stop', 'Stops a run', (request) => stopRun(api, request)),
  ]
}

/** Its path would be taken for one of another route, which has other methods. */
function absent(path: string): HttpRoute {
  const handle = async () => {
    throw new SvcError('API_NOT_SERVED', 'This server does not do that.', { status: 404 })
  }
  return { method: 'POST', path, summary: 'Not served', handle }
}

function sessionRoutes(api: Api): HttpRoute[] {
  const [get, change] = [reader(api), writer(api)]
  const { newSessionBody, changedSessionBody, forkBody, sessionChatBody } = sessions
  const one = '/api/sessions/:id'
  return [
    get('/api/sessions', 'Sessions, the one used last first', (request) => sessions.listSessions(api, request)),
    change('POST /api/sessions', 'Begins a session', (request) => sessions.createSession(api, request), newSessionBody),
    get(one, 'A session', (request) => sessions.readSession(api, request)),
    change(`PATCH ${one}`, 'Renames a session', (request) => sessions.changeSession(api, request), changedSessionBody),
    change(`DELETE ${one}`, 'Removes a session', (request) => sessions.removeSession(api, request)),
    get(`${one}/messages`, 'What was said in a session', (request) => sessions.listMessages(api, request)),
    change(
      `POST ${one}/fork`,
      'Begins a branch of a session',
      (request) => sessions.forkSession(api, request),
      forkBody,
    ),
    change(
      `POST ${one}/chat`,
      'Says something in a session',
      (...call) => sessions.chatInSession(api, ...call),
      sessionChatBody,
    ),
    change(
      `POST ${one}/chat/stream`,
      'The same, as it happens',
      (...call) => sessions.streamInSession(api, ...call),
      sessionChatBody,
    ),
  ]
}
