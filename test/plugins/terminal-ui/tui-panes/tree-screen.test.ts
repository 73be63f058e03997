import { SessionTrees } from 'svc/sdk/sessions'
import { expect, test, vi } from 'vitest'
import { expectFits, openInterface, talk } from './interface.ts'

async function openTree() {
  const interface_ = await openInterface({ plugins: ['session-tree'] })
  const { sessions, session, kernel } = interface_
  session.record({
    turnId: 't1',
    events: [],
    messages: [
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'two' },
    ],
  })
  const branch = sessions.branch(session.id)
  sessions.rename(branch.id, 'with streams')
  kernel.use(SessionTrees).label(session.id, { text: 'start', at: 1 })
  talk(sessions, 'another conversation')
  return { ...interface_, branch, trees: kernel.use(SessionTrees), tree: interface_.open('tree') }
}

test('the branches of the open conversation and its labels are shown, nothing else', async () => {
  const { tree, layout } = await openTree()
  const lines = tree.text().map((line) => line.replace(/ {2,}/g, '  '))
  expect(lines.slice(0, 4)).toEqual([
    expect.stringContaining('Branches  1/3'),
    '❯ ● the open one  2  0s',
    '  ├─ ◆ start  #1'.replace(/ {2,}/g, '  '),
    '  └─ ○ with streams  2  0s'.replace(/ {2,}/g, '  '),
  ])
  for (const width of [20, 40, 80, 200]) expectFits(layout, tree.view.lines({ width, rows: 20 }), { width, rows: 20 })
})

test('Enter goes to a branch, and to a label in a new branch', async () => {
  const { tree, branch, told, sessions, session } = await openTree()
  expect(tree.press('down', 'down', 'enter')).toBe('close')
  expect(told.switched).toEqual([branch.id])
  expect(tree.press('up', 'enter')).toBe('close')
  await vi.waitFor(() => expect(told.toasts).toHaveLength(1))
  const [made] = told.switched.slice(1)
  expect(sessions.open(made ?? '').messages()).toMatchObject([{ text: 'one' }])
  expect(sessions.summary(made ?? '')).toMatchObject({ title: 'start', parent: session.id, branchedAt: 1 })
})

test('l labels, r renames, an empty label is removed', async () => {
  const { tree, branch, trees, sessions } = await openTree()
  tree.press('down', 'down', 'l', ':works', 'enter')
  expect(tree.text().join('\n')).toMatch(/◆ works +#2/)
  tree.press('r', ...Array<string>(20).fill('backspace'), ':streams', 'enter')
  expect(sessions.summary(branch.id).title).toBe('streams')
  tree.press('down', 'l', ...Array<string>(5).fill('backspace'), 'enter')
  expect(trees.rows(branch.id).filter(({ label }) => label)).toHaveLength(1)
  tree.press('l', ':left', 'escape')
  expect(trees.rows(branch.id).filter(({ label }) => label)).toHaveLength(1)
})
