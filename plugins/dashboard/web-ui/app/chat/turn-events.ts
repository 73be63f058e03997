/** How an event changes the transcript. */

import { signal } from '@preact/signals'
import type { RpcEvent } from '../client/rpc.ts'
import {
  type AnswerEntry,
  createNotice,
  createText,
  createTool,
  createUser,
  type Entry,
  type FileChange,
  newId,
  type QuestionEntry,
  type SubagentEntry,
  sentId,
  type ToolEntry,
  type UserEntry,
} from './entries.ts'

/** The text that is growing. */
export interface Turn {
  text?: AnswerEntry | undefined
  /** How many user messages were begun, so that a text that is shown already is not added again. */
  seen?: number
}

export interface Transcript {
  readonly turn: Turn
  readonly entries: readonly Entry[]
  /** At the end. */
  add(entry: Entry): void
  remove(id: string): void
}

/** No answer is needed any more. */
export const EXPIRED = 'expired'

type Payload = Readonly<Record<string, unknown>>
type Handler = (transcript: Transcript, payload: Payload) => void

const asText = (value: unknown) => (typeof value === 'string' ? value : '')

const handlers: Readonly<Record<string, Handler>> = {
  'message.start': (transcript, { text, key }) => {
    finishText(transcript)
    const said = asText(text)
    if (said === '') return
    const own = findSent(transcript, key)
    if (own) return settleSent(transcript, own)
    const last = transcript.entries.findLast((entry) => entry.kind === 'user')
    const isShown = last?.text === said && transcript.entries.indexOf(last) >= findLast(transcript.entries)
    if (isShown) last.state.value = 'sent'
    else transcript.add(createUser(said, [], 'sent'))
  },
  'message.delta': (transcript, { text }) => grow(transcript, 'answer', asText(text)),
  'reasoning.delta': (transcript, { text }) => grow(transcript, 'reasoning', asText(text)),
  'message.complete': (transcript, payload) => {
    const { status, error } = payload as {
      readonly status?: string
      readonly error?: { code: string; message: string }
    }
    finishText(transcript)
    if (status === 'interrupted') transcript.add(createNotice('(stopped)'))
    if (error) transcript.add(createNotice(error.message, 'error', error.code))
  },
  'tool.start': (transcript, { tool_id, name, args, context }) => {
    finishText(transcript)
    if (findTool(transcript, tool_id)) return
    transcript.add(createTool(asText(tool_id), asText(name), args, asText(context)))
  },
  'tool.progress': (transcript, { tool_id, preview }) => {
    const tool = findTool(transcript, tool_id)
    if (tool) tool.progress.value = asText(preview)
  },
  'tool.complete': (transcript, payload) => {
    const { tool_id, ok, result, result_text, files, refusal } = payload
    const tool = findTool(transcript, tool_id)
    if (!tool) return
    tool.result.value = {
      ok: ok === true,
      text: asText(result_text),
      ...(typeof result === 'object' && result !== null && { data: result }),
      ...(Array.isArray(files) && { files: files as readonly FileChange[] }),
      ...(refusal !== undefined && { refusal }),
    }
    tool.tookMs.value = Date.now() - tool.startedAt
  },
  image: ({ add }, { media_type, data }) =>
    add({ kind: 'image', id: newId(), image: { media_type: asText(media_type), data: asText(data) } }),
  'status.update': (transcript, { kind, text, keys }) => {
    if (kind === 'steer') steer(transcript, asText(text), Array.isArray(keys) ? keys : [])
    else if (asText(text) !== '') transcript.add(createNotice(asText(text)))
  },
  'notification.show': ({ add }, { text, level }) =>
    add(createNotice(asText(text), level === 'error' ? 'error' : level === 'warning' ? 'warning' : 'info')),
  'approval.request': (transcript, payload) => ask(transcript, 'approval', payload),
  'clarify.request': (transcript, payload) => ask(transcript, 'question', payload),
  'secret.request': (transcript, payload) => ask(transcript, 'secret', payload),
  'approval.expire': expire,
  'clarify.expire': expire,
  'secret.expire': expire,
  'approval.answered': (transcript, { request_id, choice }) => settle(transcript, request_id, asText(choice)),
  'clarify.answered': (transcript, { request_id, answer }) => settle(transcript, request_id, asText(answer)),
  'subagent.start': (transcript, { subagent_id, goal }) => {
    if (findSubagent(transcript, subagent_id)) return
    const outcome = signal<{ readonly ok: boolean; readonly text: string } | undefined>(undefined)
    const named = { subagentId: asText(subagent_id), goal: asText(goal) }
    transcript.add({ kind: 'subagent', id: newId(), ...named, activity: signal(''), outcome })
  },
  'subagent.tool': (transcript, { subagent_id, tool_name, tool_preview }) =>
    act(transcript, subagent_id, `${asText(tool_name)} ${asText(tool_preview)}`),
  'subagent.progress': (transcript, { subagent_id, text }) => act(transcript, subagent_id, asText(text)),
  'subagent.complete': (transcript, { subagent_id, ok, text }) => {
    const found = findSubagent(transcript, subagent_id)
    if (found) found.outcome.value = { ok: ok === true, text: asText(text) }
  },
}

export function applyEvent(transcript: Transcript, { type, payload }: RpcEvent): void {
  handlers[type]?.(transcript, payload)
}

function findSent({ entries }: Transcript, key: unknown): UserEntry | undefined {
  return entries.findLast((entry): entry is UserEntry => entry.kind === 'user' && entry.id === sentId(asText(key)))
}

/** It stands where it became part of the conversation, which may be later than where it was typed. */
function settleSent(transcript: Transcript, entry: UserEntry): void {
  entry.state.value = 'sent'
  if (transcript.entries.at(-1) === entry) return
  transcript.remove(entry.id)
  transcript.add(entry)
}

/** What was said to a turn at work: the texts of this page, or of several that were joined. */
function steer(transcript: Transcript, text: string, keys: readonly unknown[]): void {
  finishText(transcript)
  const own = keys.flatMap((key) => findSent(transcript, key) ?? [])
  if (own.length > 0 && own.map((entry) => entry.text).join('\n') === text) {
    for (const entry of own) settleSent(transcript, entry)
    return
  }
  for (const { id } of own) transcript.remove(id)
  transcript.add(createUser(text, [], 'sent'))
}

/** Behind what the model said last: a user message before it belongs to an earlier turn. */
function findLast(entries: readonly Entry[]): number {
  return entries.findLastIndex(({ kind }) => kind === 'answer' || kind === 'tool')
}

function grow(transcript: Transcript, kind: AnswerEntry['kind'], text: string): void {
  const { turn } = transcript
  if (turn.text?.kind !== kind) {
    finishText(transcript)
    turn.text = createText(kind, '', false)
    transcript.add(turn.text)
  }
  turn.text.text.value += text
}

function finishText({ turn }: Transcript): void {
  if (turn.text) turn.text.isDone.value = true
  turn.text = undefined
}

function findTool({ entries }: Transcript, callId: unknown): ToolEntry | undefined {
  return entries.findLast((entry): entry is ToolEntry => entry.kind === 'tool' && entry.callId === callId)
}

function findSubagent({ entries }: Transcript, id: unknown): SubagentEntry | undefined {
  return entries.findLast((entry): entry is SubagentEntry => entry.kind === 'subagent' && entry.subagentId === id)
}

function act(transcript: Transcript, id: unknown, text: string): void {
  const found = findSubagent(transcript, id)
  if (found) found.activity.value = text
}

function ask(transcript: Transcript, kind: QuestionEntry['kind'], payload: Payload): void {
  finishText(transcript)
  const requestId = asText(payload['request_id'])
  if (findQuestion(transcript, requestId)) return
  transcript.add({ kind, id: newId(), requestId, payload, answer: signal<string | undefined>(undefined) })
}

function findQuestion({ entries }: Transcript, requestId: unknown): QuestionEntry | undefined {
  return entries.findLast((entry): entry is QuestionEntry => 'requestId' in entry && entry.requestId === requestId)
}

function expire(transcript: Transcript, { request_id }: Payload): void {
  settle(transcript, request_id, EXPIRED)
}

function settle(transcript: Transcript, requestId: unknown, answer: string): void {
  const found = findQuestion(transcript, requestId)
  if (found && (found.answer.value === undefined || found.answer.value === EXPIRED)) found.answer.value = answer
}
