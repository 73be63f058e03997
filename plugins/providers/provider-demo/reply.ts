/** What the demo does next in a conversation: the tool calls of the next step, or its answer. */
import type { Message, ToolCall } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { stripUntrustedMark } from 'svc/sdk/safety'
import { answer, callFor, isIntroduction, isOffered } from './answers.ts'
import type { Intent } from './intent.ts'
import { readSteps } from './intents.ts'

/** One of both is empty. */
export interface Reply {
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/** The calls of the next step, or the answer when all steps are done. */
export function reply(request: ModelRequest, now: () => number): Reply {
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
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.callId, stripUntrustedMark(message.text)]] : [],
    ),
  )
  const called = messages.flatMap((message) =>
    message.role === 'assistant' && message.toolCalls?.length ? [message.toolCalls] : [],
  )
  return { rounds: called.length, texts: called.flat().map(({ id }) => texts.get(id) ?? '') }
}
