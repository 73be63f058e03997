/** A goal on the board is shown as a plan before it is taken apart. A real browser, the built program, a scripted model. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { openWebStage, type WebStage } from './stage.ts'

const fan = JSON.stringify({
  fanout: true,
  rationale: 'Two hands.',
  tasks: [
    { title: 'Collect figures', body: 'Find them.', assignee: null, parents: [] },
    { title: 'Write', body: 'Write it.', assignee: 'invented', parents: [0] },
    { title: 'Draw', body: 'Draw it.', assignee: null, parents: [0] },
  ],
})
/** What the model answers about a goal, by a word of its title. */
const answers: readonly (readonly [word: string, answer: string])[] = [
  ['nonsense', 'I would rather not.'],
  ['small', JSON.stringify({ fanout: false, title: 'Boil water', body: '## Goal\nTea.', assignee: null })],
]

interface Task {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly assignee: string | null
}

describe.skipIf(missingChromium())('the plan of a goal in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage((words) => answers.find(([word]) => words.includes(word))?.[1] ?? fan)
    page = await stage.newPage('/board')
  })
  afterAll(async () => stage?.close())

  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  const read = async (path: string): Promise<any> =>
    (
      await page.request.get(`${stage.url}/api/plugins/kanban${path}`, {
        headers: { 'x-svc-session-token': stage.token },
      })
    ).json()
  const tasks = async () => (await read('/tasks')).tasks as readonly Task[]
  const asked = () => stage.model.requests.length
  const dialog = () => page.getByRole('dialog', { name: 'Plan' })

  const openPlan = async (title: string) => {
    await page.getByRole('button', { name: 'New task' }).click()
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Where it begins').selectOption('yes')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: new RegExp(title) }).click()
    await page.getByRole('button', { name: 'Decompose' }).click()
  }
  const leave = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('the proposed tasks, their links and assignees are shown, and nothing is written yet', async () => {
    await openPlan('Report on tea')
    const parts = dialog().getByRole('group', { name: /^Task \d$/ })
    await parts.first().waitFor()
    expect(await parts.count()).toBe(3)
    expect(await parts.nth(1).getByLabel('Title').inputValue()).toBe('Write')
    expect(await parts.nth(1).getByLabel('Assignee').inputValue()).toBe('default')
    expect(await parts.nth(1).getByRole('checkbox', { name: '1. Collect figures' }).isChecked()).toBe(true)
    // It would be a circle.
    expect(await parts.nth(0).getByRole('checkbox', { name: '2. Write' }).isDisabled()).toBe(true)
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
    expect((await tasks()).map(({ title, status }) => [title, status])).toEqual([['Report on tea', 'triage']])
  })

  test('a plan that is closed is there again, without another question to the model', async () => {
    const before = asked()
    await dialog().getByRole('group', { name: 'Task 2' }).getByLabel('Title').fill('Write the report')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Decompose' }).click()
    const title = dialog().getByRole('group', { name: 'Task 2' }).getByLabel('Title')
    expect(await title.inputValue()).toBe('Write the report')
    expect(asked()).toBe(before)
  })

  test('what is accepted is written as it was changed, by keyboard alone', async () => {
    const plan = dialog()
    await plan.getByRole('button', { name: 'Leave out task 1' }).focus()
    await page.keyboard.press('Enter')
    await plan.getByRole('group', { name: 'Task 3' }).waitFor({ state: 'detached' })
    await plan.getByRole('group', { name: 'Task 2' }).getByRole('checkbox', { name: '1. Write the report' }).focus()
    await page.keyboard.press('Space')
    await plan.getByRole('button', { name: 'Accept' }).focus()
    await page.keyboard.press('Enter')
    await plan.waitFor({ state: 'detached' })
    await page.getByText('The task was planned.').waitFor()
    const written = await tasks()
    const find = (title: string) => written.find((task) => task.title === title)
    expect(written.map(({ title }) => title).sort()).toEqual(['Draw', 'Report on tea', 'Write the report'])
    expect(find('Write the report')).toMatchObject({ status: 'ready', assignee: 'default' })
    expect(find('Draw')).toMatchObject({ status: 'todo' })
    expect(find('Report on tea')).toMatchObject({ status: 'todo' })
    const draw = await read(`/tasks/${find('Draw')?.id}`)
    expect(draw.links).toEqual({ parents: [find('Write the report')?.id], children: [find('Report on tea')?.id] })
    await leave()
  })

  test('a plan that is discarded leaves the goal as it was', async () => {
    await openPlan('Report on coffee')
    await dialog().getByRole('group', { name: 'Task 1' }).waitFor()
    await dialog().getByRole('button', { name: 'Discard' }).click()
    await dialog().waitFor({ state: 'detached' })
    const goal = (await tasks()).find(({ title }) => title === 'Report on coffee')
    expect(goal?.status).toBe('triage')
    expect((await read(`/tasks/${goal?.id}`)).comments).toEqual([])
    expect(await tasks()).toHaveLength(4)
    await leave()
  })

  test('an answer that cannot be used is told with its reason, and writes nothing', async () => {
    await openPlan('Report on nonsense')
    await dialog().getByRole('alert').getByText('did not answer with JSON').waitFor()
    expect(await dialog().getByRole('button', { name: 'Accept' }).isDisabled()).toBe(true)
    expect(await findBarriers(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Discard' }).click()
    expect((await tasks()).filter(({ title }) => title.includes('nonsense'))).toMatchObject([{ status: 'triage' }])
    await leave()
  })

  test('a goal that stays one task is shown with its text', async () => {
    await openPlan('A small one')
    const one = dialog().getByRole('group', { name: 'The task' })
    await one.getByLabel('What is to be done').fill('Boil it well.')
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await dialog().waitFor({ state: 'detached' })
    const written = (await tasks()).find(({ title }) => title === 'Boil water')
    expect((await read(`/tasks/${written?.id}`)).task).toMatchObject({ status: 'ready', body: 'Boil it well.' })
  })

  test('a goal that was changed meanwhile is not written over, and the plan stays', async () => {
    await leave()
    await openPlan('Report on milk')
    await dialog().getByRole('group', { name: 'Task 1' }).waitFor()
    const goal = (await tasks()).find(({ title }) => title === 'Report on milk')
    const headers = { 'x-svc-session-token': stage.token }
    await page.request.patch(`${stage.url}/api/plugins/kanban/tasks/${goal?.id}`, {
      headers,
      data: { status: 'ready' },
    })
    await dialog().getByRole('button', { name: 'Accept' }).click()
    await dialog().getByRole('alert').getByText('only a task in triage is planned').waitFor()
    expect(
      await dialog()
        .getByRole('group', { name: /^Task \d$/ })
        .count(),
    ).toBe(3)
    expect((await tasks()).filter(({ title }) => title === 'Collect figures')).toEqual([])
    expect(stage.faults).toEqual([])
  })
})
