/** `svc model show`: the model that would answer now. */
import { type CliArguments, type CliContext, Models, type PluginContext } from 'svc/sdk'

/** Prints the choice. What stands in its way is thrown by `Models`. */
export async function show(ctx: PluginContext<undefined>, { options }: CliArguments, io: CliContext): Promise<number> {
  const { provider, model, source, notes } = await ctx.use(Models).choose()
  const { ready, detail } = await provider.status()
  if (options['json'] === true) {
    const seen = { provider: provider.name, label: provider.label, model, source, ready, detail, notes }
    io.out(`${JSON.stringify(seen, undefined, 2)}\n`)
    return 0
  }
  io.out(`${provider.name} ${model}\n`)
  io.out(`${provider.label}: ${ready ? detail : `not ready, ${detail}`}\n`)
  for (const note of notes) io.out(`${note}\n`)
  return 0
}
