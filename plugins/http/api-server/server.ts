/** Listens, with all routes. */
import { Clock, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { PluginsChanged } from 'svc/sdk/hooks'
import { explainWeakSecret } from 'svc/sdk/safety'
import { holdScope } from 'svc/sdk/store'
import { ApiRoutes, Http, type HttpApp, type HttpRoute } from 'svc/sdk/web'
import { type Api, readServerKey, readSettings } from './api.ts'
import { Background } from './background.ts'
import { ClientQuestions } from './client-questions.ts'
import type { Config } from './config.ts'
import { addRequestId, failure } from './envelope.ts'
import { Idempotency } from './idempotency.ts'
import { ownRoutes } from './own-routes.ts'
import { recover } from './recover.ts'
import { MAX_BYTES, mountedRoute, requestId } from './routes.ts'
import { Runs } from './runs.ts'
import { SessionDirectory } from './session-directory.ts'
import { getRequestScope } from './shared.ts'
import { serveSocket } from './socket.ts'
import type { ApiStore } from './store.ts'
import { Turns } from './turns.ts'

const PLACEHOLDER = 'is a placeholder. Set 16 random characters or more: svc config set API_SERVER_KEY <key>'

/** Undefined when the user has not enabled it. Throws `API_KEY_WEAK` and what `Http.mount` throws. */
export async function start(ctx: PluginContext<Config>, store: ApiStore): Promise<Api | undefined> {
  const settings = readSettings(ctx)
  if (!settings.isEnabled) return undefined
  const key = readServerKey(ctx)
  const isPlaceholder = ctx.use(Secrets).isPlaceholder('API_SERVER_KEY')
  const weakness = isPlaceholder ? PLACEHOLDER : key === undefined ? undefined : explainWeakSecret(key)
  if (weakness !== undefined) throw new SvcError('API_KEY_WEAK', `API_SERVER_KEY ${weakness}.`)
  const questions = new ClientQuestions(ctx)
  const turns = new Turns(ctx, questions)
  const places = new SessionDirectory(ctx, store)
  const runs = new Runs(ctx, store, turns, questions)
  const idempotency = new Idempotency({
    ...{ store, clock: () => ctx.use(Clock), log: ctx.log, signal: ctx.signal },
    hold: (id) => holdScope(ctx, getRequestScope(id)),
  })
  const background = new Background(ctx.log)
  const api: Api = { ctx, settings, store, turns, places, runs, questions, background, idempotency }
  ctx.defer(() => Promise.all([runs.settled(), background.settled(), idempotency.settled()]).then(() => {}))
  recover(ctx, store)
  await listen(api, key !== undefined)
  runs.start()
  return api
}

/** Follows the routes that plugins add and take away. */
async function listen(api: Api, hasKey: boolean): Promise<void> {
  const { ctx, settings } = api
  const lock = { kind: 'bearer', secret: () => readServerKey(ctx) } as const
  const app = (routes: readonly HttpRoute[], port: number): HttpApp => ({
    name: 'api-server',
    host: settings.host,
    port,
    prefix: '',
    lock,
    origins: settings.origins,
    failure: (error) => addRequestId(requestId(api), failure(error)),
    routes,
    sockets: [{ path: '/v1/responses', maxBytes: MAX_BYTES, handle: (socket) => serveSocket(api, socket) }],
  })
  const routesNow = () => [...ownRoutes(api), ...ctx.all(ApiRoutes).all()].map((route) => mountedRoute(api, route))
  let added = [...ctx.all(ApiRoutes).all()]
  let mounted = await ctx.use(Http).mount(app(routesNow(), settings.port))
  ctx.defer(() => mounted.close())
  const follow = async () => {
    const now = [...ctx.all(ApiRoutes).all()]
    if (now.length === added.length && now.every((route, at) => route === added[at])) return
    added = now
    const before = mounted
    mounted = await ctx.use(Http).mount(app(routesNow(), before.port))
    // Replies under way continue: the old routes get no new requests, and closing them would cut open ones.
    ctx.defer(() => before.close())
  }
  let turn: Promise<void> = Promise.resolve()
  ctx.on(PluginsChanged, () => {
    turn = turn.then(follow)
    return turn
  })
  const { url } = mounted
  if (hasKey) ctx.log.info('the API server listens', { url })
  else ctx.log.warn('the API server does no work: API_SERVER_KEY is not set', { url })
}
