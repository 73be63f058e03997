/** What a transcript consists of, and how stored messages become it. */
import { type Signal, signal } from '@preact/signals'
import type { Picture } from '../client/outbox.ts'

export type UserState = 'waiting' | 'sent' | 'failed'

export interface UserEntry {
  readonly kind: 'user'
  readonly id: string
  readonly text: string
  readonly images: readonly Picture[]
  readonly state: Signal<UserState>
  /** Its place in the session, for branches; unknown while it is on its way. */
  readonly seq?: number
}

/** Text of the model that grows while it is written. */
export interface AnswerEntry {
  readonly kind: 'answer' | 'reasoning'
  readonly id: string
  readonly text: Signal<string>
  readonly isDone: Signal<boolean>
}

export interface ToolResult {
  readonly ok: boolean
  readonly text: string
  readonly data?: unknown
  readonly files?: readonly FileChange[]
  readonly refusal?: unknown
}

export interface FileChange {
  readonly path: string
  readonly diff?: string
  readonly before?: string | null
  readonly after?: string | null
}

export interface ToolEntry {
  readonly kind: 'tool'
  readonly id: string
  readonly callId: string
  readonly name: string
  readonly label: string
  readonly args: unknown
  readonly progress: Signal<string>
  readonly result: Signal<ToolResult | undefined>
  readonly startedAt: number
  readonly tookMs: Signal<number | undefined>
}

export interface QuestionEntry {
  readonly kind: 'approval' | 'question' | 'secret'
  readonly id: string
  readonly requestId: string
  readonly payload: Readonly<Record<string, unknown>>
  /** What was answered; `expired` when no answer is needed any more. */
  readonly answer: Signal<string | undefined>
}

export interface NoticeEntry {
  readonly kind: 'notice'
  readonly id: string
  readonly tone: 'info' | 'warning' | 'error'
  readonly text: string
  readonly code?: string
}

export interface ImageEntry {
  readonly kind: 'image'
  readonly id: string
  readonly image: Picture
}

export interface SubagentEntry {
  readonly kind: 'subagent'
  readonly id: string
  readonly subagentId: string
  readonly goal: string
  readonly activity: Signal<string>
  readonly outcome: Signal<{ readonly ok: boolean; readonly text: string } | undefined>
}

export type Entry = UserEntry | AnswerEntry | ToolEntry | QuestionEntry | NoticeEntry | ImageEntry | SubagentEntry

/** A message as the server lists it. */
export interface StoredMessage {
  readonly role: string
  readonly text?: string
  readonly reasoning?: string
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly tool_id?: string
  readonly failed?: boolean
  readonly timestamp?: number
  readonly seq?: number
}

let next = 1
export const newId = (): string => `e${next++}`

export function createUser(text: string, images: readonly Picture[], state: UserState, seq?: number): UserEntry {
  return { kind: 'user', id: newId(), text, images, state: signal(state), ...(seq !== undefined && { seq }) }
}

/** The entry of a message that was typed here; its id is the same before and after it was sent. */
export function createSent(key: string, text: string, images: readonly Picture[], state: UserState): UserEntry {
  return { ...createUser(text, images, state), id: sentId(key) }
}

export const sentId = (key: string): string => `sent-${key}`

export function createText(kind: 'answer' | 'reasoning', text: string, isDone: boolean): AnswerEntry {
  return { kind, id: newId(), text: signal(text), isDone: signal(isDone) }
}

export function createTool(callId: string, name: string, args: unknown, label = describeInput(args)): ToolEntry {
  const more = { progress: signal(''), result: signal<ToolResult | undefined>(undefined), startedAt: Date.now() }
  return {
    kind: 'tool',
    id: newId(),
    callId,
    name,
    label,
    args,
    ...more,
    tookMs: signal<number | undefined>(undefined),
  }
}

export function createNotice(text: string, tone: NoticeEntry['tone'] = 'info', code?: string): NoticeEntry {
  return { kind: 'notice', id: newId(), tone, text, ...(code !== undefined && { code }) }
}

/** The first short text of an input: what a call is about. */
function describeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const first = Object.values(input).find((value) => typeof value === 'string' && value !== '')
  return typeof first === 'string' ? (first.split('\n', 1)[0] ?? '').slice(0, 120) : ''
}

/** The entries of stored messages. Tool messages become the results of their calls. */
export function fromMessages(messages: readonly StoredMessage[]): Entry[] {
  const calls = new Map<string, ToolEntry>()
  return messages.flatMap((message): Entry[] => {
    if (message.role === 'user') return [createUser(message.text ?? '', [], 'sent', message.seq)]
    if (message.role === 'assistant') return fromAnswer(message, calls)
    const call = calls.get(message.tool_id ?? '')
    if (call) call.result.value = { ok: message.failed !== true, text: message.text ?? '' }
    return []
  })
}

function fromAnswer({ text, reasoning, tool_calls = [] }: StoredMessage, calls: Map<string, ToolEntry>): Entry[] {
  const made = tool_calls.map(({ id, name, input }) => createTool(id, name, input))
  for (const call of made) calls.set(call.callId, call)
  return [
    ...(reasoning ? [createText('reasoning', reasoning, true)] : []),
    ...(text ? [createText('answer', text, true)] : []),
    ...made,
  ]
}
