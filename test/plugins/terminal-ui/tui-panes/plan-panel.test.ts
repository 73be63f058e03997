import { type PlanStep, SessionPlan } from 'svc/sdk/sessions'
import { Widgets } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { expectFits, openInterface } from './interface.ts'

const steps = [
  { id: '1', content: 'look at 日本語 files', status: 'completed' },
  { id: '2', content: 'write\nthe code', status: 'in_progress' },
  { id: '3', content: 'test it', status: 'pending' },
  { id: '4', content: 'dance', status: 'cancelled' },
] as const

async function openPanel() {
  const opened = await openInterface()
  const { kernel, ui, session, renderText } = opened
  const widget = kernel.all(Widgets).get('todo')
  const lines = (width = 40, rows = 6) => widget?.lines(ui.conversation, { width, rows }) ?? []
  const plan = (value: readonly PlanStep[]) => session.setState(SessionPlan, value)
  return { ...opened, lines, text: (width?: number, rows?: number) => renderText(lines(width, rows)), plan }
}

test('the plan of the conversation is shown while something of it is open', async () => {
  const { text, plan } = await openPanel()
  expect(text()).toEqual([])
  plan(steps)
  expect(text()).toEqual(['Plan 2/4', '✓ look at 日本語 files', '▸ write the code', '○ test it', '✗ dance'])
  plan(steps.map((item) => ({ ...item, status: 'completed' })))
  expect(text()).toEqual([])
})

test('with little room the step under way is shown', async () => {
  const { text, plan, lines, layout } = await openPanel()
  plan(steps)
  expect(text(40, 1)).toEqual(['Plan 2/4  ▸ write the code'])
  expect(text(40, 2)).toEqual(['Plan 2/4', '▸ write the code'])
  expect(text(40, 3)).toEqual(['Plan 2/4', '✓ look at 日本語 files', '▸ write the code'])
  expect(text(40, 0)).toEqual([])
  for (const width of [1, 5, 40, 200])
    for (const rows of [1, 2, 3, 9]) expectFits(layout, lines(width, rows), { width, rows })
})

test('a plan that was taken back is not shown', async () => {
  const { text, plan, session } = await openPanel()
  session.record({ turnId: 'one', events: [], messages: [{ role: 'user', text: 'plan it' }] })
  plan(steps)
  expect(text()).toHaveLength(5)
  session.rewind(0)
  expect(text()).toEqual([])
  session.unwind()
  expect(text()).toHaveLength(5)
})

test('a stored value that is no plan shows nothing', async () => {
  const { text, session } = await openPanel()
  for (const value of ['x', [null], [{ id: '1', content: 'a', status: 'odd' }], [{ content: 4 }]]) {
    session.setState({ ...SessionPlan, parse: () => undefined }, value as never)
    expect(text()).toEqual([])
  }
})
