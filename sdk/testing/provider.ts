/** A model that says what the test scripted. */
import type { InlinePlugin } from 'svc'
import type { ImageContent, Message, ToolCall, Usage } from '../messages.ts'
import {
  type AnswerFormatSupport,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  Providers,
  type ServiceTier,
} from '../providers.ts'

/** One answer of the model: plain text, or more precisely. @since 0.1 */
export type ScriptedReply =
  | string
  | {
      readonly text?: string
      /** The text in these pieces instead. */
      readonly pieces?: readonly string[]
      readonly reasoning?: string
      readonly calls?: readonly (Partial<ToolCall> & { readonly name: string })[]
      /** Pictures that the model draws. */
      readonly images?: readonly ImageContent[]
      readonly usage?: Usage
      /** The tier that the service says it used. */
      readonly tier?: ServiceTier
      /** How the answer ends (default `stop`, or `tool-calls` with calls). */
      readonly end?: Extract<ModelEvent, { type: 'end' }>['reason']
      readonly failure?: Partial<ModelFailure> & { readonly kind: ModelFailure['kind'] }
      /** Waits for this before the first event. */
      readonly gate?: Promise<unknown>
    }

/** The plugin to hand to `testKernel({ with: [...] })`, and what it was asked. @since 0.1 */
export interface FakeProvider {
  readonly plugin: InlinePlugin
  readonly requests: readonly ModelRequest[]
}

/**
 * Contributes the provider `fake`, which gives the replies in order and then repeats the last. Configure it with
 * `model: { provider: 'fake', default: 'fake-1' }`. `script` may also be a function of the request. Like the services it
 * refuses, with status 400, a tool call without its result right behind it and a result without its call.
 * @since 0.1
 */
export function fakeProvider(
  script: readonly ScriptedReply[] | ((request: ModelRequest, call: number) => ScriptedReply),
  { formats, tiers }: { readonly formats?: AnswerFormatSupport; readonly tiers?: readonly ServiceTier[] } = {},
): FakeProvider {
  const requests: ModelRequest[] = []
  const replyTo = (request: ModelRequest): ScriptedReply => {
    const call = requests.push(request) - 1
    return typeof script === 'function' ? script(request, call) : (script[Math.min(call, script.length - 1)] ?? '')
  }
  const plugin: InlinePlugin = {
    name: 'fake-provider',
    kind: 'provider',
    contributes: { providers: ['fake'] },
    setup(ctx) {
      ctx.add(Providers, {
        name: 'fake',
        label: 'Scripted model',
        status: async () => ({ ready: true, detail: 'scripted' }),
        models: async () => [{ id: 'fake-1' }],
        ...(formats && { formats: () => formats }),
        ...(tiers && { tiers: () => tiers }),
        stream: (request) => {
          const reply = replyTo(request)
          const complaint = findComplaint(request.messages)
          return play(complaint === undefined ? reply : refusal(complaint), request, requests.length)
        },
      })
    },
  }
  return { plugin, requests }
}

function refusal(message: string): ScriptedReply {
  return { failure: { kind: 'invalid', status: 400, message } }
}

/** What services refuse in a conversation, whatever they are asked. */
function findComplaint(messages: readonly Message[]): string | undefined {
  const open = new Set<string>()
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.callId)) return `messages.${at}: the result of ${message.callId} has no call before it.`
      continue
    }
    if (open.size > 0) break
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) open.add(id)
  }
  return open.size > 0 ? `The calls ${[...open].join(', ')} have no results right behind them.` : undefined
}

async function* play(reply: ScriptedReply, request: ModelRequest, call: number): AsyncGenerator<ModelEvent> {
  const script = typeof reply === 'string' ? { text: reply } : reply
  if (script.gate) await Promise.race([script.gate, aborted(request.signal)])
  if (request.signal.aborted) {
    yield { type: 'failed', failure: { kind: 'aborted', message: 'interrupted', retryable: false } }
    return
  }
  if (script.reasoning) yield { type: 'reasoning', text: script.reasoning }
  yield* spoken(script)
  for (const [at, wanted] of (script.calls ?? []).entries())
    yield { type: 'tool-call', call: { id: `call_${call}_${at}`, input: {}, ...wanted } }
  if (script.failure) {
    yield { type: 'failed', failure: { message: script.failure.kind, retryable: false, ...script.failure } }
    return
  }
  const { usage = { input: 10, output: 5 }, tier } = script
  yield { type: 'usage', usage, ...(tier && { tier }) }
  yield { type: 'end', reason: script.end ?? (script.calls?.length ? 'tool-calls' : 'stop') }
}

/** Words, then pictures. */
function* spoken({ pieces, text, images = [] }: Exclude<ScriptedReply, string>): Generator<ModelEvent> {
  for (const piece of pieces ?? (text ? [text] : [])) yield { type: 'text', text: piece }
  for (const image of images) yield { type: 'image', image }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
