/** The provider `demo`: a model whose answers are a script, and whose tool calls are real. */
import {
  errorMessage,
  type Message,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
  type ToolCall,
} from 'svc/sdk'
import { answer, callFor, isIntroduction, isOffered } from './answers.ts'
import type { Intent } from './intent.ts'
import { readSteps } from './intents.ts'

/** Characters of one piece of the stream, about. */
const PIECE = 24
/** A rough measure: there is no tokenizer, because there is no model. */
const CHARACTERS_PER_TOKEN = 4

/** Makes the provider. `now` gives milliseconds since 1970. */
export function demoProvider(now: () => number): ModelProvider {
  return {
    name: 'demo',
    label: 'Scripted demo (no AI)',
    status: async () => ({ ready: true, detail: 'always there, works offline' }),
    models: async () => [{ id: 'demo', label: 'Scripted demo' }],
    stream: (request) => stream(request, now),
  }
}

async function* stream(request: ModelRequest, now: () => number): AsyncGenerator<ModelEvent> {
  try {
    const { text, calls } = reply(request, now)
    for (const piece of pieces(text)) {
      if (request.signal.aborted) return yield aborted()
      yield { type: 'text', text: piece }
    }
    if (request.signal.aborted) return yield aborted()
    for (const call of calls) yield { type: 'tool-call', call }
    yield { type: 'usage', usage: { input: tokens(request.messages), output: tokens([text, calls]) } }
    yield { type: 'end', reason: calls.length > 0 ? 'tool-calls' : 'stop' }
  } catch (error) {
    const message = `The demo model failed: ${errorMessage(error)}`
    yield { type: 'failed', failure: { kind: 'unknown', message, retryable: false } }
  }
}

/** The calls of the next step, or the answer when all steps are done. */
function reply(request: ModelRequest, now: () => number): { text: string; calls: readonly ToolCall[] } {
  const at = request.messages.findLastIndex(({ role }) => role === 'user')
  const asked = request.messages[at]?.text ?? ''
  const steps = readSteps(asked).map((step) =>
    step.map((intent) => ({ intent, needsTool: needsTool(intent, request) })),
  )
  const results = resultsSince(request.messages.slice(at + 1))
  const next = steps.filter((step) => step.some(({ needsTool }) => needsTool))[results.rounds]
  const wanted = (next ?? []).filter(({ needsTool }) => needsTool).map(({ intent }) => intent)
  if (wanted.length > 0) {
    const calls = wanted.flatMap((intent) => callFor(intent) ?? [])
    return {
      text: '',
      calls: calls.map((call, index) => ({ id: `demo-${request.messages.length}-${index}`, ...call })),
    }
  }
  const texts = results.texts[Symbol.iterator]()
  const done = steps.flat().map(({ intent, needsTool }) => ({
    intent,
    result: needsTool ? (texts.next().value ?? '') : undefined,
  }))
  const known = request.messages.slice(0, at).some(({ role, text }) => role === 'assistant' && isIntroduction(text))
  return { text: answer(done, { now: now(), known }), calls: [] }
}

function needsTool(intent: Intent, request: ModelRequest): boolean {
  return callFor(intent) !== undefined && isOffered(intent, request.tools)
}

/** How many answers with calls there were, and the results of those calls in their order. */
function resultsSince(messages: readonly Message[]): { rounds: number; texts: readonly string[] } {
  const texts = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.text]] : [])),
  )
  const called = messages.flatMap((message) =>
    message.role === 'assistant' && message.toolCalls?.length ? [message.toolCalls] : [],
  )
  return { rounds: called.length, texts: called.flat().map(({ id }) => texts.get(id) ?? '') }
}

/** The text in pieces of a few words; no character is torn apart. */
function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}(?:(?<=\\s)|(?=\\s)|$)|[^]{1,${PIECE}}`, 'gu')) ?? []
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
}

function aborted(): ModelEvent {
  return { type: 'failed', failure: { kind: 'aborted', message: 'interrupted', retryable: false } }
}
