/** `svc auth status` and `svc auth test`: what providers say of their keys. */
import {
  type CliInput,
  type CliIo,
  errorMessage,
  type ModelProvider,
  Models,
  type PluginContext,
  Providers,
} from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { findProvider } from './find.ts'

type Context = PluginContext<undefined>

interface Standing {
  readonly provider: string
  readonly ready: boolean
  readonly detail: string
}

/** Every provider, those that are ready first, and who answers; or one, with exit code 1 when it is not ready. */
export async function status(ctx: Context, input: CliInput, io: CliIo): Promise<number> {
  const [name] = input.args
  const providers = name === undefined ? ctx.all(Providers).all() : [await findProvider(ctx, name)]
  const seen = await Promise.all(providers.map(standingOf))
  const answering = name === undefined ? await whoAnswers(ctx) : undefined
  if (hasFlag(input, 'json')) printJson(io, { providers: seen, ...(answering === undefined ? {} : { answering }) })
  else {
    for (const each of seen.toSorted((a, b) => Number(b.ready) - Number(a.ready))) io.out(line(each))
    if (answering !== undefined) io.out(`${answering}\n`)
  }
  return name === undefined || seen.every(({ ready }) => ready) ? 0 : 1
}

/** Asks the provider, or the one that answers now, for its models; exit code 1 when it does not say. */
export async function testProvider(ctx: Context, input: CliInput, io: CliIo): Promise<number> {
  const [name] = input.args
  const provider = name === undefined ? (await ctx.use(Models).choose()).provider : await findProvider(ctx, name)
  const before = await standingOf(provider)
  const models = before.ready ? await modelsOf(provider) : { count: 0 }
  const works = models.count > 0
  const result = { ...before, works, models: models.count, ...(models.error ? { error: models.error } : {}) }
  if (hasFlag(input, 'json')) printJson(io, result)
  else if (works) io.out(`${provider.name} accepted the key (${before.detail}); it offers ${models.count} models.\n`)
  else if (!before.ready) io.err(`${provider.name} cannot be used: ${before.detail}.\n`)
  else
    io.err(
      `${provider.name} did not say which models it serves (${models.error ?? before.detail}). The log has what it answered; \`svc model test --provider ${provider.name} --model <id>\` asks a question.\n`,
    )
  return works ? 0 : 1
}

async function standingOf(provider: ModelProvider): Promise<Standing> {
  try {
    const { ready, detail } = await provider.status()
    return { provider: provider.name, ready, detail }
  } catch (error) {
    return { provider: provider.name, ready: false, detail: errorMessage(error) }
  }
}

async function modelsOf(provider: ModelProvider): Promise<{ readonly count: number; readonly error?: string }> {
  try {
    return { count: (await provider.models()).length }
  } catch (error) {
    return { count: 0, error: errorMessage(error) }
  }
}

async function whoAnswers(ctx: Context): Promise<string> {
  try {
    const { provider, model } = await ctx.use(Models).choose()
    return `${model} of ${provider.name} answers now.`
  } catch (error) {
    return `Nobody answers now: ${errorMessage(error)}`
  }
}

function line({ provider, ready, detail }: Standing): string {
  return `${ready ? '+' : '-'} ${provider.padEnd(13)} ${detail}\n`
}
