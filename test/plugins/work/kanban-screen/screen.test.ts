/** The board on the screen of the terminal. */
import { Boards } from 'svc/sdk/kanban'
import { type Overlay, Overlays, TextLayout, type TuiContext } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function open(fill: (boards: Boards) => Promise<void>) {
  const kernel = await testKernel({ plugins: ['kanban-screen', 'typography'] })
  onTestFinished(() => kernel.stop())
  const boards = kernel.use(Boards)
  await fill(boards)
  const offered: string[][] = []
  let choice: string | undefined
  let meanwhile: () => Promise<unknown> = async () => undefined
  const ui = {
    redraw: () => {},
    choose: async ({ items }: Parameters<TuiContext['choose']>[0]) => {
      offered.push(items.map(({ id }) => id))
      await meanwhile()
      return choice
    },
  }
  const view = (kernel.all(Overlays).get('kanban') as Overlay).open(ui as unknown as TuiContext)
  onTestFinished(() => view.close?.())
  const layout = kernel.use(TextLayout)
  return {
    ...{ boards, offered, view },
    choose: (to: string, during = meanwhile) => {
      choice = to
      meanwhile = during
    },
    press: (...names: string[]) => names.map((name) => view.input({ type: 'key', name })),
    text: (width = 80, rows = 12) => {
      const lines = view.lines({ width, rows })
      for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.length).toBeLessThanOrEqual(rows)
      return lines.map((line) =>
        line
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
    },
  }
}

const by = 'anna'

test('tasks stand in the column of their status, the selected one is marked, and what another process does is followed', async () => {
  const { boards, text, press } = await open(async (board) => {
    await board.create({ title: 'Report 日本語', by, assignee: 'writer', priority: 3 })
    await board.create({ title: 'Send it', by })
  })
  await expect.poll(() => text()[1]).toMatch(/^\S+ \d+ +│/)
  await expect.poll(() => text()).toContainEqual(expect.stringMatching(/^default +\[ready 2\]/))
  expect(text().join('\n')).toContain('› Report 日本語')
  expect(text().at(-1)).toMatch(/^t_\w+ · ready · writer · priority 3$/)
  press('down')
  expect(text().join('\n')).toContain('› Send it')
  await boards.create({ title: 'First of all', by, priority: 9 })
  await expect.poll(() => text().join('\n')).toContain('First of all')
  expect(text().join('\n')).toContain('› Send it')
})

test('a narrow screen shows one column, and arrows reach all others', async () => {
  const { text, press } = await open(async (board) => {
    await board.create({ title: 'An idea with a title that is much too long', by, isTriage: true })
    await board.create({ title: 'Ready', by })
  })
  await expect.poll(() => text(20, 6)[0]).toContain('triage 1')
  expect(text(20, 6)[1]).toBe('triage 1')
  press('right', 'right', 'right')
  expect(text(20, 6).slice(1, 3)).toEqual(['ready 1', '› Ready'])
  for (const [width, rows] of [
    [1, 1],
    [7, 3],
    [200, 50],
  ] as const)
    text(width, rows)
})

test('a task is moved where the table lets a person take it, and a refusal is shown', async () => {
  let id = ''
  const { boards, text, press, choose, offered } = await open(async (board) => {
    const { task: parent } = await board.create({ title: 'Parent', by, isBlocked: true })
    id = (await board.create({ title: 'Child', by, parents: [parent.id] })).task.id
  })
  await expect.poll(() => text().join('\n')).toContain('› Child')
  choose('scheduled')
  press('m')
  await expect.poll(async () => (await boards.get(id)).status).toBe('scheduled')
  expect(offered).toEqual([['scheduled', 'archived']])
  await expect.poll(() => text().at(-1)).toBe(`${id} is scheduled now.`)
  press('right')
  await expect.poll(() => text().join('\n')).toContain('› Child')
  choose('todo', () => boards.archive(id, { by }))
  press('m')
  await expect.poll(() => text().at(-1)).toMatch(/is archived and cannot be taken to todo/)
})

test('the details of a task show checks with their evidence, runs and comments, and escape goes back', async () => {
  const { text, press, view } = await open(async (board) => {
    const checks = [{ type: 'file', path: 'report.md' }] as const
    const { task } = await board.create({ title: 'Report', body: 'All\nof it.', by, assignee: 'writer', checks })
    await board.comment(task.id, { author: by, body: 'Use the figures of May' })
    const claim = await board.claim(task.id, { holder: 'a dispatcher' })
    if (claim.refused) throw new Error(claim.refused)
    const evidence = [{ check: 0, isMet: false, detail: 'there is no such file', at: 1 }]
    await board.endRun(claim.run, { outcome: 'checks_failed', error: 'not met', evidence })
  })
  await expect.poll(() => text().join('\n')).toContain('› Report')
  press('enter')
  await expect.poll(() => text(80, 40).join('\n')).toContain('✗ file report.md: there is no such file')
  const shown = text(80, 40).join('\n')
  for (const part of ['All\nof it.', 'checks_failed', 'not met', 'anna: Use the figures of May'])
    expect(shown).toContain(part)
  expect(view.keys).toContain('Esc back')
  press('down', 'down')
  expect(text(40, 5)[0]).not.toBe('Report')
  expect(press('escape', 'escape')).toEqual(['taken', 'ignored'])
  expect(text().join('\n')).toContain('› Report')
})
