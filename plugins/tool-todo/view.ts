/** Calls by which the model keeps its plan and its memory, and speaks with people. */
import type { ShownCall, ToolView } from 'svc/sdk'
import { head, oneLine, titleOf } from './text.ts'
import { field, listIn, numberIn, textIn } from './value.ts'

const MAX_ITEMS = 256
const MARKS: Readonly<Record<string, string>> = { pending: '○', in_progress: '▸', completed: '✓', cancelled: '✗' }

export const todo: ToolView = {
  name: 'todo',
  tools: ['todo'],
  counts: true,
  title({ input, data }) {
    const plan = listIn(data, 'todos')
    const current = plan.find((item) => textIn(item, 'status') === 'in_progress')
    const open = numberIn(data, 'open')
    if (field(data, 'todos') === undefined) return titleOf(`${listIn(input, 'todos').length || ''}`)
    const done = open === undefined ? undefined : `${Math.max(0, plan.length - open)}/${plan.length}`
    return titleOf(done, textIn(current, 'content'))
  },
  body({ state, input, data }) {
    const source = state === 'done' ? data : input
    const items = listIn(source, 'todos').slice(0, MAX_ITEMS).map(itemLine)
    return items.length > 0 ? { kind: 'text', text: items.join('\n') } : undefined
  },
}

export const memory: ToolView = {
  name: 'memory',
  tools: ['memory'],
  title({ input }) {
    const [action, target, content, old] = ['action', 'target', 'content', 'old_text'].map((key) => textIn(input, key))
    return titleOf(action, target, content ?? old)
  },
}

export const sessions: ToolView = {
  name: 'sessions',
  tools: ['session_search'],
  title: ({ input }) => titleOf(textIn(input, 'session_id'), textIn(input, 'query')),
}

export const clarify: ToolView = {
  name: 'clarify',
  tools: ['clarify'],
  title: ({ input }) => titleOf(textIn(input, 'question')),
  inline({ state, data }) {
    const answer = state === 'done' ? textIn(data, 'user_response') : undefined
    return answer ? { kind: 'text', text: oneLine(answer) } : undefined
  },
  body({ input, text }) {
    const choices = listIn(input, 'choices').flatMap((choice) =>
      typeof choice === 'string' ? [`○ ${oneLine(choice)}`] : [],
    )
    const said = [textIn(input, 'question') ?? '', ...choices, text ?? ''].filter((part) => part !== '')
    return said.length > 0 ? { kind: 'text', text: head(said.map((part) => head(part)).join('\n')) } : undefined
  },
}

export const message: ToolView = {
  name: 'message',
  tools: ['send_message'],
  title: ({ input }) => titleOf(textIn(input, 'target'), textIn(input, 'message')),
  body: (call) => sentBody(call),
}

export const toolSearch: ToolView = {
  name: 'tool-search',
  tools: ['tool_search', 'tool_describe', 'tool_call'],
  title: ({ input }) => titleOf(textIn(input, 'query') ?? textIn(input, 'name')),
}

function itemLine(item: unknown): string {
  const status = textIn(item, 'status') ?? 'pending'
  const mark = (Object.hasOwn(MARKS, status) ? MARKS[status] : undefined) ?? '○'
  return `${mark} ${oneLine(textIn(item, 'content') ?? textIn(item, 'id') ?? '')}`
}

/** What was sent, then what became of it. */
function sentBody({ input, text }: ShownCall) {
  const parts = [textIn(input, 'message'), text].flatMap((part) => (part ? [head(part)] : []))
  return parts.length > 0 ? ({ kind: 'text', text: parts.join('\n\n') } as const) : undefined
}
