/**
 * Windows made short (https://platform.openai.com/docs/api-reference/responses/compact), and their size. A client sends the
 * output of a compaction as the beginning of its next input: the `compaction` item holds the whole window, and what stands
 * before it in an input is what it was made of.
 */
import { Clock, errorCode, type Message, Random, Sessions, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Compaction, isConversationSummary } from 'svc/sdk/sessions'
import { type ApiItem, type ApiRequest, type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import type { Api } from './api.ts'
import { createFieldError, seconds } from './envelope.ts'
import { chainName, readPastMessages, storedResponse } from './session-chain.ts'
import { windowItem } from './window-item.ts'

export const windowBody = z.looseObject({
  model: z.string().nullish(),
  input: z
    .union([z.string(), z.array(z.unknown())])
    .nullish()
    .meta({ description: 'The conversation so far.' }),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish().meta({ description: 'A response whose chain comes before the input.' }),
  conversation: z
    .union([z.string(), z.looseObject({ id: z.string() })])
    .nullish()
    .meta({ description: 'A conversation that comes before the input.' }),
})
type Request = ApiRequest<unknown, z.infer<typeof windowBody>>

/** POST /v1/responses/compact. */
export async function compact(api: Api, request: Request): Promise<HttpResponse> {
  const { ctx } = api
  const { messages, sessionId } = await readWindow(api, request)
  if (messages.length === 0) throw createFieldError('input', 'There is nothing to compact: input is missing.')
  const random = ctx.use(Random)
  const spender = sessionId ?? `api-compact-${random.hex(8)}`
  const short = await shortenWindow(await loadCompression(api), messages, { spender, signal: request.signal })
  const said = short.filter((message) => message.role === 'user' && !isConversationSummary(message))
  const [before, after] = await Promise.all([messages, short].map((each) => countTokens(api, each)))
  return jsonResponse({
    id: `resp_${random.hex(14)}`,
    object: 'response.compaction',
    created_at: seconds(ctx.use(Clock).now()),
    output: [...said.map((message) => userItem(message, random)), windowItem(short, random)],
    usage: {
      input_tokens: before,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: after,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: (before ?? 0) + (after ?? 0),
    },
  })
}

/** POST /v1/responses/input_tokens. */
export async function countInput(api: Api, request: Request): Promise<HttpResponse> {
  const { messages } = await readWindow(api, request)
  const { instructions } = request.body
  const all: Message[] = [...(instructions ? [{ role: 'system', text: instructions } as const] : []), ...messages]
  return jsonResponse({ object: 'response.input_tokens', input_tokens: await countTokens(api, all) })
}

async function readWindow(
  api: Api,
  { http, body, scope, signal }: Request,
): Promise<{ readonly messages: readonly Message[]; readonly sessionId?: string }> {
  const input = await readPastMessages(api, body, scope, signal)
  const named = chainName(body)
  const previous = body.previous_response_id ?? (named === undefined ? undefined : api.store.named(scope, named))
  if (!previous) return { messages: input }
  const { sessionId, seq } = storedResponse(api, http, previous)
  const archive = api.ctx.use(Sessions).export(sessionId)
  const isLatest = (archive.events.at(-1)?.seq ?? 0) <= seq
  const before = isLatest
    ? api.ctx.use(Sessions).open(sessionId).messages()
    : archive.messages.filter((entry) => entry.seq <= seq).map(({ message }) => message)
  return { messages: [...before, ...input], sessionId }
}

async function loadCompression({ ctx }: Api): Promise<Compaction> {
  const compression = await ctx.use(Plugins).bring(Compaction)
  if (compression) return compression
  throw new SvcError('API_NOT_SERVED', 'The plugin compression is off, so nothing can be compacted.', { status: 404 })
}

async function countTokens(api: Api, messages: readonly Message[]): Promise<number> {
  return (await loadCompression(api)).tokens(messages)
}

/** A window that is short already stays as it is. */
async function shortenWindow(
  compression: Compaction,
  messages: readonly Message[],
  options: Parameters<Compaction['shorten']>[1],
): Promise<readonly Message[]> {
  try {
    return (await compression.shorten(messages, options)).messages
  } catch (error) {
    if (errorCode(error) === 'COMPRESSION_NOTHING') return messages
    throw error
  }
}

function userItem({ text }: Message, random: Random): ApiItem {
  const content = [{ type: 'input_text', text }]
  return { id: `msg_${random.hex(14)}`, type: 'message', role: 'user', status: 'completed', content }
}
