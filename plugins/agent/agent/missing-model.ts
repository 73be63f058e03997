/** What to do about a model that its provider does not serve, or serves no longer: the name of one that is like it. */
import { Clock, logFault, Models, type PluginContext } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import type { ModelChoice, ModelEvent } from 'svc/sdk/provider'

/** For the list of models: the turn has failed already, and a person waits for the reason. */
const LIST_MS = 5000

/** The batch, with the advice in a failure that says that the model is not there. It is recorded with it. */
export async function withSimilarModel(
  ctx: PluginContext<unknown>,
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
  events: readonly ModelEvent[],
): Promise<readonly ModelEvent[]> {
  const last = events.at(-1)
  if (last?.type !== 'failed' || last.failure.kind !== 'model-not-found') return events
  const similar = await similarTo(ctx, { provider: provider.name, model })
  if (similar === undefined) return events
  const advice = `It serves "${similar}": \`svc model set ${provider.name} ${similar}\`, or \`/model ${similar}\` in a conversation.`
  const failure = { ...last.failure, message: `${last.failure.message} ${advice}` }
  return [...events.slice(0, -1), { type: 'failed', failure }]
}

async function similarTo(
  ctx: PluginContext<unknown>,
  choice: { readonly provider: string; readonly model: string },
): Promise<string | undefined> {
  let similar: string | undefined
  const search = ctx
    .use(Models)
    .similar(choice)
    .then((found) => {
      similar = found
    })
    .catch((error: unknown) => logFault(ctx.log, `the models of ${choice.provider} could not be listed`, error))
  await waitAtMost(ctx.use(Clock), LIST_MS, search)
  return similar
}
