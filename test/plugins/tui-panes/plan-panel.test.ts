import { type Message, ToolCompleted, type ToolRequest, Widgets } from 'svc/sdk'
import { fakeToolTurn } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { showTodos } from '../../../plugins/tool-todo/plan.ts'
import { planIn, planOf } from '../../../plugins/tui-panes/plan.ts'
import { expectFits, openInterface } from './interface.ts'

const todos = [
  { id: '1', content: 'look at 日本語 files', status: 'completed' },
  { id: '2', content: 'write\nthe code', status: 'in_progress' },
  { id: '3', content: 'test it', status: 'pending' },
  { id: '4', content: 'dance', status: 'cancelled' },
] as const

async function openPanel() {
  const opened = await openInterface()
  const { kernel, ui, session, textOf } = opened
  const widget = kernel.all(Widgets).get('todo')
  const lines = (width = 40, rows = 6) => widget?.lines(ui.conversation, { width, rows }) ?? []
  const answer = (data: unknown, more: { name?: string; failed?: boolean } = {}) => {
    const turn = fakeToolTurn({ sessionId: session.id })
    const request = { name: more.name ?? 'todo', input: {}, turn, tool: {} } as unknown as ToolRequest
    return kernel.call(ToolCompleted, { text: '', data, ...(more.failed ? { failed: true } : {}) }, request)
  }
  return { ...opened, lines, text: (width?: number, rows?: number) => textOf(lines(width, rows)), answer }
}

test('the plan of the conversation is shown while something of it is open', async () => {
  const { text, answer } = await openPanel()
  expect(text()).toEqual([])
  await answer({ todos, open: 2 })
  expect(text()).toEqual(['Plan 2/4', '✓ look at 日本語 files', '▸ write the code', '○ test it', '✗ dance'])
  await answer({ todos: todos.map((item) => ({ ...item, status: 'completed' })) })
  expect(text()).toEqual([])
})

test('with little room the step under way is shown', async () => {
  const { text, answer, lines, layout } = await openPanel()
  await answer({ todos })
  expect(text(40, 1)).toEqual(['Plan 2/4  ▸ write the code'])
  expect(text(40, 2)).toEqual(['Plan 2/4', '▸ write the code'])
  expect(text(40, 3)).toEqual(['Plan 2/4', '✓ look at 日本語 files', '▸ write the code'])
  expect(text(40, 0)).toEqual([])
  for (const width of [1, 5, 40, 200])
    for (const rows of [1, 2, 3, 9]) expectFits(layout, lines(width, rows), { width, rows })
})

test('results of other tools, of failed calls and of another shape change nothing', async () => {
  const { text, answer } = await openPanel()
  await answer({ todos })
  await answer({ todos: [] }, { name: 'terminal' })
  await answer({ todos: [] }, { failed: true })
  for (const data of [undefined, null, 7, { todos: 'x' }]) await answer(data)
  expect(text()).toHaveLength(5)
  expect(planIn({ todos: [null, 3, { content: 4 }, { content: 'a', status: 'odd' }] })).toEqual([])
})

test('a conversation that is opened again shows the plan that it had', () => {
  const call = (id: string): Message => ({
    role: 'assistant',
    text: '',
    toolCalls: [{ id, name: id === 'other' ? 'terminal' : 'todo', input: {} }],
  })
  const said = (callId: string, text: string): Message => ({ role: 'tool', callId, text })
  const plan = showTodos(todos).text
  const content = ['look at 日本語 files', 'write the code', 'test it', 'dance']
  const history = [call('one'), said('one', showTodos([]).text), call('two'), said('two', plan)]
  expect(planOf(history).map((item) => item.content)).toEqual(content)
  expect(planOf(history).map((item) => item.status)).toEqual(todos.map(({ status }) => status))
  const failed: Message = { role: 'tool', callId: 'three', text: '[>] 1: x', failed: true }
  const later = [...history, call('three'), failed, call('other'), said('other', plan.replace('test', 'break'))]
  expect(planOf(later)).toEqual(planOf(history))
  expect(planOf([])).toEqual([])
})
