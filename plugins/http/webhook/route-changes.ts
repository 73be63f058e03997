/** Routes that people add and remove, and how a route is shown. */
import { type Random, type Secrets, SvcError } from 'svc/sdk'
import type { ConfigFile } from 'svc/sdk/host'
import type { WebhookSettings } from './platform.ts'
import type { Route, Routes } from './routes.ts'

export interface RouteDeps {
  readonly settings: WebhookSettings
  readonly routes: Routes
  random(): Random
  secrets(): Secrets
  configFile(): ConfigFile
  /** Lets this process read the files of the configuration again. */
  applyConfig(): Promise<void>
}

/** Who adds, and the secret that a sender has already; left out: a new one. */
interface By {
  readonly author: string
  readonly secret?: string
}

/** Keeps a new route and its secret, which is returned only here. Throws `WEBHOOK_ROUTE` and `WEBHOOK_TAKEN`. */
export async function addRoute(
  deps: RouteDeps,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  { author, secret: given }: By,
) {
  const variable = `WEBHOOK_${name.toUpperCase().replace(/\W/g, '_')}_SECRET`
  const secret = given ?? newSecret(deps, settings['style'])
  // Everything is checked before anything is written.
  const route = deps.routes.check(name, { ...settings, secret })
  if (deps.secrets().get(variable) !== undefined)
    throw new SvcError('WEBHOOK_TAKEN', `${variable} is set already. Choose another name, or remove it from .env.`, {
      status: 409,
    })
  await deps.configFile().write([{ path: variable, value: secret }], { author, reason: 'secret of a webhook route' })
  deps.secrets().protect(secret)
  deps.routes.add(name, settings, variable)
  await deps.applyConfig()
  return { name, url: formatRouteAddress(deps, name), style: route.style, secret, variable }
}

function newSecret({ random }: RouteDeps, style: unknown): string {
  const secret = random().hex(32)
  return style === 'svix' ? `whsec_${Buffer.from(secret, 'hex').toString('base64')}` : secret
}

/** Removes an added route and its secret. Throws `WEBHOOK_UNKNOWN`. */
export async function removeRoute(deps: RouteDeps, typed: string, author: string): Promise<string> {
  const { name, secret_env: variable } = deps.routes.remove(typed)
  if (variable?.startsWith('WEBHOOK_'))
    await deps.configFile().write([{ path: variable, value: undefined }], { author, reason: 'its route is gone' })
  await deps.applyConfig()
  return name
}

export function formatRoute(
  deps: RouteDeps,
  { name, origin, style, events, skills, deliver, enabled, problem, ...route }: Route,
) {
  const state = problem ?? (enabled ? 'ready' : 'switched off')
  const where = origin === 'config' ? 'config.yaml' : 'added'
  return {
    name,
    state,
    url: formatRouteAddress(deps, name),
    style,
    events,
    skills,
    deliver,
    deliver_only: route.deliver_only,
    origin: where,
  }
}

/** As it is reached on this machine. */
export function formatRouteAddress({ settings, secrets }: RouteDeps, name: string, given?: string): string {
  const host = /^(0\.0\.0\.0|::)$/.test(settings.host) ? '127.0.0.1' : settings.host
  const port = secrets().get('WEBHOOK_PORT') ?? settings.port
  return `${(given ?? `http://${host}:${port}`).replace(/\/+$/, '')}/webhooks/${name}`
}
