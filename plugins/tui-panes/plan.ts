/** The plan of a session as the tool `todo` gave it last. Pure. */
import type { Message } from 'svc/sdk'

export const PLAN_TOOL = 'todo'

export type PlanStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

export interface PlanItem {
  readonly content: string
  readonly status: PlanStatus
}

const STATUS: Readonly<Record<string, PlanStatus>> = {
  ' ': 'pending',
  '>': 'in_progress',
  x: 'completed',
  '-': 'cancelled',
}

/** From the data of a result; undefined when it holds none. */
export function planIn(data: unknown): readonly PlanItem[] | undefined {
  const todos = (data as { readonly todos?: unknown } | null | undefined)?.todos
  if (!Array.isArray(todos)) return undefined
  return todos.flatMap((item: { readonly content?: unknown; readonly status?: unknown } | null) => {
    const status = Object.values(STATUS).find((known) => known === item?.status)
    return typeof item?.content === 'string' && status ? [{ content: item.content, status }] : []
  })
}

/** From the newest result in a session: messages keep the text of results only. */
export function planOf(messages: readonly Message[]): readonly PlanItem[] {
  const calls = new Set(
    messages
      .flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []).filter(({ name }) => name === PLAN_TOOL) : [],
      )
      .map(({ id }) => id),
  )
  const isPlan = (message: Message) => message.role === 'tool' && !message.failed && calls.has(message.callId)
  return planFrom(messages.findLast(isPlan)?.text ?? '')
}

/** A line for each item: `[>] id: content`; the content may have further lines. */
function planFrom(text: string): readonly PlanItem[] {
  const items: PlanItem[] = []
  for (const line of text.split('\n').slice(1)) {
    const [, mark = '', content] = /^\[([ >x-])\] .{1,64}?: (.*)$/.exec(line) ?? []
    const status = STATUS[mark]
    const last = items.at(-1)
    if (content !== undefined && status) items.push({ content, status })
    else if (last) items[items.length - 1] = { ...last, content: `${last.content} ${line}` }
  }
  return items
}
