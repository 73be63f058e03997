/** The check of a key by a question of a few tokens, for services that do not list their models. */
import { errorMessage, logFault, Models, type PluginContext } from 'svc/sdk'
import { type ModelFailure, type ModelProvider, Providers } from 'svc/sdk/provider'
import { ModelCalls } from 'svc/sdk/sessions'

const QUESTION = 'Answer with one word: ready'
/** OpenAI's Responses API refuses less. */
const MAX_OUTPUT_TOKENS = 16

/** What the service made of the question. */
export interface Verdict {
  readonly model: string
  /** Why there was no answer; undefined when there was one, also one that was cut. */
  readonly failure?: Pick<ModelFailure, 'message'> & { readonly kind?: ModelFailure['kind'] }
}

/** Asks `model`, or the one that the config names for this provider; undefined if no model is configured. */
export async function askQuestion(
  ctx: PluginContext<undefined>,
  provider: ModelProvider,
  { model: wanted, signal }: { readonly model?: string; readonly signal: AbortSignal },
): Promise<Verdict | undefined> {
  const model = wanted ?? (await configuredModel(ctx, provider))
  if (model === undefined) return undefined
  const messages = [{ role: 'user', text: QUESTION }] as const
  const request = { model, messages, tools: [], signal, maxOutputTokens: MAX_OUTPUT_TOKENS }
  const estimate = { inputTokens: QUESTION.length, outputTokens: MAX_OUTPUT_TOKENS }
  try {
    const call = await ctx.use(ModelCalls).begin({ provider, request, spender: { purpose: 'test' }, estimate })
    let failure: ModelFailure | undefined
    try {
      for await (const batch of call.events)
        for (const event of [batch].flat()) {
          if (event.type === 'usage') call.settle(event.usage, event.tier)
          if (event.type === 'failed') failure ??= event.failure
        }
    } finally {
      call.end(failure)
    }
    if (failure) return { model, failure }
  } catch (error) {
    logFault(ctx.log, `the provider ${provider.name} failed`, error, ctx.all(Providers).owner(provider.name))
    return { model, failure: { message: errorMessage(error) } }
  }
  return { model }
}

async function configuredModel(ctx: PluginContext<undefined>, provider: ModelProvider): Promise<string | undefined> {
  try {
    return (await ctx.use(Models).choose({ provider: provider.name })).model
  } catch {
    return undefined
  }
}
