/** `svc model pick`: a person chooses among those that can be used now. */
import type { CliContext, PluginContext } from 'svc/sdk'
import { type ModelInfo, Providers } from 'svc/sdk/provider'
import { modelLine } from './list.ts'
import { type ProviderStatus, probeProvider } from './providers.ts'
import { set } from './set.ts'

/** Longer lists are narrowed down by a part of the name. */
const MAX_SHOWN = 30

/** Writes the choice as `svc model set` does; leaving with an empty answer writes nothing. */
export async function pick(ctx: PluginContext<undefined>, io: CliContext): Promise<number> {
  if (!io.interactive) {
    io.err('A choice needs a terminal. Without one: svc model set <provider> [model].\n')
    return 2
  }
  const all = await Promise.all(
    ctx
      .all(Providers)
      .all()
      .map((provider) => probeProvider(ctx, provider)),
  )
  const ready = all.filter((seen) => seen.ready)
  const chosen = await choose(io, 'Provider', ready, ({ provider, detail }) => ({
    name: provider.name,
    line: `${provider.name.padEnd(13)} ${provider.label}: ${detail}`,
  }))
  if (!chosen) return leave(io)
  const model = await chooseModel(io, chosen)
  if (model === undefined) return leave(io)
  return set(ctx, { args: [chosen.provider.name, ...(model ? [model] : [])], options: {} }, io)
}

/** An id that is not listed is taken as it is: servers do not always say all they serve. */
async function chooseModel(io: CliContext, { models, local }: ProviderStatus): Promise<string | undefined> {
  if (models.length === 0) return (await io.ask('Model (its id): '))?.trim() || undefined
  const place = local ? 'local' : 'remote'
  const describe = (model: ModelInfo) => ({ name: model.id, line: modelLine(model, place) })
  return (await choose(io, 'Model', models, describe))?.id
}

/** By number or name; a part of a name narrows the list down. Undefined when nothing was chosen. */
async function choose<T>(
  io: CliContext,
  what: string,
  all: readonly T[],
  describe: (item: T) => { readonly name: string; readonly line: string },
): Promise<T | undefined> {
  let shown = all
  for (;;) {
    for (const [at, item] of shown.slice(0, MAX_SHOWN).entries())
      io.out(`${String(at + 1).padStart(3)}  ${describe(item).line}\n`)
    if (shown.length > MAX_SHOWN) io.out(`     and ${shown.length - MAX_SHOWN} more: type a part of the name\n`)
    const typed = (await io.ask(`${what} (number or name): `))?.trim()
    if (!typed) return undefined
    const exact = all.find((item) => describe(item).name === typed) ?? shown[Number(typed) - 1]
    if (exact) return exact
    const near = all.filter((item) => describe(item).name.includes(typed))
    if (near.length === 1) return near[0]
    if (near.length === 0) io.out(`There is no ${what.toLowerCase()} "${typed}".\n`)
    else shown = near
  }
}

function leave(io: CliContext): number {
  io.out('Nothing was written.\n')
  return 0
}
