/** `svc model list`: providers and their models. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { type ModelInfo, Providers } from 'svc/sdk/provider'
import { findProvider, type ProviderStatus, probeProvider } from './providers.ts'

/** Models shown of each provider when all are listed. */
const MAX_SHOWN = 5

/** All providers, those that are ready first; or the models of one, each on a line. */
export async function list(
  ctx: PluginContext<undefined>,
  { args, options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const [name] = args
  if (name !== undefined) return listOne(ctx, name, options['json'] === true ? printJson : printModels, io)
  const seen = await Promise.all(
    ctx
      .all(Providers)
      .all()
      .map((provider) => probeProvider(ctx, provider)),
  )
  if (options['json'] === true) printJson(seen, io)
  else for (const one of seen.toSorted((a, b) => Number(b.ready) - Number(a.ready))) io.out(formatProviderLine(one))
  return 0
}

async function listOne(
  ctx: PluginContext<undefined>,
  name: string,
  print: (seen: readonly ProviderStatus[], io: CliContext) => void,
  io: CliContext,
): Promise<number> {
  const found = findProvider(ctx, name)
  if ('problem' in found) {
    io.err(`${found.problem}\n`)
    return 1
  }
  const seen = await probeProvider(ctx, found)
  print([seen], io)
  return seen.ready ? 0 : 1
}

function printModels(seen: readonly ProviderStatus[], io: CliContext): void {
  for (const { provider, ready, detail, local, models } of seen) {
    if (!ready) io.err(`${provider.name} cannot be used: ${detail}.\n`)
    else if (models.length === 0) io.err(`${provider.name} does not say which models it serves (${detail}).\n`)
    for (const model of models) io.out(`${modelLine(model, local ? 'local' : 'remote')}\n`)
  }
}

function printJson(seen: readonly ProviderStatus[], io: CliContext): void {
  const plain = seen.map(({ provider: { name, label }, ready, detail, models }) => ({
    name,
    label,
    ready,
    detail,
    models,
  }))
  io.out(`${JSON.stringify(plain, undefined, 2)}\n`)
}

function formatProviderLine({ provider, ready, detail, models }: ProviderStatus): string {
  const more = models.length > MAX_SHOWN ? [`and ${models.length - MAX_SHOWN} more`] : []
  const names = [...models.slice(0, MAX_SHOWN).map(({ id }) => id), ...more].join(', ')
  const head = `${ready ? '+' : '-'} ${provider.name.padEnd(13)} ${provider.label}: ${detail}\n`
  return names === '' ? head : `${head}    ${names}\n`
}

/** What is known of a model, on a line. A price that is not mentioned is not known, or that of this machine. */
export function modelLine(model: ModelInfo, place: 'local' | 'remote'): string {
  const { id, label, contextWindow, maxOutputTokens } = model
  const facts = [
    label === id ? undefined : label,
    contextWindow === undefined ? undefined : `reads ${contextWindow.toLocaleString('en')} tokens`,
    maxOutputTokens === undefined ? undefined : `writes ${maxOutputTokens.toLocaleString('en')}`,
    priceText(model, place),
    abilities(model),
  ]
  const known = facts.filter((fact) => fact !== undefined)
  return known.length > 0 ? `${id}  (${known.join(', ')})` : id
}

function priceText({ price }: ModelInfo, place: 'local' | 'remote'): string | undefined {
  if (!price) return undefined
  if (price.input === 0 && price.output === 0) return place === 'local' ? undefined : 'free'
  const asOf = price.asOf === undefined ? '' : ` as of ${price.asOf}`
  return `$${price.input} in and $${price.output} out a million${asOf}`
}

function abilities({ images, tools, reasoning }: ModelInfo): string | undefined {
  const can = [images ? 'pictures' : undefined, tools ? 'tools' : undefined, reasoning ? 'reasoning' : undefined]
  return can.filter((ability) => ability !== undefined).join(' + ') || undefined
}
