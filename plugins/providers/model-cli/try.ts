/** One short question to a model: for `svc model test`, and for `/connect` to see that a key is accepted. */
import { type CliArguments, type CliContext, Clock, Models, type PluginContext, type Usage } from 'svc/sdk'
import type { ModelChoice, ModelEvent, ModelFailure } from 'svc/sdk/provider'
import { ModelCalls } from 'svc/sdk/sessions'

const QUESTION = 'Answer with one word: ready'
/** Enough for models that think before they say a word. */
const MAX_OUTPUT_TOKENS = 1024

/** What came of a question. */
export interface Outcome {
  readonly text: string
  readonly firstMs: number | undefined
  readonly totalMs: number
  readonly usage: Usage | undefined
  readonly failure: ModelFailure | undefined
}

/** Prints the answer and the time it took; exit code 1 with the reason when the call failed. */
export async function tryModel(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const choice = await ctx.use(Models).choose({
    ...(typeof options['provider'] === 'string' ? { provider: options['provider'] } : {}),
    ...(typeof options['model'] === 'string' ? { model: options['model'] } : {}),
  })
  const outcome = await askModel(ctx, choice, { signal: io.signal, maxOutputTokens: MAX_OUTPUT_TOKENS })
  if (options['json'] === true) {
    const { provider, model } = choice
    io.out(`${JSON.stringify({ provider: provider.name, model, ok: !outcome.failure, ...outcome }, undefined, 2)}\n`)
  } else say(choice, outcome, io)
  return outcome.failure ? 1 : 0
}

function say({ provider, model }: ModelChoice, outcome: Outcome, io: CliContext): void {
  const { text, firstMs, totalMs, usage, failure } = outcome
  if (failure) {
    io.err(`${provider.name} ${model}: ${failure.message}\n`)
    return
  }
  const tokens = usage ? `, ${usage.input ?? '?'} tokens in, ${usage.output ?? '?'} out` : ''
  const first = firstMs === undefined ? '' : `, the first word after ${Math.round(firstMs)} ms`
  io.out(`${provider.name} ${model} answered in ${Math.round(totalMs)} ms${first}${tokens}:\n`)
  io.out(`${text.trim() === '' ? '(nothing)' : text.trim()}\n`)
}

/** One short question. Throws what `ModelCalls.begin` throws; a failed call is part of the outcome. */
export async function askModel(
  ctx: PluginContext<undefined>,
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
  { signal, maxOutputTokens }: { readonly signal: AbortSignal; readonly maxOutputTokens: number },
): Promise<Outcome> {
  const clock = ctx.use(Clock)
  const start = clock.monotonic()
  const events: ModelEvent[] = []
  let firstMs: number | undefined
  const messages = [{ role: 'user', text: QUESTION }] as const
  const request = { model, messages, tools: [], signal, maxOutputTokens }
  const estimate = { inputTokens: QUESTION.length, outputTokens: maxOutputTokens }
  const findFailure = () => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : [])).at(-1)
  const call = await ctx.use(ModelCalls).begin({ provider, request, spender: { purpose: 'test' }, estimate })
  try {
    for await (const batch of call.events) {
      firstMs ??= clock.monotonic() - start
      events.push(...[batch].flat())
    }
    for (const event of events) if (event.type === 'usage') call.settle(event.usage, event.tier)
  } finally {
    call.end(findFailure())
  }
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  const usage = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : [])).at(-1)
  const failure = findFailure()
  return { text, firstMs, totalMs: clock.monotonic() - start, usage, failure }
}
