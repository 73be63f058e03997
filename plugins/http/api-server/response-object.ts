/** A response as clients get it: every member of the public object, with what the request said where it is only echoed. */
import { Clock, type Random, type TurnEvent } from 'svc/sdk'
import type { ApiItem } from 'svc/sdk/web'
import { z } from 'zod'
import { AnswerOnly } from './answer-only.ts'
import { type Api, chooseModelName, clientFields, flag, isOff, wants } from './api.ts'
import { seconds } from './envelope.ts'
import type { ParsedInput } from './input.ts'
import { type Item, Output } from './output.ts'
import { chainBody, chainName } from './session-chain.ts'
import type { EndedResponse, StoredResponse } from './store.ts'
import { type Begun, formatTokenCounts } from './turns.ts'

export const responseBody = chainBody.extend({
  store: flag.nullish().meta({ description: 'Whether the response is stored, to be retrieved and continued (true).' }),
  stream: flag.nullish(),
  background: flag.nullish().meta({ description: 'Whether it continues without its client; retrieve it by its id.' }),
  metadata: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Echoed.' }),
  svc: clientFields,
})
export type ResponseBody = z.infer<typeof responseBody>

/** One response under way. */
export interface Answer extends Begun {
  readonly api: Api
  readonly id: string
  readonly scope: string
  readonly said: ParsedInput
  readonly body: ResponseBody
  readonly createdAt: number
  readonly output: Output
  /** What was said, as it can be asked for. */
  readonly input: readonly ApiItem[]
  /** It was cancelled. */
  isStopped(): boolean
}

export type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export function getResponseStatus({ output, isStopped }: Pick<Answer, 'output' | 'isStopped'>): Status {
  const { reason, error, isCut } = output.outcome
  if (isStopped() && reason !== 'completed') return 'cancelled'
  if (error || reason === 'failed' || reason === 'crashed') return 'failed'
  return reason === 'completed' && !isCut ? 'completed' : 'incomplete'
}

/** A response that was only prepared has no session yet. */
type ResponseFacts = Pick<Answer, 'api' | 'id' | 'body' | 'createdAt' | 'output'> & {
  readonly sessionId: string | null
  readonly turnId: string | null
}

export function createResponseObject(answer: ResponseFacts, status: Status): object {
  const { api, id, body, createdAt, sessionId, turnId } = answer
  const conversation = chainName(body)
  return {
    id,
    object: 'response',
    created_at: createdAt,
    background: wants(body.background),
    model: chooseModelName(api, body.model),
    instructions: body.instructions ?? null,
    previous_response_id: body.previous_response_id ?? null,
    conversation: conversation === undefined ? null : { id: conversation },
    store: !isOff(body.store),
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    ...echoParameters(body),
    ...createProgressFields(answer, status, seconds(api.ctx.use(Clock).now())),
    svc: { session_id: sessionId, turn_id: turnId },
  }
}

/** What changes until the end. */
function createProgressFields({ output }: Pick<Answer, 'output'>, status: Status, now: number): object {
  const { error, usage, isCut } = output.outcome
  const isOver = status !== 'in_progress'
  return {
    status,
    completed_at: status === 'completed' ? now : null,
    output: output.items(isOver),
    error: status === 'failed' ? { code: 'server_error', message: error?.message ?? 'The turn failed.' } : null,
    incomplete_details: status === 'incomplete' ? { reason: isCut ? 'max_output_tokens' : 'interrupted' } : null,
    usage: isOver
      ? {
          ...formatTokenCounts(usage),
          input_tokens_details: { cached_tokens: usage.cachedInput ?? 0 },
          output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
        }
      : null,
  }
}

/** Parameters that the agent decides are echoed as the client sent them, or with the defaults of the public API. */
function echoParameters(body: Readonly<Record<string, unknown>>): object {
  const number = (name: string, standard: number | null) =>
    typeof body[name] === 'number' ? (body[name] as number) : standard
  const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : null)
  const fields = (name: string) => (typeof body[name] === 'object' ? (body[name] as object | null) : null)
  return {
    metadata: fields('metadata') ?? {},
    temperature: number('temperature', 1),
    top_p: number('top_p', 1),
    presence_penalty: number('presence_penalty', 0),
    frequency_penalty: number('frequency_penalty', 0),
    top_logprobs: number('top_logprobs', 0),
    max_output_tokens: number('max_output_tokens', null),
    max_tool_calls: number('max_tool_calls', null),
    reasoning: { effort: null, summary: null, ...fields('reasoning') },
    text: { format: { type: 'text' }, ...fields('text') },
    truncation: body['truncation'] === 'auto' ? 'auto' : 'disabled',
    service_tier: 'default',
    safety_identifier: text('safety_identifier'),
    prompt_cache_key: text('prompt_cache_key'),
    user: text('user'),
  }
}

/** What is kept of a finished one: where its chain continues, and its messages. */
export function createEndedResponse(answer: Answer, response: object): EndedResponse {
  const { id, sessionId, body, output } = answer
  const { seq } = output.outcome
  return {
    id,
    sessionId,
    seq,
    data: JSON.stringify(response),
    name: chainName(body),
    texts: collectTexts(output.items(true)),
  }
}

/** A response that was interrupted by a server stop, with the results of its turn so far. */
export function recoverResponse(
  { id, sessionId, data }: StoredResponse,
  events: readonly TurnEvent[],
  { random, mask, now }: { readonly random: Random; readonly mask: (text: string) => string; readonly now: number },
): EndedResponse {
  const begun = JSON.parse(data) as {
    conversation?: { id: string } | null
    text?: { format?: { type: string } }
    svc?: { turn_id?: string }
  }
  const output = new Output(random, mask)
  const answer = (begun.text?.format?.type ?? 'text') !== 'text' ? new AnswerOnly() : undefined
  const mine = events.filter(({ turnId }) => turnId === begun.svc?.turn_id)
  for (const event of mine.flatMap((each) => answer?.take(each) ?? [each])) for (const _ of output.take(event)) void _
  const { reason } = output.outcome
  const status =
    reason === undefined || reason === 'crashed' ? 'incomplete' : getResponseStatus({ output, isStopped: () => false })
  if (status !== 'incomplete') for (const _ of output.close()) void _
  return {
    id,
    sessionId,
    seq: events.at(-1)?.seq ?? 0,
    data: JSON.stringify({ ...begun, ...createProgressFields({ output }, status, seconds(now)) }),
    name: begun.conversation?.id,
    texts: collectTexts(output.items(true)),
  }
}

function collectTexts(items: readonly Item[]): ReadonlyMap<string, string> {
  const said = items.filter(({ type }) => type === 'message') as unknown as {
    readonly id: string
    readonly content: readonly { readonly text: string }[]
  }[]
  return new Map(said.map(({ id, content }) => [id, content.map(({ text }) => text).join('\n')]))
}
