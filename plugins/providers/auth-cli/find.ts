/** Finds what was named on the command line. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { type CredentialInfo, Credentials, type ModelProvider, Providers } from 'svc/sdk/provider'

type Context = PluginContext<undefined>

/** A provider by its id or another word for it. Throws `AUTH_PROVIDER_UNKNOWN` with the nearest. */
export async function findProvider(ctx: Context, name: string): Promise<ModelProvider> {
  const found = findProviderByName(ctx, name)
  if (found) return found
  const { closest, distance } = await import('fastest-levenshtein')
  const names = ctx
    .all(Providers)
    .all()
    .map((provider) => provider.name)
  const nearest = names.length > 0 ? closest(name, names) : ''
  const hint = distance(name, nearest) <= Math.max(2, name.length / 3) ? ` Did you mean ${nearest}?` : ''
  throw new SvcError(
    'AUTH_PROVIDER_UNKNOWN',
    `There is no model provider "${name}".${hint} There are: ${names.join(', ')}.`,
    { status: 404 },
  )
}

/** The keys of a provider, also of one whose plugin is gone. */
export async function findKeys(
  ctx: Context,
  name: string,
): Promise<{ provider: string; keys: readonly CredentialInfo[] }> {
  const known = findProviderByName(ctx, name)?.name ?? name
  const keys = await ctx.use(Credentials).list(known)
  if (keys.length > 0) return { provider: known, keys }
  return { provider: (await findProvider(ctx, name)).name, keys }
}

function findProviderByName(ctx: Context, name: string): ModelProvider | undefined {
  const providers = ctx.all(Providers)
  return providers.get(name) ?? providers.all().find(({ aliases = [] }) => aliases.includes(name))
}
