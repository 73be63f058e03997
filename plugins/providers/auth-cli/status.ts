/** `svc auth status` and `svc auth test`: what providers say of their keys. */
import { type CliArguments, type CliContext, errorMessage, logFault, Models, type PluginContext } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { type ModelFailure, type ModelProvider, Providers } from 'svc/sdk/provider'
import { findProvider } from './find.ts'

type Context = PluginContext<undefined>

interface Standing {
  readonly provider: string
  readonly ready: boolean
  readonly detail: string
}

/** Every provider, those that are ready first, and who answers; or one, with exit code 1 when it is not ready. */
export async function status(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [name] = input.args
  const providers = name === undefined ? ctx.all(Providers).all() : [await findProvider(ctx, name)]
  const seen = await Promise.all(providers.map((each) => checkStanding(ctx, each)))
  const answering = name === undefined ? await whoAnswers(ctx) : undefined
  if (hasFlag(input, 'json')) printJson(io, { providers: seen, ...(answering === undefined ? {} : { answering }) })
  else {
    for (const each of seen.toSorted((a, b) => Number(b.ready) - Number(a.ready))) io.out(line(each))
    if (answering !== undefined) io.out(`${answering}\n`)
  }
  return name === undefined || seen.every(({ ready }) => ready) ? 0 : 1
}

/**
 * Asks the provider, or the one that answers now, for its models; where there is no list, or a model is named, asks a
 * question instead. Exit code 1 when neither shows that the key works.
 */
export async function testProvider(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [name] = input.args
  const provider = name === undefined ? (await ctx.use(Models).choose()).provider : await findProvider(ctx, name)
  const result = await check(ctx, provider, { model: input.options['model'], signal: io.signal })
  if (hasFlag(input, 'json')) printJson(io, result)
  else if (result.works) io.out(`${result.provider} ${praise(result)}\n`)
  else io.err(`${result.provider} ${complaint(result)}\n`)
  return result.works ? 0 : 1
}

interface Outcome extends Standing {
  readonly works: boolean
  readonly models: number
  /** The model that was asked a question. */
  readonly asked?: string
  readonly error?: string
  readonly kind?: ModelFailure['kind']
}

async function check(
  ctx: Context,
  provider: ModelProvider,
  { model, signal }: { readonly model: unknown; readonly signal: AbortSignal },
): Promise<Outcome> {
  const standing = await checkStanding(ctx, provider)
  if (!standing.ready) return { ...standing, works: false, models: 0 }
  const wanted = typeof model === 'string' ? { model } : {}
  const listed = wanted.model === undefined ? await countModels(ctx, provider) : { count: 0 }
  if (listed.count > 0) return { ...standing, works: true, models: listed.count }
  const { askQuestion } = await import('./question.ts')
  const verdict = await askQuestion(ctx, provider, { ...wanted, signal })
  if (verdict === undefined)
    return { ...standing, works: false, models: 0, ...(listed.error && { error: listed.error }) }
  const { model: asked, failure } = verdict
  const why = failure && { error: failure.message, ...(failure.kind && { kind: failure.kind }) }
  return { ...standing, works: !failure, models: 0, asked, ...why }
}

function praise({ detail, models, asked }: Outcome): string {
  const how = asked === undefined ? `it offers ${models} models` : `${asked} answered a question`
  return `accepted the key (${detail}); ${how}.`
}

function complaint({ provider, ready, detail, asked, error, kind }: Outcome): string {
  if (!ready) return `cannot be used: ${detail}.`
  if (kind === 'auth') return `refused the key (${detail}): ${error}`
  if (asked !== undefined) return `did not answer a question to ${asked} (${detail}): ${error}`
  return `did not say which models it serves (${error ?? detail}). The log has what it answered; \`svc auth test ${provider} --model <id>\` asks a question.`
}

async function checkStanding(ctx: Context, provider: ModelProvider): Promise<Standing> {
  try {
    const { ready, detail } = await provider.status()
    return { provider: provider.name, ready, detail }
  } catch (error) {
    logProviderFault(ctx, provider, error)
    return { provider: provider.name, ready: false, detail: errorMessage(error) }
  }
}

async function countModels(
  ctx: Context,
  provider: ModelProvider,
): Promise<{ readonly count: number; readonly error?: string }> {
  try {
    return { count: (await provider.models()).length }
  } catch (error) {
    logProviderFault(ctx, provider, error)
    return { count: 0, error: errorMessage(error) }
  }
}

async function whoAnswers(ctx: Context): Promise<string> {
  try {
    const { provider, model } = await ctx.use(Models).choose()
    return `${model} of ${provider.name} answers now.`
  } catch (error) {
    logFault(ctx.log, 'no model could be chosen', error)
    return `No provider answers now: ${errorMessage(error)}`
  }
}

function line({ provider, ready, detail }: Standing): string {
  return `${ready ? '+' : '-'} ${provider.padEnd(13)} ${detail}\n`
}

function logProviderFault(ctx: Context, { name }: ModelProvider, error: unknown): void {
  logFault(ctx.log, `the provider ${name} failed`, error, ctx.all(Providers).owner(name))
}
