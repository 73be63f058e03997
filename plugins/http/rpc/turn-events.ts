/** What a turn does, in the words of the interface. */
import type { TurnEvent, TurnEventData } from 'svc/sdk'
import { toolCallLabel } from 'svc/sdk/terminal'

/** An event for the caller. */
export interface RpcEvent {
  readonly type: string
  readonly payload: object
}

type Data<Type extends TurnEventData['type']> = Extract<TurnEvent, { type: Type }>
type Translations = { readonly [Type in TurnEventData['type']]?: (event: Data<Type>) => RpcEvent }

const status = (kind: string, text: string, more: object = {}): RpcEvent => ({
  type: 'status.update',
  payload: { kind, text, ...more },
})

/** Events that are not listed concern the journal, or are part of `message.complete`. */
const translations: Translations = {
  'turn.start': ({ text, provider, model, options }) => ({
    type: 'message.start',
    payload: { text, provider, model, ...(options?.key !== undefined && { key: options.key }) },
  }),
  'turn.resume': ({ attempt }) => ({ type: 'message.start', payload: { resumed: attempt } }),
  'message.delta': ({ text }) => ({ type: 'message.delta', payload: { text } }),
  'reasoning.delta': ({ text }) => ({ type: 'reasoning.delta', payload: { text } }),
  'tool.start': ({ callId, name, input, parent }) => ({
    type: 'tool.start',
    payload: {
      tool_id: callId,
      name,
      args: input,
      context: toolCallLabel(input, (text) => text),
      ...(parent !== undefined && { parent_id: parent }),
    },
  }),
  'tool.progress': ({ callId, text }) => ({ type: 'tool.progress', payload: { tool_id: callId, preview: text } }),
  'tool.complete': ({ callId, name, ok, text, data, files, refusal }) => ({
    type: 'tool.complete',
    payload: {
      tool_id: callId,
      name,
      ok,
      result: data ?? text,
      result_text: text,
      ...(files && { files }),
      ...(refusal && { refusal }),
    },
  }),
  image: ({ image }) => ({ type: 'image', payload: { media_type: image.mediaType, data: image.data } }),
  steer: ({ text, keys }) => status('steer', text, keys ? { keys } : {}),
  compressed: ({ before, after, text }) => status('compacting', text, { before_tokens: before, after_tokens: after }),
  notice: ({ text, retry, fallback }) =>
    status('lifecycle', text, { ...(retry && { retry }), ...(fallback && { fallback }) }),
  'approval.answer': ({ id, choice, by }) => ({ type: 'approval.answered', payload: { request_id: id, choice, by } }),
  'clarify.answer': ({ id, text, by }) => ({ type: 'clarify.answered', payload: { request_id: id, answer: text, by } }),
  'subagent.spawn_requested': ({ id, goal }) => ({
    type: 'subagent.spawn_requested',
    payload: { subagent_id: id, goal },
  }),
  'subagent.start': ({ id, goal, sessionId, index, count, depth, model }) => ({
    type: 'subagent.start',
    payload: {
      ...{ subagent_id: id, goal },
      ...(sessionId !== undefined && { child_session_id: sessionId }),
      ...(index !== undefined && { task_index: index }),
      ...(count !== undefined && { task_count: count }),
      ...(depth !== undefined && { depth }),
      ...(model !== undefined && { model }),
    },
  }),
  'subagent.thinking': ({ id, text }) => ({ type: 'subagent.thinking', payload: { subagent_id: id, text } }),
  'subagent.tool': ({ id, name, preview }) => ({
    type: 'subagent.tool',
    payload: { subagent_id: id, tool_name: name, tool_preview: preview },
  }),
  'subagent.progress': ({ id, text }) => ({ type: 'subagent.progress', payload: { subagent_id: id, text } }),
  'subagent.complete': ({ id, ok, text, status, usage, seconds, toolCalls, filesWritten, filesRead }) => ({
    type: 'subagent.complete',
    payload: {
      ...{ subagent_id: id, ok, text, summary: text },
      ...(status !== undefined && { status }),
      ...(seconds !== undefined && { duration_seconds: seconds }),
      ...(toolCalls !== undefined && { tool_count: toolCalls }),
      ...(usage && { input_tokens: usage.input ?? 0, output_tokens: usage.output ?? 0 }),
      ...(usage?.costUsd !== undefined && { cost_usd: usage.costUsd }),
      ...(filesWritten && { files_written: filesWritten }),
      ...(filesRead && { files_read: filesRead }),
    },
  }),
}

/** The event for the caller, with the place in the session's stream; undefined for an event that is not sent. */
export function toRpcEvent(event: TurnEvent): RpcEvent | undefined {
  const translate = translations[event.type] as ((event: TurnEvent) => RpcEvent) | undefined
  if (!translate) return undefined
  const { type, payload } = translate(event)
  return { type, payload: { ...payload, turn_id: event.turnId, seq: event.seq } }
}

const STATUSES = { completed: 'complete', interrupted: 'interrupted' } as const

/** Gathers what `message.complete` says at the end of a turn: the last text of the model, or the error. */
export class TurnSummary {
  #text = ''
  #error: { readonly code: string; readonly message: string } | undefined

  /** Returns the last event of a turn. */
  add(event: TurnEvent): RpcEvent | undefined {
    if (event.type === 'turn.start' || event.type === 'turn.resume') {
      this.#text = ''
      this.#error = undefined
    } else if (event.type === 'message.complete') this.#text = event.text
    else if (event.type === 'error') this.#error = { code: event.code, message: event.message }
    return event.type === 'turn.end' ? this.#complete(event) : undefined
  }

  #complete({ reason, usage, turnId, seq }: Data<'turn.end'>): RpcEvent {
    const ended = reason === 'completed' || reason === 'interrupted' ? STATUSES[reason] : 'error'
    const error = this.#error && { error: this.#error }
    const payload = { text: this.#text, status: ended, reason, usage, ...error, turn_id: turnId, seq }
    return { type: 'message.complete', payload }
  }
}
