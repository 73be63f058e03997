/** How the plan is shown. */
import type { ToolCallView } from 'svc/sdk'
import { field, formatTitle, listIn, numberIn, oneLine, textIn } from 'svc/sdk/kit/views'

const MAX_ITEMS = 256
const MARKS: Readonly<Record<string, string>> = { pending: '○', in_progress: '▸', completed: '✓', cancelled: '✗' }

export const todoView: ToolCallView = {
  counts: true,
  title({ input, data }) {
    const plan = listIn(data, 'todos')
    const current = plan.find((item) => textIn(item, 'status') === 'in_progress')
    const open = numberIn(data, 'open')
    if (field(data, 'todos') === undefined) return formatTitle(`${listIn(input, 'todos').length || ''}`)
    const done = open === undefined ? undefined : `${Math.max(0, plan.length - open)}/${plan.length}`
    return formatTitle(done, textIn(current, 'content'))
  },
  body({ state, input, data }) {
    const source = state === 'done' ? data : input
    const items = listIn(source, 'todos').slice(0, MAX_ITEMS).map(itemLine)
    return items.length > 0 ? { kind: 'text', text: items.join('\n') } : undefined
  },
}

function itemLine(item: unknown): string {
  const status = textIn(item, 'status') ?? 'pending'
  const mark = (Object.hasOwn(MARKS, status) ? MARKS[status] : undefined) ?? '○'
  return `${mark} ${oneLine(textIn(item, 'content') ?? textIn(item, 'id') ?? '')}`
}
