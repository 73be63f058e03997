/** The recorded model: gives back, call by call, what came off the wire then. */
import type { Agent, Models, ToolCall, TurnEvent } from 'svc/sdk'
import type { ModelEvent, ModelProvider } from 'svc/sdk/provider'
import { switchedTo } from './older.ts'
import type { Run } from './run.ts'
import type { Tape } from './tape.ts'

type ModelStart = Extract<TurnEvent, { type: 'model.start' }>

/** One model call, and its position on the tape. */
interface Recorded {
  readonly start: ModelStart
  readonly from: number
  readonly to: number
}

/** Stands in for the service `models`: chooses, and falls back to, whom the turn asked. */
export function recordedModels(run: Run, provider: (name: string) => ModelProvider): Models {
  const asked = run.events.filter((event): event is ModelStart => event.type === 'model.start')
  const { start } = run
  const others = new Map(
    asked
      .filter(({ provider: name, model }) => name !== start.provider || model !== start.model)
      .map((event) => [`${event.provider}/${event.model}`, event]),
  )
  const notices = run.events.slice(
    1,
    run.events.findIndex(({ type }) => type === 'model.start'),
  )
  const notes = notices.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  const choice = (name: string, model: string) =>
    ({ provider: provider(name), model, source: 'configured', notes }) as const
  return {
    choose: async () => choice(start.provider, start.model),
    fallbacks: async () => [...others.values()].map((event) => choice(event.provider, event.model)),
    list: async () => [],
    // What was recorded says it already.
    similar: async () => undefined,
    // No higher than in the turn: it raises the limit of a truncated answer up to the limit of the model.
    describe: ({ model }) => ({
      id: model,
      maxOutputTokens: Math.max(1, ...asked.map((each) => each.maxOutputTokens ?? 0)),
    }),
  }
}

/** Its label is only said when a turn falls back to it. */
export function recordedProvider(run: Run, tape: Tape, name: string, agent: () => Agent): ModelProvider {
  const calls = callsOn(tape)
  let next = 0
  return {
    name,
    label: findLabel(run, name),
    status: async () => ({ ready: true, detail: 'recorded' }),
    models: async () => [],
    async *stream({ signal }) {
      const call = calls.filter(({ start }) => start.provider === name)[next++]
      if (!call) return yield { type: 'failed', failure: { kind: 'unknown', message: BEYOND, retryable: false } }
      for (const [index, event] of rebuildEvents(run, tape, call)) {
        await tape.reached(index, signal)
        const isLast = event.type === 'end' || event.type === 'failed'
        for (const text of isLast ? tape.steersAt(index) : []) agent().steer(run.before.session.id, text)
        yield event
      }
    },
  }
}

const BEYOND = 'The replay asked the model once more than the recorded turn did.'

function callsOn(tape: Tape): Recorded[] {
  const starts = tape.events.flatMap((event, index) => (event.type === 'model.start' ? [{ start: event, index }] : []))
  return starts.map(({ start, index }, at) => ({
    start,
    from: index + 1,
    to: starts[at + 1]?.index ?? tape.events.length,
  }))
}

/** What the model sent, each with the place on the tape where it shows. */
function rebuildEvents(run: Run, tape: Tape, { from, to }: Recorded): [number, ModelEvent][] {
  const events = tape.events.slice(from, to)
  const ended = events.findIndex(({ type }) => type === 'model.end')
  const own = ended < 0 ? events : events.slice(0, ended + 1)
  const answer = findAnswer(run, tape, from, to)
  const sent: [number, ModelEvent][] = []
  for (const [offset, event] of own.entries()) {
    const index = from + offset
    if (event.type === 'message.delta') sent.push([index, { type: 'text', text: event.text }])
    else if (event.type === 'reasoning.delta') sent.push([index, { type: 'reasoning', text: event.text }])
    else if (event.type === 'image') sent.push([index, { type: 'image', image: event.image }])
    else if (event.type === 'usage') sent.push([index, { type: 'usage', usage: event.usage }])
    else if (event.type === 'model.end') sent.push(...createEndEvent(event, index, answer))
  }
  return run.isTrimmed && answer ? [...createWholeEvents(from, answer), ...sent] : sent
}

/** Text and reasoning of a turn whose deltas were dropped. */
function createWholeEvents(from: number, { text, reasoning }: Answered): [number, ModelEvent][] {
  return [
    ...(reasoning ? [[from, { type: 'reasoning', text: reasoning }] as [number, ModelEvent]] : []),
    ...(text ? [[from, { type: 'text', text }] as [number, ModelEvent]] : []),
  ]
}

type Answered = Extract<Run['messages'][number]['message'], { role: 'assistant' }>

/** The message that came of the call: it has the tool calls that began next, or was recorded between the call and the next one. */
function findAnswer(run: Run, tape: Tape, from: number, to: number): Answered | undefined {
  const answers = run.messages.flatMap(({ message, seq }) => (message.role === 'assistant' ? [{ message, seq }] : []))
  const begun = tape.events.slice(from, to).find((event) => event.type === 'tool.start' && !event.parent)
  const asked = begun?.type === 'tool.start' ? begun.callId : undefined
  const byCall = answers.find(({ message }) => message.toolCalls?.some(({ id }) => id === asked))
  if (byCall) return byCall.message
  const [first, beyond] = [tape.events[from - 1]?.seq ?? 0, tape.events[to]?.seq ?? Number.POSITIVE_INFINITY]
  // Several steps of a turn may be written at once: then all their messages have the last place.
  return answers.find(({ message, seq }) => seq >= first && seq < beyond && !isOfOther(tape, message, from, to))
    ?.message
}

/** Whether its calls began at another answer. */
function isOfOther(tape: Tape, { toolCalls = [] }: Answered, from: number, to: number): boolean {
  const ids = new Set(toolCalls.map(({ id }) => id))
  const at = tape.events.findIndex((event) => event.type === 'tool.start' && ids.has(event.callId))
  return at >= 0 && (at < from || at >= to)
}

function createEndEvent(
  { reason, failure, cutCalls = [] }: Extract<TurnEvent, { type: 'model.end' }>,
  index: number,
  answer: Answered | undefined,
): [number, ModelEvent][] {
  // A truncated call is not part of the conversation; only its name was recorded.
  const cut = cutCalls.map((name, at): ToolCall => ({ id: `cut_${at}`, name, input: '' }))
  const calls = [...(answer?.toolCalls ?? []), ...cut].map(
    (call) => [index, { type: 'tool-call', call }] as [number, ModelEvent],
  )
  if (reason === 'failed') return failure ? [[index, { type: 'failed', failure }]] : []
  return [...calls, [index, { type: 'end', reason, ...(answer?.carry && { carry: answer.carry }) }]]
}

/** As the notice of the switch has it. */
function findLabel({ events }: Run, name: string): string {
  const labels = events.flatMap((event, at) => {
    const before = events[at - 1]
    if (event.type !== 'model.start' || event.provider !== name || before?.type !== 'notice') return []
    return switchedTo(before) ?? []
  })
  return labels[0] ?? name
}
