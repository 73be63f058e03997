/** What becomes of a turn whose process died: what was shown is kept, and the conversation stays valid. */
import type { Message, ToolCall, TurnEvent, TurnEventData, Usage } from 'svc/sdk'
import { totalUsage } from 'svc/sdk/sessions'
import type { StoredMessage } from './journal.ts'

/** What a crashed turn left behind. */
export interface Remains {
  readonly events: readonly TurnEvent[]
  readonly messages: readonly StoredMessage[]
}

/** What closes it. */
export interface Closing {
  readonly events: readonly TurnEventData[]
  readonly messages: readonly Message[]
}

const cutMark = '\n\n[This answer was cut off: svc stopped while it was being written.]'
const unknownEffect =
  'svc stopped while this tool was running. Whether it took effect is unknown: check before you run it again.'
const neverBegun = 'svc stopped before this tool answered. It did not run, or only looked: it had no effect.'
const explanation =
  'svc stopped in the middle of this turn. What was shown is kept; ask again to continue, and check first what an unfinished tool has done.'

/**
 * Answers every tool call that has no answer, makes an assistant message of text and calls that were shown but not
 * yet part of the conversation, and ends the turn as `crashed`. `usage` events are taken as one per model call.
 */
export function closeCrashed({ events, messages }: Remains): Closing {
  const tools = traceTools(events)
  const stored = listToolCalls(messages)
  const answered = new Set(messages.flatMap(({ message }) => (message.role === 'tool' ? [message.callId] : [])))
  const known = new Set(stored.map((call) => call.id))
  const unstored = [...tools.started.values()].filter((call) => !known.has(call.id) && !answered.has(call.id))
  const answer = (call: ToolCall): Message => ({ role: 'tool', callId: call.id, text: answerFor(call, tools) })
  const rest = unstoredAnswer({ events, messages })
  const hasRest = rest.text !== '' || unstored.length > 0
  return {
    messages: [
      ...stored.filter((call) => !answered.has(call.id)).map(answer),
      ...(hasRest ? [assistantMessage(rest, unstored)] : []),
      ...unstored.map(answer),
    ],
    events: [
      ...[...tools.started.values()]
        .filter((call) => !tools.completed.has(call.id))
        .map((call) => cutTool(call, tools)),
      ...(rest.isCut ? [{ type: 'message.complete' as const, text: rest.text }] : []),
      { type: 'error', code: 'TURN_CRASHED', message: explanation },
      { type: 'turn.end', reason: 'crashed', usage: sumUsage(events) },
    ],
  }
}

interface ToolTraces {
  readonly started: ReadonlyMap<string, ToolCall>
  /** Calls that may have had an effect. */
  readonly running: ReadonlySet<string>
  /** What the tools answered, by call. */
  readonly completed: ReadonlyMap<string, string>
}

function traceTools(events: readonly TurnEvent[]): ToolTraces {
  const started = new Map<string, ToolCall>()
  const completed = new Map<string, string>()
  const running = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool.running') running.add(event.callId)
    if (event.type === 'tool.start' && !event.parent) {
      started.set(event.callId, { id: event.callId, name: event.name, input: event.input })
    }
    if (event.type === 'tool.complete') completed.set(event.callId, event.text)
  }
  return { started, completed, running }
}

function listToolCalls(messages: readonly StoredMessage[]): ToolCall[] {
  return messages.flatMap(({ message }) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
}

function answerFor(call: ToolCall, { completed, running }: ToolTraces): string {
  return completed.get(call.id) ?? (running.has(call.id) ? unknownEffect : neverBegun)
}

function cutTool(call: ToolCall, tools: ToolTraces): TurnEventData {
  return { type: 'tool.complete', callId: call.id, name: call.name, ok: false, text: answerFor(call, tools) }
}

interface Rest {
  readonly text: string
  readonly reasoning: string
  /** The text ends where the process died. */
  readonly isCut: boolean
}

/** What was shown after the last assistant message that is part of the conversation. */
function unstoredAnswer({ events, messages }: Remains): Rest {
  const stored = messages.findLast(({ message }) => message.role === 'assistant')?.seq ?? 0
  let [complete, open, reasoning] = ['', '', '']
  for (const event of events) {
    if (event.seq <= stored) continue
    if (event.type === 'reasoning.delta') reasoning += event.text
    if (event.type === 'message.delta') open += event.text
    if (event.type === 'message.complete') [complete, open] = [complete + event.text, '']
  }
  return { text: complete + (open && open + cutMark), reasoning, isCut: open !== '' }
}

function assistantMessage({ text, reasoning }: Rest, calls: readonly ToolCall[]): Message {
  return {
    role: 'assistant',
    text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(reasoning && { reasoning }),
  }
}

function sumUsage(events: readonly TurnEvent[]): Usage {
  return events.reduce((sum, event) => (event.type === 'usage' ? totalUsage(sum, event.usage) : sum), {})
}
