/** Everything besides conversations: commands, settings, models, tools, and what can be called. */
import { type Conversation, logFault, Models, type PluginContext, SvcError } from 'svc/sdk'
import { Commands, ConfigFile, Toolsets } from 'svc/sdk/host'
import { checkModelChange } from 'svc/sdk/sessions'
import { defineRpcMethod, type RpcMethod } from 'svc/sdk/web'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import {
  commandsResult,
  completionsResult,
  configValueResult,
  discoverResult,
  modelsResult,
  setupResult,
  toolsetsResult,
} from './results.ts'

type Context = PluginContext<undefined>

const id = z.string().min(1).max(200)
const SURFACE = 'rpc'
const TARGET = 'draft-2020-12'
/** Milliseconds in which a provider says whether it can be used. */
const STATUS_MS = 10_000

export function programMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [...commandMethods(ctx, connection), ...settingMethods(ctx, connection), ping, discover(connection)]
}

function commandMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'slash.exec',
      summary: 'Runs a slash command in an open session, once for each key, and returns what it says',
      params: z.object({ session_id: id, command: z.string().min(1), key: id.optional() }),
      result: z.object({ output: z.string(), warning: z.literal('failed').optional() }),
      async run({ session_id, command, key }) {
        const session = connection.session(session_id)
        const line = `/${command.replace(/^\//, '')}`
        const parsed = ctx.use(Commands).parse(line, 'cli')
        if (!parsed || 'unknown' in parsed) {
          const near = parsed?.nearest === undefined ? '' : ` Did you mean ${parsed.nearest}?`
          throw new SvcError('RPC_COMMAND_UNKNOWN', `There is no command "${line.split(/\s/, 1)[0]}".${near}`)
        }
        const run = async () => {
          const { conversation, front } = session
          if (parsed.command.needsIdle) await connection.settled(session)
          const notices = await front.collect(() => conversation.type(line, { command: parsed }))
          const failed = notices.some(({ tone }) => tone === 'error')
          return { output: notices.map(({ text }) => text).join('\n'), ...(failed && { warning: 'failed' as const }) }
        }
        return key === undefined ? run() : (session.keys.run(key, run) as ReturnType<typeof run>)
      },
      isSlow: true,
    }),
    defineRpcMethod({
      name: 'complete.slash',
      summary: 'How the end of a typed line may continue',
      params: z.object({ session_id: id, text: z.string() }),
      result: completionsResult,
      run: async ({ session_id, text }) => ({ items: await connection.conversation(session_id).complete(text) }),
    }),
  ]
}

function settingMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'config.get',
      summary: 'A key or block of config.yaml, or a variable; secrets are masked',
      params: z.object({ key: z.string() }),
      result: configValueResult,
      async run({ key }) {
        const { path, value, default: standard, secret, description } = await ctx.use(ConfigFile).read(key)
        return {
          key: path,
          value: value ?? null,
          default: standard ?? null,
          secret,
          ...(description && { description }),
        }
      },
    }),
    defineRpcMethod({
      name: 'config.set',
      summary: 'Writes a key of config.yaml; with a session_id, sets model, provider or reasoning of that session only',
      params: z.object({ key: z.string().min(1), value: z.unknown(), session_id: id.optional() }),
      result: z.object({
        key: z.string(),
        value: z.unknown(),
        scope: z.literal('session').optional(),
        change: z.number().optional(),
      }),
      async run({ key, value, session_id }) {
        if (session_id !== undefined) {
          const conversation = connection.conversation(session_id)
          const setting = toSetting(key, value)
          await checkModel(ctx, conversation, setting)
          conversation.change(setting)
          return { key, value, scope: 'session' as const }
        }
        const change = await ctx.use(ConfigFile).write([{ path: key, value: value === null ? undefined : value }], {
          author: 'rpc',
          reason: 'set by a program',
        })
        return { key, value, ...(change && { change: change.id }) }
      },
    }),
  ]
}

/** Of what a session can have on its own, what a program sets. `null` is the configured value again. */
const settings = {
  model: z.string().nullable(),
  provider: z.string().nullable(),
  reasoning: z.enum(['none', 'low', 'medium', 'high', 'xhigh']).nullable(),
}

/** Whether plugins let the model of a session be changed. Throws `MODEL_CHANGE_DENIED`. */
async function checkModel(
  ctx: Context,
  { sessionId, settings }: Conversation,
  setting: { readonly provider?: string | undefined; readonly model?: string | undefined },
): Promise<void> {
  const named = ({ provider, model }: typeof setting) => ({
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  })
  const [from, to] = [named(settings), named({ ...settings, ...setting })]
  await checkModelChange(ctx, { sessionId, from, to, reason: 'chosen' })
}

function toSetting(key: string, value: unknown): Record<string, unknown> {
  const schema = Object.hasOwn(settings, key) ? settings[key as keyof typeof settings] : undefined
  const parsed = schema?.safeParse(value)
  if (parsed?.success) return { [key]: parsed.data ?? undefined }
  const known = Object.keys(settings).join(', ')
  throw new SvcError(
    'RPC_SETTING',
    schema ? `The value of ${key} is not valid.` : `A session has ${known}, no "${key}".`,
  )
}

/** Methods that need no session of the caller. */
export function sharedMethods(ctx: Context): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'commands.catalog',
      summary: 'All slash commands',
      result: commandsResult,
      run: () => ({
        commands: ctx
          .use(Commands)
          .on('cli')
          .map(({ name, aliases = [], description, category, argsHint, subcommands = [] }) => ({
            name,
            aliases,
            description,
            category,
            ...(argsHint !== undefined && { args_hint: argsHint }),
            subcommands,
          })),
      }),
    }),
    defineRpcMethod({
      name: 'setup.status',
      summary: 'Whether a model was chosen, and which',
      result: setupResult,
      isSlow: true,
      run: () => checkSetup(ctx, {}),
    }),
    defineRpcMethod({
      name: 'setup.runtime_check',
      summary:
        'Whether a turn that begins now has a model that can answer, as the agent chooses it; or one of a provider',
      params: z.object({ provider: z.string().min(1).max(200).optional() }),
      result: setupResult,
      isSlow: true,
      run: ({ provider }) => checkSetup(ctx, { isStrict: true, ...(provider !== undefined && { provider }) }),
    }),
    defineRpcMethod({
      name: 'model.options',
      summary: 'The models of a provider, as it lists them',
      params: z.object({ provider: z.string().min(1) }),
      result: modelsResult,
      isSlow: true,
      run: async ({ provider }) => ({ provider, models: await ctx.use(Models).list(provider) }),
    }),
    defineRpcMethod({
      name: 'tools.list',
      summary: 'Toolsets and their tools for programs',
      result: toolsetsResult,
      run: () => ({ toolsets: ctx.find(Toolsets)?.list(SURFACE) ?? [] }),
    }),
  ]
}

/** Answered at once, whatever else is at work. */
const ping = defineRpcMethod({
  name: 'rpc.ping',
  summary: 'Answers: the connection is alive',
  result: z.object({}),
  isSlow: true,
  run: () => ({}),
})

/** Strictly, what was chosen has to be ready, too: its key is there, its server answers. */
async function checkSetup(
  ctx: Context,
  { provider: wanted, isStrict = false }: { readonly provider?: string; readonly isStrict?: boolean },
): Promise<z.infer<typeof setupResult>> {
  try {
    const choice = await ctx
      .use(Models)
      .choose({ withoutDemo: true, ...(wanted !== undefined && { provider: wanted }) })
    const { provider, model, source } = choice
    const facts = { provider: provider.name, model, source }
    const { ready, detail } = isStrict
      ? await provider.status(AbortSignal.timeout(STATUS_MS))
      : { ready: true, detail: '' }
    if (ready) return { provider_configured: true, ok: true, ...facts }
    return { provider_configured: true, ok: false, ...facts, error: detail, code: 'MODEL_UNAVAILABLE' }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    logFault(ctx.log, 'no model can answer', error)
    return { provider_configured: false, ok: false, error: error.message, code: error.code }
  }
}

function discover(connection: Connection): RpcMethod {
  return defineRpcMethod({
    name: 'rpc.discover',
    summary: 'All methods with their parameters and results as JSON Schema',
    result: discoverResult,
    run: () => ({
      methods: connection.methods.map(({ name, summary, params, result }) => ({
        name,
        summary,
        params: params?.['~standard'].jsonSchema?.input({ target: TARGET }) ?? { type: 'object' },
        result: result?.['~standard'].jsonSchema?.output?.({ target: TARGET }) ?? {},
      })),
    }),
  })
}
