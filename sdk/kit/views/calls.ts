/**
 * Calls of tools as front ends keep and show them: one reducer over the events of a turn, and the facts of a line. A chat, the
 * plain conversation and the full screen differ only in how they draw a line.
 */

import type { DisplaySettings } from '../../display.ts'
import { formatDuration } from '../../figures.ts'
import type { ToolCallDisplay, ToolCallView } from '../../tool-view.ts'
import type { TurnEvent } from '../../turn-events.ts'
import { stripUntrustedMark } from '../../untrusted.ts'
import { oneLine } from './text.ts'

/** A call of a tool, as far as the events have told. @since 0.2 */
export interface TrackedCall {
  readonly callId: string
  readonly call: ToolCallDisplay
  /** How many calls it was made within. */
  readonly depth: number
  /** The call before it was one of the same tool. */
  readonly again: boolean
  /** When it was let run, in milliseconds: calls wait for one another, and for people. Tools without an effect do not tell. */
  readonly startedAt?: number | undefined
  readonly endedAt?: number | undefined
}

/** A call that the model wants. `before`: the newest call; `parent`: the one it is made within. @since 0.2 */
export function startCall(
  { callId, name, input }: Extract<TurnEvent, { type: 'tool.start' }>,
  { before, parent }: { readonly before: TrackedCall | undefined; readonly parent: TrackedCall | undefined },
): TrackedCall {
  return {
    callId,
    call: { name, input, state: 'wanted' },
    depth: parent ? parent.depth + 1 : 0,
    again: before?.call.name === name,
  }
}

/**
 * A call of which only the end is known: a crash cut it off, and it is completed in a turn that does not show its start.
 * @since 0.2
 */
export function foundCall({ callId, name }: Extract<TurnEvent, { type: 'tool.complete' }>): TrackedCall {
  return { callId, call: { name, input: {}, state: 'running' }, depth: 0, again: false }
}

/** The call after one of its events. `at`: milliseconds; undefined for what was stored. @since 0.2 */
export function changeCall<Call extends TrackedCall>(
  tracked: Call,
  event: Extract<TurnEvent, { type: 'tool.running' | 'tool.progress' | 'tool.complete' }>,
  at: number | undefined,
): Call {
  const { call } = tracked
  if (event.type === 'tool.running') return { ...tracked, startedAt: at, call: { ...call, state: 'running' } }
  if (event.type === 'tool.progress') {
    const progress = event.text
    return { ...tracked, startedAt: tracked.startedAt ?? at, call: { ...call, state: 'running', progress } }
  }
  const { ok, text, data, refusal } = event
  return {
    ...tracked,
    endedAt: at,
    call: {
      ...call,
      state: ok ? 'done' : 'failed',
      text: stripUntrustedMark(text),
      ...(data === undefined ? {} : { data }),
      ...(refusal && { refusal }),
    },
  }
}

/** The calls of a turn after an event. Other events change nothing. @since 0.2 */
export function reduceCalls(
  calls: readonly TrackedCall[],
  event: TurnEvent,
  at: number | undefined,
): readonly TrackedCall[] {
  if (event.type === 'tool.start') {
    const parent = event.parent === undefined ? undefined : calls.findLast(({ callId }) => callId === event.parent)
    return [...calls, startCall(event, { before: calls.at(-1), parent })]
  }
  if (event.type !== 'tool.running' && event.type !== 'tool.progress' && event.type !== 'tool.complete') return calls
  const place = calls.findLastIndex(({ callId }) => callId === event.callId)
  const known = calls[place]
  if (known) return calls.with(place, changeCall(known, event, at))
  return event.type === 'tool.complete' ? [...calls, changeCall(foundCall(event), event, at)] : calls
}

/** Whether a call is shown: `new` leaves out calls of the same tool in a row, unless they fail. @since 0.2 */
export function isCallShown({ call, again }: TrackedCall, shown: DisplaySettings['tool_progress']): boolean {
  return shown !== 'off' && !(shown === 'new' && again && call.state !== 'failed')
}

/** The call has a result. @since 0.2 */
export function isCallOver({ state }: ToolCallDisplay): boolean {
  return state === 'done' || state === 'failed'
}

/** The facts of a call that fit on one line. @since 0.2 */
export interface CallFacts {
  /** What it is about, as its view says, else what the model wrote. */
  readonly title: string
  /** How far it is; only while it runs. */
  readonly progress: string | undefined
  /** How long it has run; undefined when that is not known or too short to matter. */
  readonly ms: number | undefined
  /** Lines of its result; 0 while there is none, and where the title says it already. */
  readonly lines: number
}

const SHOWN_MS = 100

/** `now`: milliseconds, by the clock of the events. @since 0.2 */
export function describeCall(
  { call, startedAt, endedAt }: TrackedCall,
  view: ToolCallView | undefined,
  now: number,
): CallFacts {
  const isOver = isCallOver(call)
  const ms = startedAt === undefined ? 0 : (endedAt ?? (isOver ? startedAt : now)) - startedAt
  return {
    title: view?.title(call) || inputText(call.input),
    progress: isOver ? undefined : call.progress || undefined,
    ms: ms >= SHOWN_MS && call.state !== 'wanted' ? ms : undefined,
    lines: isOver && call.text && !view?.counts ? countLines(call.text.trimEnd()) : 0,
  }
}

/** How a line of text says it: `read_file notes.md`, with ` · 1.4s` behind it when `time` is to be shown. @since 0.2 */
export function formatCall(
  tracked: TrackedCall,
  view: ToolCallView | undefined,
  { most, time = false }: { readonly most: number; readonly time?: boolean },
): string {
  const { title, ms } = describeCall(tracked, view, tracked.endedAt ?? 0)
  const isTimed = time && ms !== undefined && isCallOver(tracked.call)
  return `${oneLine(`${tracked.call.name} ${title}`, most)}${isTimed ? ` · ${formatDuration(ms)}` : ''}`
}

/** Lines of a text. @since 0.2 */
export function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  const text = JSON.stringify(input) ?? ''
  return text === '{}' ? '' : text
}
