/** `svc model set`: writes who answers into config.yaml. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { findProvider, type ProviderStatus, probeProvider } from './providers.ts'

/** The choice that is left to the program. */
export const AUTO = 'auto'
const AUTHOR = { author: 'model-cli', reason: 'svc model set' }

/** A provider that is not there is refused; one that is not ready, or a model it does not list, is warned about. */
export async function set(ctx: PluginContext<undefined>, { args }: CliArguments, io: CliContext): Promise<number> {
  const [typed = '', model] = args
  let name = typed
  if (typed !== AUTO) {
    const found = findProvider(ctx, typed)
    if ('problem' in found) {
      io.err(`${found.problem} Nothing was written.\n`)
      return 1
    }
    for (const warning of warnings(await probeProvider(ctx, found), model, 'model set')) io.err(`${warning}\n`)
    name = found.name
  }
  // A model belongs to its provider: without one the old name means nothing.
  const edits = [
    { path: 'model.provider', value: name },
    { path: 'model.default', value: model },
  ]
  const change = await ctx.use(ConfigFile).write(edits, AUTHOR)
  const now = `model.provider is ${name}, model.default is ${model ?? 'not set'}.`
  io.out(change ? `${now} Take it back with \`svc config undo\`.\n` : `${now} No change.\n`)
  return 0
}

/** What is odd about a choice that was made with this command; one sentence each. */
export function warnings(
  { provider, ready, detail, models }: ProviderStatus,
  model: string | undefined,
  command: string,
): string[] {
  if (!ready) return [`Warning: ${provider.name} cannot be used yet: ${detail}.`]
  if (model === undefined && models.length !== 1)
    return [
      `Warning: name a model, too: \`svc ${command} ${provider.name} <model>\`; \`svc model list ${provider.name}\`.`,
    ]
  const isListed = models.length === 0 || model === undefined || models.some(({ id }) => id === model)
  return isListed ? [] : [`Warning: ${provider.name} does not list a model "${model}".`]
}
