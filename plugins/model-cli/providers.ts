/** What providers say of themselves, asked all at once. */
import { errorMessage, type ModelInfo, type ModelProvider, type PluginContext, Providers } from 'svc/sdk'

/** A provider and what it said. */
export interface Seen {
  readonly provider: ModelProvider
  readonly ready: boolean
  readonly detail: string
  /** Empty when it is not ready or does not tell. */
  readonly models: readonly ModelInfo[]
}

/** One that fails is not ready; its failure is the reason. */
export async function seeProvider(provider: ModelProvider): Promise<Seen> {
  try {
    const { ready, detail } = await provider.status()
    return { provider, ready, detail, models: ready ? await provider.models() : [] }
  } catch (error) {
    return { provider, ready: false, detail: errorMessage(error), models: [] }
  }
}

/** The provider, or the sentence that names those there are. */
export function findProvider(
  ctx: PluginContext<undefined>,
  name: string,
): ModelProvider | { readonly problem: string } {
  const found = ctx.all(Providers).get(name)
  if (found) return found
  const names = ctx
    .all(Providers)
    .all()
    .map((provider) => provider.name)
  return { problem: `There is no model provider "${name}". There are: ${names.join(', ')}.` }
}
