/** MCP servers of config.yaml: add, switch, sign in, remove. */
import { Clock, errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, formatConfigPath, Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { isSecretSetting } from 'svc/sdk/kit/text'
import { McpPicker, McpServers } from 'svc/sdk/mcp'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const BY = { author: 'dashboard', reason: 'MCP servers changed in the dashboard' }
/** Until the server names the address at which a person signs in. */
const SHOW_MS = 20_000

const name = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,60}$/)
  .meta({ description: 'Letters, digits, hyphens and underscores.' })
const values = z.record(z.string().max(200), z.string().max(8192))
const settings = z.object({
  command: z.string().min(1).max(4096).optional(),
  args: z.array(z.string().max(4096)).max(100).optional(),
  env: values.optional().meta({ description: 'A secret is written as `${NAME}` and stored with `PUT /api/env`.' }),
  url: z.string().min(1).max(4096).optional(),
  transport: z.enum(['stdio', 'http', 'sse']).optional(),
  headers: values.optional().meta({ description: 'A secret is written as `${NAME}`.' }),
  auth: z.enum(['none', 'oauth']).optional(),
})

export function mcpChangeRoutes(ctx: Context): readonly DashboardRoute[] {
  const find = () => requireService(ctx.find(McpServers), McpServers.id)
  const known = (typed: string | undefined) => {
    if (!find().get(typed ?? ''))
      throw new SvcError('DASHBOARD_MCP_SERVER', `No MCP server "${typed}" is configured.`, { status: 404 })
    return typed as string
  }
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/mcp/servers',
      summary:
        'Adds an MCP server to config.yaml; dangerous settings and secrets in the clear are refused. Starts nothing',
      body: settings.extend({ name }),
      response: z.object({ ok: z.literal(true), name: z.string() }),
      handle: ({ body: { name: added, ...rest } }) =>
        withStatus(STATUSES, async () => {
          if (find().get(added))
            throw new SvcError('DASHBOARD_MCP_TAKEN', `An MCP server "${added}" is configured already.`, {
              status: 409,
            })
          refuseSecrets(rest.env, rest.headers)
          await find().save(added, withoutUndefined(rest), BY)
          return { ok: true as const, name: added }
        }),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/mcp/servers/:name/enabled',
      summary: 'Switches an MCP server on or off in config.yaml',
      body: z.object({ enabled: z.boolean() }),
      response: z.object({ ok: z.literal(true), name: z.string(), enabled: z.boolean() }),
      handle: ({ params, body: { enabled } }) =>
        withStatus(STATUSES, async () => {
          const server = known(params['name'])
          const path = formatConfigPath(['mcp_servers', server, 'enabled'])
          await ctx.use(ConfigFile).write([{ path, value: enabled ? undefined : false }], BY)
          // A client that asks for the list right after this is told of the new state.
          await ctx.use(Plugins).applyConfig()
          return { ok: true as const, name: server, enabled }
        }),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/mcp/servers/:name',
      summary:
        'Removes an MCP server from config.yaml, with its tokens, approvals and installed files; `POST /api/config/undo` restores its settings',
      response: z.object({ ok: z.literal(true), name: z.string() }),
      handle: ({ params }) =>
        withStatus(STATUSES, async () => {
          const server = known(params['name'])
          await find().remove(server, BY)
          const picker = await ctx.use(Plugins).bring(McpPicker)
          if (picker?.findInstalled(server) !== undefined) picker.removeInstalled(server)
          return { ok: true as const, name: server }
        }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/mcp/servers/:name/auth',
      summary: 'Begins to sign in at an MCP server; the person completes it in a browser on the machine of svc',
      response: z.object({ ok: z.literal(true), name: z.string(), auth_url: z.string() }),
      handle: ({ params }) =>
        withStatus(STATUSES, async () => {
          const server = known(params['name'])
          return { ok: true as const, name: server, auth_url: await beginSignIn(ctx, find(), server) }
        }),
    }),
  ]
}

/** Resolves with the address at which the person signs in; what follows is seen in the state of the server. */
function beginSignIn(ctx: Context, servers: McpServers, server: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const stopped = new AbortController()
    const cancel = ctx.use(Clock).after(
      SHOW_MS,
      () => {
        const message = `The MCP server ${server} named no address at which to sign in.`
        stopped.abort(new SvcError('DASHBOARD_MCP_SIGN_IN', message, { status: 504 }))
      },
      { background: true },
    )
    servers
      .login(server, {
        signal: AbortSignal.any([stopped.signal, ctx.signal]),
        show(url) {
          cancel()
          resolve(url)
        },
      })
      .then(
        () => reject(new SvcError('DASHBOARD_MCP_SIGN_IN', `${server} is signed in already.`, { status: 409 })),
        (error: unknown) => {
          logFault(ctx.log, 'signing in at an MCP server failed', error, server)
          reject(error instanceof SvcError ? error : new Error(errorMessage(error), { cause: error }))
        },
      )
      .finally(() => cancel())
  })
}

/** Throws `DASHBOARD_MCP_SECRET` for a value that belongs into `.env`. */
function refuseSecrets(env: z.infer<typeof values> = {}, headers: z.infer<typeof values> = {}): void {
  for (const [key, value] of [...Object.entries(env), ...Object.entries(headers)]) {
    const isSecret = isSecretSetting(key) || /^(?:proxy-)?authorization$|cookie/i.test(key)
    if (!isSecret || value.includes('${')) continue
    const message = `${key} holds a secret. Store it with PUT /api/env, and write \${NAME} here.`
    throw new SvcError('DASHBOARD_MCP_SECRET', message, { status: 400, param: key })
  }
}

function withoutUndefined(from: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined))
}
