/** The parts that routes work with, what the user has set, and what requests of all kinds may and may not wish for. */
import { Home, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import type { HttpRequest } from 'svc/sdk/web'
import { z } from 'zod'
import type { Background } from './background.ts'
import type { ClientQuestions } from './client-questions.ts'
import type { Config } from './config.ts'
import { about } from './envelope.ts'
import type { Idempotency } from './idempotency.ts'
import type { Runs } from './runs.ts'
import type { SessionDirectory } from './session-directory.ts'
import type { ApiStore } from './store.ts'
import type { Turns } from './turns.ts'

/** Made once for each start. */
export interface Api {
  readonly ctx: PluginContext<Config>
  readonly settings: Settings
  readonly store: ApiStore
  readonly turns: Turns
  readonly places: SessionDirectory
  readonly runs: Runs
  readonly questions: ClientQuestions
  readonly background: Background
  readonly idempotency: Idempotency
}

/** What the environment and the config say. The environment wins. */
export interface Settings {
  readonly isEnabled: boolean
  readonly host: string
  readonly port: number
  readonly origins: readonly string[]
  readonly modelName: string | undefined
}

export function readSettings(ctx: PluginContext<Config>): Settings {
  const { config } = ctx
  const secrets = ctx.use(Secrets)
  const enabled = secrets.get('API_SERVER_ENABLED')
  const port = Number(secrets.get('API_SERVER_PORT'))
  const origins = secrets.get('API_SERVER_CORS_ORIGINS')?.split(',') ?? config.cors_origins
  return {
    isEnabled:
      enabled === undefined
        ? (config.enabled ?? (readServerKey(ctx) !== undefined || secrets.isPlaceholder('API_SERVER_KEY')))
        : /^(1|true|yes|on)$/i.test(enabled),
    host: secrets.get('API_SERVER_HOST') ?? config.host,
    port: Number.isInteger(port) && port > 0 ? port : config.port,
    origins: origins.map((origin) => origin.trim()).filter((origin) => origin !== ''),
    modelName: secrets.get('API_SERVER_MODEL_NAME') ?? config.model_name,
  }
}

/** Asked for every request: a key that was changed counts at once. */
export function readServerKey(ctx: PluginContext<Config>): string | undefined {
  return ctx.use(Secrets).get('API_SERVER_KEY')
}

type Fields = Readonly<Record<string, unknown>>

/** A flag; some clients send it as text. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false'])])

/** Whether a flag is on; some clients send it as text. */
export function wants(flag: unknown): boolean {
  return flag === true || flag === 'true'
}

/** Whether a flag is there and off. */
export function isOff(flag: unknown): boolean {
  return flag === false || flag === 'false'
}

/**
 * Tools of the client are not called, and sampling is the agent's matter: both are passed over. What would change the
 * kind of the answer is refused, because the client would wait for it in vain.
 */
export function refuseUnsupported(body: Fields): void {
  if (typeof body['n'] === 'number' && body['n'] > 1) throw unsupported('n', 'gives one answer at a time')
  const choice = body['tool_choice']
  if (choice === 'required' || (typeof choice === 'object' && choice !== null))
    throw unsupported('tool_choice', 'uses its own tools and cannot be made to call those of the client')
  if (body['audio'] || (Array.isArray(body['modalities']) && body['modalities'].includes('audio')))
    throw unsupported('modalities', 'answers with text')
}

function unsupported(param: string, why: string): SvcError {
  return about(param, new SvcError('API_UNSUPPORTED_PARAMETER', `${param}: the agent ${why}.`, { status: 400 }))
}

/** The name that the agent goes by. */
export function agentName({ ctx, settings }: Pick<Api, 'ctx' | 'settings'>): string {
  return settings.modelName ?? ctx.use(Home).profile ?? 'svc'
}

/** What the answer says it comes from: the name that the client gave. */
export function chooseModelName(api: Api, asked: string | undefined): string {
  return asked || agentName(api)
}

/** What a client says of itself, in a member of the body that other servers pass over. */
export const clientFields = z
  .looseObject({
    interactive: flag
      .nullish()
      .meta({ description: 'The client shows questions and answers them; as X-Svc-Interactive.' }),
  })
  .nullish()

/** Headers that name the session of the request and its ignored fields. */
export function sessionHeaders(
  request: HttpRequest,
  sessionId: string,
  { tools, functions }: Fields,
): Readonly<Record<string, string>> {
  const key = readScope(request)
  const hasTools = [tools, functions].some((list) => Array.isArray(list) && list.length > 0)
  return {
    'x-svc-session-id': sessionId,
    ...(key && { 'x-svc-session-key': key }),
    ...(hasTools && { 'x-svc-ignored': 'tools' }),
  }
}

/** Whose responses these are: holders of one key of the server can stay apart. */
export function readScope(request: HttpRequest): string {
  const key = request.headers['x-svc-session-key']?.trim()
  if (key === undefined || key === '') return ''
  if (/^[\x20-\x7e]{1,256}$/.test(key)) return key
  const text = 'x-svc-session-key has up to 256 visible characters.'
  throw about('x-svc-session-key', new SvcError('API_INVALID_SESSION_ID', text, { status: 400 }))
}
