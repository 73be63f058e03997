/** What providers say of themselves, asked all at once. */
import { errorMessage, logFault, Models, type PluginContext } from 'svc/sdk'
import { type ModelInfo, type ModelProvider, Providers } from 'svc/sdk/provider'

/** A provider and what it said. */
export interface ProviderStatus {
  readonly provider: ModelProvider
  readonly ready: boolean
  readonly detail: string
  /** It runs on this machine. */
  readonly local: boolean
  /** Empty when it is not ready or does not tell. */
  readonly models: readonly ModelInfo[]
}

/** One that fails is not ready; its failure is the reason. */
export async function probeProvider(ctx: PluginContext<undefined>, provider: ModelProvider): Promise<ProviderStatus> {
  try {
    const { ready, detail, local = false } = await provider.status()
    const models = ready ? await ctx.use(Models).list(provider.name) : []
    return { provider, ready, detail, local, models }
  } catch (error) {
    logFault(ctx.log, `the provider ${provider.name} failed`, error, ctx.all(Providers).owner(provider.name))
    return { provider, ready: false, detail: errorMessage(error), local: false, models: [] }
  }
}

/** The provider of this name or alias, or the sentence that names those there are. */
export function findProvider(
  ctx: PluginContext<undefined>,
  name: string,
): ModelProvider | { readonly problem: string } {
  const providers = ctx.all(Providers).all()
  const found = providers.find((provider) => provider.name === name || provider.aliases?.includes(name))
  if (found) return found
  const names = providers.map((provider) => provider.name)
  return { problem: `There is no model provider "${name}". There are: ${names.join(', ')}.` }
}
