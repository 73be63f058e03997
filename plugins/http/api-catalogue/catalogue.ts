/** What there is: models, tools, features, and how the server is. */
import { statfs } from 'node:fs/promises'
import {
  Clock,
  Config,
  errorMessage,
  Home,
  logFault,
  Models,
  type PluginContext,
  Secrets,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { type GuardState, Plugins, Toolsets } from 'svc/sdk/host'
import { Gateway } from 'svc/sdk/platform'
import { Skills } from 'svc/sdk/skills'
import { ApiAgent, Http, type HttpApp, type HttpResponse, type HttpRoute, jsonResponse } from 'svc/sdk/web'
import { jobRoutes } from './job-routes.ts'
import { openApi } from './openapi.ts'

type Context = PluginContext<undefined>
type Mounted = HttpApp & { readonly url: string }

/** The app beside the API server. */
export function createCatalogueApp(ctx: Context, server: Mounted): HttpApp {
  const startedAt = ctx.use(Clock).now()
  const routes = [
    { ...get('/health', 'Whether the server is there', () => health(ctx)), ...open },
    { ...get('/v1/health', 'The same', () => health(ctx)), ...open },
    get('/health/detailed', 'How the server is', () => detailedHealth(ctx)),
    get('/v1/models', 'The agent as a model, and the routes to others', () => listModels(ctx, startedAt)),
    get('/v1/models/:id', 'One of them', (request) => readModel(ctx, startedAt, request.params['id'] ?? '')),
    get('/v1/capabilities', 'What this server can do', () => capabilities(ctx, server)),
    get('/v1/skills', 'Skills of the agent', () => listSkills(ctx)),
    get('/v1/toolsets', 'Tools of the agent', () => listToolsets(ctx)),
    get('/v1/openapi.json', 'This description', () => describe(ctx, server)),
    ...jobRoutes(ctx),
  ]
  // Other programs of the machine must not take it for the server itself.
  return { ...server, name: 'api-catalogue', routes, sockets: [] }
}

const open = { lock: { kind: 'public' } } as const

function get(path: string, summary: string, handle: HttpRoute['handle']): HttpRoute {
  return { method: 'GET', path, summary, handle }
}

/** All routes of the API, of whatever plugin. */
function listRoutes(ctx: Context, { port }: Mounted): readonly HttpRoute[] {
  const mine = ['api-server', 'api-catalogue']
  const apps = ctx
    .use(Http)
    .apps()
    .filter((app) => app.port === port && mine.includes(app.name))
  return apps.flatMap(({ routes }) => routes)
}

async function describe(ctx: Context, server: Mounted): Promise<HttpResponse> {
  return jsonResponse(openApi(listRoutes(ctx, server), { url: server.url, version: getPluginVersion(ctx) }))
}

function agentName(ctx: Context): string {
  const configured = ctx.use(Config).get('platforms.api_server.model_name')
  const named = ctx.use(Secrets).get('API_SERVER_MODEL_NAME') ?? configured
  return typeof named === 'string' && named !== '' ? named : (ctx.use(Home).profile ?? 'svc')
}

/** GET /v1/models. */
async function listModels(ctx: Context, startedAt: number): Promise<HttpResponse> {
  return jsonResponse({ object: 'list', data: models(ctx, startedAt) })
}

/** GET /v1/models/{id}. */
async function readModel(ctx: Context, startedAt: number, id: string): Promise<HttpResponse> {
  const model = models(ctx, startedAt).find((each) => each.id === id)
  if (model) return jsonResponse(model)
  throw new SvcError('API_MODEL_NOT_FOUND', `There is no model "${id.slice(0, 100)}". GET /v1/models lists them.`, {
    status: 404,
  })
}

function models(ctx: Context, startedAt: number): readonly { readonly id: string }[] {
  const main = agentName(ctx)
  const created = Math.floor(startedAt / 1000)
  const entry = (id: string, root: string) => {
    const parent = id === main ? null : main
    return { id, object: 'model', created, owned_by: 'svc', permission: [], root, parent }
  }
  const routes = Object.entries(routesToModels(ctx)).filter(([name]) => name !== main)
  return [entry(main, main), ...routes.map(([name, { model }]) => entry(name, model ?? main))]
}

function routesToModels(ctx: Context): Readonly<Record<string, { readonly model?: string }>> {
  const routes = ctx.use(Config).get('platforms.api_server.model_routes')
  return typeof routes === 'object' && routes !== null ? (routes as Record<string, { model?: string }>) : {}
}

/** GET /v1/skills. */
async function listSkills(ctx: Context): Promise<HttpResponse> {
  const all = (await ctx.find(Skills)?.list({ surface: 'api' })) ?? []
  const data = all.map(({ name, description, category, origin, trust, isDisabled, unavailable }) => ({
    id: name,
    object: 'skill',
    name,
    description,
    category: category ?? null,
    origin,
    trust,
    enabled: !isDisabled && unavailable === undefined,
    ...(unavailable !== undefined && { unavailable }),
  }))
  return jsonResponse({ object: 'list', data })
}

/** GET /v1/toolsets. */
async function listToolsets(ctx: Context): Promise<HttpResponse> {
  const data = (ctx.find(Toolsets)?.list('api') ?? []).map(({ name, on, because, tools }) => ({
    name,
    label: name,
    description: because ?? '',
    enabled: on,
    configured: tools.some((tool) => tool.on && tool.missing === undefined),
    tools: tools.map((tool) => tool.name),
  }))
  return jsonResponse({ object: 'list', platform: 'api_server', data })
}

/** Every feature by name; the routes say how. */
const features = {
  chat_completions: true,
  chat_completions_streaming: true,
  responses_api: true,
  responses_streaming: true,
  run_submission: true,
  run_status: true,
  run_events_sse: true,
  run_events_replay: true,
  run_stop: true,
  run_approval_response: true,
  tool_progress_events: true,
  approval_events: true,
  session_resources: true,
  session_chat: true,
  session_chat_streaming: true,
  session_fork: true,
  idempotency: true,
  skills_api: true,
  admin_config_rw: false,
  jobs_admin: false,
  memory_write_api: false,
  audio_api: false,
  realtime_voice: false,
}

/** GET /v1/capabilities. */
async function capabilities(ctx: Context, server: Mounted): Promise<HttpResponse> {
  const endpoints = listRoutes(ctx, server).map(({ method, path }) => [`${method} ${path}`, { method, path }] as const)
  const description = 'The agent runs on this server, with its own tools.'
  return jsonResponse({
    object: 'svc.api_server.capabilities',
    platform: 'api_server',
    model: agentName(ctx),
    auth: { type: 'bearer', required: true },
    runtime: { mode: 'server_agent', tool_execution: 'server', split_runtime: false, description },
    features: {
      ...features,
      cors: (server.origins?.length ?? 0) > 0,
      session_id_header: 'X-Svc-Session-Id',
      session_key_header: 'X-Svc-Session-Key',
      idempotency_header: 'Idempotency-Key',
    },
    endpoints: Object.fromEntries(endpoints),
  })
}

/** GET /health. */
async function health(ctx: Context): Promise<HttpResponse> {
  return jsonResponse({ status: 'ok', platform: 'api_server', version: getPluginVersion(ctx) })
}

/** Of the API. */
function getPluginVersion(ctx: Context): string {
  return ctx.use(Plugins).info(ctx.name)?.manifest.version ?? ''
}

type Check = { readonly status: 'ok' | 'degraded'; readonly message?: string } & Record<string, unknown>

const MAX_USED_PERCENT = 90

/** GET /health/detailed. */
async function detailedHealth(ctx: Context): Promise<HttpResponse> {
  const gateway = ctx.find(Gateway)?.status()
  const checks = {
    state_db: await check(ctx, async () => ({ sessions: ctx.use(Sessions).count() })),
    config: await check(ctx, async () => ({ problems: ctx.use(Plugins).problems().length })),
    model: await check(ctx, async () => {
      const choice = await ctx.find(Models)?.choose()
      return { provider: choice?.provider.name ?? null, model: choice?.model ?? null }
    }),
    disk: await check(ctx, () => disk(ctx.use(Home).dir)),
    guards: guardsCheck(ctx.use(Plugins).guards()),
    ...(gateway && { gateway: gatewayCheck(gateway) }),
    background_queues: await check(ctx, async () => ({
      active_api_runs: ctx.find(ApiAgent)?.activeRuns() ?? null,
      ...(gateway && {
        waiting_messages: gateway.inbox.waiting,
        undelivered_messages: gateway.outbox.pending + gateway.outbox.attempting,
      }),
    })),
  }
  const isReady = Object.values<Check>(checks).every(({ status }) => status === 'ok')
  const status = isReady ? 'ok' : 'degraded'
  return jsonResponse({
    status,
    readiness: { status, checks },
    platform: 'api_server',
    version: getPluginVersion(ctx),
    gateway_state: gateway?.state ?? null,
    platforms: gateway?.platforms ?? [],
    active_agents: gateway?.busy ?? 0,
    gateway_busy: (gateway?.busy ?? 0) > 0,
    pid: process.pid,
  })
}

function guardsCheck(guards: readonly GuardState[]): Check {
  const others = guards.filter(({ state }) => state !== 'running')
  return { status: others.length === 0 ? 'ok' : 'degraded', not_running: others }
}

function gatewayCheck({
  state,
  platforms,
}: {
  readonly state: string
  readonly platforms: readonly { readonly name: string; readonly state: string }[]
}): Check {
  // A gateway without a platform serves programs alone: there is nothing that could be disconnected.
  const isDegraded = state === 'degraded' && platforms.some((platform) => platform.state !== 'disabled')
  const connected = platforms.filter((platform) => platform.state === 'connected').map(({ name }) => name)
  return { status: isDegraded ? 'degraded' : 'ok', state, connected_platforms: connected }
}

async function check(ctx: Context, look: () => Promise<Record<string, unknown>>): Promise<Check> {
  try {
    return { status: 'ok', ...(await look()) }
  } catch (error) {
    logFault(ctx.log, 'a check of the health of this installation failed', error)
    return { status: 'degraded', message: errorMessage(error) }
  }
}

async function disk(dir: string): Promise<Check> {
  const { bavail, blocks, bsize } = await statfs(dir)
  const used = blocks === 0 ? 0 : Math.round(100 * (1 - bavail / blocks))
  return { status: used >= MAX_USED_PERCENT ? 'degraded' : 'ok', used_percent: used, free_bytes: bavail * bsize }
}
