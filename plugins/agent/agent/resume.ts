/** Resumes a turn whose process died, as far as the declared effects of its tools allow. */
import {
  Models,
  type PluginContext,
  Sessions,
  type ToolCall,
  type ToolResult,
  type TurnEndReason,
  type TurnEvent,
  type TurnOptions,
  type Usage,
} from 'svc/sdk'
import { type InterruptedTurn, totalUsage } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { findPerson, findTurnPerson } from './person.ts'
import { answerCalls, type RecoveredResult } from './tool-batch.ts'
import { type BegunTurn, createReference, createTurnContext, Turn } from './turn.ts'
import { collectTools, type TurnChannel } from './turn-start.ts'

const MAX_RESUMPTIONS = 2
const GO_ON = 'Your answer was cut off. Go on exactly where it stopped; repeat nothing.'

type Start = Extract<TurnEvent, { type: 'turn.start' }>

/** Undefined if there is nothing to do: the turn does not exist, or it was closed because it was resumed too often. */
export async function resumeTurn(
  ctx: PluginContext<Config>,
  sessionId: string,
  place: TurnChannel,
): Promise<BegunTurn | undefined> {
  const session = ctx.use(Sessions).open(sessionId)
  const left = session.takeOver()
  if (!left) return undefined
  const start = left.events.find((event): event is Start => event.type === 'turn.start')
  const attempt = left.events.filter(({ type }) => type === 'turn.resume').length + 1
  if (!start || attempt > MAX_RESUMPTIONS) {
    place.channel.push(session.abandon(left.turnId))
    return undefined
  }
  const options: TurnOptions = start.options ?? { surface: session.surface }
  const choice = await ctx.use(Models).choose({ provider: start.provider, model: start.model })
  const person = findPerson(ctx, sessionId, { signal: place.signal })
  const info = createTurnContext({ turnId: left.turnId, session, options }, createReference(choice), person)
  const tools = await collectTools(ctx, info, options.toolsets)
  const steps = left.events.filter(({ type }) => type === 'model.start').length
  const turn = new Turn({
    ...place,
    turnId: left.turnId,
    session,
    tools,
    choice,
    options,
    person: (made) => findTurnPerson(ctx, made),
    steps,
    usage: sumUsage(left.events),
  })
  turn.record([{ type: 'turn.resume', attempt }], [], 'beforeVisible')
  return { turn, text: start.text, isResumed: true, ...(await catchUp(ctx, turn, left)) }
}

function sumUsage(events: readonly TurnEvent[]): Usage {
  return events.reduce((sum, event) => (event.type === 'usage' ? totalUsage(sum, event.usage) : sum), {})
}

/** Brings the conversation to a point from which the model can be asked, or finds that the turn had its answer. */
async function catchUp(
  ctx: PluginContext<Config>,
  turn: Turn,
  left: InterruptedTurn,
): Promise<{ readonly ended?: TurnEndReason }> {
  const last = left.messages.findLast(({ role }) => role !== 'tool')
  const cut = cutText(left.events)
  if (cut && turn.options.format === undefined) {
    const said = { role: 'assistant', text: cut } as const
    turn.record([{ type: 'message.complete', text: cut }], [said, { role: 'user', text: GO_ON }], 'beforeVisible')
    return {}
  }
  if (last?.role !== 'assistant') return {}
  const calls = openCalls(left, last.toolCalls ?? [])
  if (!last.toolCalls?.length) {
    turn.answer = last.text
    return { ended: 'completed' }
  }
  if (calls.length > 0) await answerCalls(ctx, turn, calls, traces(left.events), collectIntents(left.events))
  return turn.signal.aborted ? { ended: 'interrupted' } : {}
}

/** Text that was shown and is not yet part of the conversation. */
function cutText(events: readonly TurnEvent[]): string {
  const from = events.findLastIndex(
    ({ type }) => type === 'model.start' || type === 'message.complete' || type === 'tool.start',
  )
  return events
    .slice(from + 1)
    .map((event) => (event.type === 'message.delta' ? event.text : ''))
    .join('')
}

function openCalls({ messages }: InterruptedTurn, calls: readonly ToolCall[]): readonly ToolCall[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  return calls.filter(({ id }) => !answered.has(id))
}

/** The input of each call as people were shown it last. */
function collectIntents(events: readonly TurnEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap((event) =>
      event.type === 'tool.start' ? [[event.callId, JSON.stringify(event.input)] as const] : [],
    ),
  )
}

/** What became of each call: its result, or only that it had begun. */
function traces(events: readonly TurnEvent[]): ReadonlyMap<string, RecoveredResult> {
  const found = new Map<string, RecoveredResult>()
  for (const event of events) {
    if (event.type === 'tool.running') found.set(event.callId, 'begun')
    if (event.type !== 'tool.complete') continue
    const { text, data, images, ok } = event
    const result: ToolResult = {
      text,
      ...(data !== undefined && { data }),
      ...(images && { images }),
      ...(!ok && { failed: true }),
    }
    found.set(event.callId, result)
  }
  return found
}
