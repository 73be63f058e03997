/** The list of models from which a person chooses in a conversation. */
import type { CommandContext, PluginContext, Translate } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { probeProvider } from './providers.ts'

/** Those of all providers that can be used now; undefined when nothing was chosen. */
export async function pickModel(
  ctx: PluginContext<undefined>,
  { person, signal }: CommandContext,
  now: { readonly provider: string; readonly model: string },
  t: Translate,
): Promise<{ readonly provider: string; readonly model: string } | undefined> {
  const providers = ctx.all(Providers).all()
  const seen = await Promise.all(providers.map((provider) => probeProvider(ctx, provider)))
  const rows = seen
    .filter(({ ready }) => ready)
    .flatMap(({ provider, models }) => models.map((model) => ({ provider, model: model.id })))
  const items = rows.map(({ provider, model }, at) => ({ id: String(at), label: model, detail: provider.label }))
  const current = rows.findIndex(({ provider, model }) => provider.name === now.provider && model === now.model)
  const title = t('Models')
  const id = await person.choose({ title, items, ...(current >= 0 && { current: `${current}` }) }, { signal })
  const row = id === undefined ? undefined : rows[Number(id)]
  return row && { provider: row.provider.name, model: row.model }
}
