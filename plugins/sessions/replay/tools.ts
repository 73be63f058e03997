/** The recorded tools: nothing is run, and every result comes as and when it came then. */
import type {
  Agent,
  Schema,
  SchemaResult,
  Tool,
  ToolCallEvent,
  ToolContext,
  ToolDecision,
  ToolRefusal,
  ToolResult,
  TurnEvent,
} from 'svc/sdk'
import type { ToolDefinition } from 'svc/sdk/provider'
import { readRefusal } from './older.ts'
import type { Run } from './run.ts'
import type { Tape } from './tape.ts'

type StartEvent = Extract<TurnEvent, { type: 'tool.start' }>

/** Dependencies of replayed tools besides the tape. */
export interface Player {
  readonly run: Run
  readonly tape: Tape
  readonly agent: () => Agent
}

/** The tools that were sent to the model, and other tools that were called. */
export function recordedTools(player: Player): Tool[] {
  const { run } = player
  const told = new Map(run.tools.map((definition) => [definition.name, definition]))
  for (const event of run.events)
    if (event.type === 'tool.start' && !event.parent && !told.has(event.name) && wasRun(player, event))
      told.set(event.name, { name: event.name, description: '', parameters: {} })
  return [...told.values()].map((definition) => recordedTool(player, definition))
}

/** The agent itself answered a call to an unknown tool. */
function wasRun({ tape }: Player, { callId }: StartEvent): boolean {
  const done = tape.events[tape.indexOf('tool.complete', callId)]
  return done?.type === 'tool.complete' && readRefusal(done)?.kind !== 'unknown-tool'
}

function recordedTool(player: Player, { name, description, parameters }: ToolDefinition): Tool {
  const { tape, run } = player
  const hadEffect = tape.events.some(
    (event) => event.type === 'tool.running' && findStart(tape, event.callId)?.name === name,
  )
  return {
    name,
    description,
    input: recordedSchema(player, name, parameters),
    effect: hadEffect ? 'idempotent' : 'pure',
    toolset: 'recorded',
    reach: 'nothing',
    // The tape knows what ran side by side: calls wait for their place on it.
    parallel: true,
    redirect: (input) => {
      const call = run.messages.flatMap(({ message }) =>
        message.role === 'assistant' ? (message.toolCalls ?? []) : [],
      )
      const same = call.find((one) => one.name === name && isSame(one.input, input))
      const start = same && findStart(tape, same.id)
      return start && start.name !== name && wasRun(player, start)
        ? { name: start.name, input: start.input }
        : undefined
    },
    run: (_, turn) => play(player, turn),
  }
}

const isSame = (one: unknown, two: unknown) => JSON.stringify(one) === JSON.stringify(two)

/**
 * Accepts all, but refuses what was refused then, in the same words. The agent asks a second time, with arguments that it
 * mended by the schema: those stand in no recorded call.
 */
function recordedSchema({ tape }: Player, name: string, parameters: Record<string, unknown>): Schema<unknown> {
  let refused: SchemaResult<unknown> | undefined
  const validate = (input: unknown): SchemaResult<unknown> => {
    const isCalled = tape.events.some(
      (event) => event.type === 'tool.start' && event.name === name && isSame(event.input, input),
    )
    const again = isCalled ? undefined : refused
    refused = isCalled ? findRecordedRefusal(tape, name, input) : undefined
    return again ?? refused ?? { value: input }
  }
  const json = () => parameters
  return {
    '~standard': { version: 1, vendor: 'svc', validate, jsonSchema: { input: json, output: json } },
  } as unknown as Schema<unknown>
}

/** What the schema of the tool said of these arguments; undefined when it had nothing against them. */
function findRecordedRefusal(tape: Tape, name: string, input: unknown): SchemaResult<unknown> | undefined {
  for (const event of tape.events) {
    if (event.type !== 'tool.complete' || event.name !== name) continue
    const refusal = readRefusal(event)
    if (refusal?.kind !== 'arguments' || !refusal.issues?.length) continue
    if (isSame(findStart(tape, event.callId)?.input, input))
      return { issues: refusal.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] })) }
  }
  return undefined
}

function findStart(tape: Tape, callId: string): StartEvent | undefined {
  return tape.events.find((event): event is StartEvent => event.type === 'tool.start' && event.callId === callId)
}

/** Why a call was not allowed; undefined if it was, or did not run for another reason. */
export function recordedDenial(tape: Tape, callId: string): Extract<ToolRefusal, { kind: 'denied' }> | undefined {
  const done = tape.events[tape.indexOf('tool.complete', callId)]
  const refusal = done?.type === 'tool.complete' ? readRefusal(done) : undefined
  return refusal?.kind === 'denied' ? refusal : undefined
}

/** The gate: says what was said, and holds a call until its turn comes. */
export async function recordedVerdict({ tape }: Player, { turn }: ToolCallEvent): Promise<ToolDecision | undefined> {
  const { callId, signal } = turn
  const from = tape.events.findIndex((event) => event.type === 'tool.start' && event.callId === callId)
  const begun = tape.indexOf('tool.running', callId)
  const over = tape.indexOf('tool.complete', callId)
  const until = begun < 0 ? over : begun
  const denied = begun < 0 ? recordedDenial(tape, callId)?.reason : undefined
  if (begun >= 0 || denied !== undefined) {
    await sayAsides(tape, from + 1, until, turn)
    await tape.reached(until, signal)
  }
  // Like an answer of a person: the recorded text, without the name of a plugin.
  return denied === undefined ? undefined : { decision: 'ask', question: { reason: denied } }
}

async function play({ run, tape, agent }: Player, turn: ToolContext): Promise<ToolResult> {
  const { callId, signal } = turn
  const begun = tape.indexOf('tool.running', callId)
  const from =
    begun < 0 ? tape.events.findIndex((event) => event.type === 'tool.start' && event.callId === callId) : begun
  const over = tape.indexOf('tool.complete', callId)
  const done = tape.events[over]
  if (done?.type !== 'tool.complete') return { text: 'The recorded turn has no result of this call.', failed: true }
  await sayAsides(tape, from + 1, over, turn)
  await tape.reached(over, signal)
  for (const text of tape.steersAt(over)) agent().steer(run.before.session.id, text)
  if (isStopped(run, tape, over)) agent().interrupt(run.before.session.id)
  const { text, data, images, files, ok } = done
  return {
    text,
    ...(data !== undefined && { data }),
    ...(images && { images }),
    ...(files && { files }),
    ...(!ok && { failed: true }),
  }
}

/** The user stopped the turn while this call was the last that ran. */
function isStopped({ events }: Run, tape: Tape, over: number): boolean {
  const end = events.at(-1)
  if (end?.type !== 'turn.end' || end.reason !== 'interrupted') return false
  const rest = tape.events.slice(over + 1, -1)
  return rest.every((event) => event.type === 'tool.complete' && readRefusal(event)?.kind === 'interrupted')
}

async function sayAsides(tape: Tape, from: number, to: number, turn: ToolContext): Promise<void> {
  for (const { index, event } of tape.asides(from, to, turn.callId)) {
    await tape.reached(index, turn.signal)
    const { sessionId: _, turnId: __, seq: ___, ...body } = event
    turn.emit(body as Parameters<ToolContext['emit']>[0])
  }
}
