/** `svc kanban decompose` and `specify`: what becomes of the answers of models, and what the looks of a dispatcher do. */
import { Boards, type NewTask, type TaskPlan, TaskPlanner } from 'svc/sdk/kanban'
import { fakeProvider, type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { readPlan, readSpecification } from '../../../../plugins/work/kanban-decompose/answer.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const MINUTE_MS = 60_000
const FAILED = 'decompose_failed'

interface OpenOptions {
  readonly config?: object
  readonly hasModel?: boolean
}

type Replies = Parameters<typeof fakeProvider>[0]

async function open(replies: Replies, { config = {}, hasModel = true }: OpenOptions = {}) {
  const home = temporaryFolder()
  writeFiles(home, {
    'profiles/writer/profile.yaml': 'description: Writes reports.\n',
    'profiles/judge/profile.yaml': '{',
    'profiles/office/SOUL.md': 'Sorts mail.',
  })
  const clock = virtualClock()
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    ...{ plugins: ['kanban-decompose'], home, clock, with: [model.plugin] },
    config: { ...(hasModel && { model: { provider: 'fake', default: 'fake-1' } }), ...config },
  })
  onTestFinished(() => kernel.stop())
  const boards = kernel.use(Boards)
  const add = async (title: string, more: Partial<NewTask> = {}) =>
    (await boards.create({ title, isTriage: true, by: 'anna', ...more })).task.id
  return {
    ...{ kernel, boards, model, clock, add },
    svc: (...words: string[]) => kernel.run(['kanban', ...words]),
    plan: async (...words: string[]) => JSON.parse((await kernel.run(['kanban', ...words, '--json'])).out),
    kinds: async (id: string) => (await boards.events({ board: null, taskId: id })).map(({ kind }) => kind),
  }
}

const fan = (tasks: readonly unknown[]) => JSON.stringify({ fanout: true, rationale: 'Two hands.', tasks })
const parts = [
  { title: 'Collect figures', body: 'Find them.', assignee: 'Office', parents: [] },
  { title: 'Write', body: 'Write it.', assignee: 'writer', parents: [0] },
  { title: 'Draw', body: 'Draw it.', assignee: 'nobody-known', parents: [0] },
]

test('a fan-out is written with its links, its assignees, one comment and one event', async () => {
  const { add, plan, boards, model, kinds } = await open([`Sure:\n\`\`\`json\n${fan(parts)}\n\`\`\``], {
    config: { kanban: { orchestrator_profile: 'judge', default_assignee: 'writer' } },
  })
  const id = await add('Report', { body: 'About tea.', tenant: 'acme' })
  const result = await plan('decompose', id)
  expect(result).toMatchObject({ ok: true, task_id: id, reason: null, fanout: true, new_title: null })
  const children = await Promise.all(result.child_ids.map((child: string) => boards.get(child)))
  expect(children.map(({ title, status, assignee, tenant }) => ({ title, status, assignee, tenant }))).toEqual([
    { title: 'Collect figures', status: 'ready', assignee: 'office', tenant: 'acme' },
    { title: 'Write', status: 'todo', assignee: 'writer', tenant: 'acme' },
    { title: 'Draw', status: 'todo', assignee: 'writer', tenant: 'acme' },
  ])
  const { task, parents, comments } = await boards.details(id)
  expect(task).toMatchObject({ status: 'todo', assignee: 'judge' })
  expect(parents.map(({ id: leaf }) => leaf).sort()).toEqual(result.child_ids.slice(1).sort())
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('2. Write (writer after 1)')])
  expect((await kinds(id)).filter((kind) => kind === 'decomposed')).toHaveLength(1)
  const sent = JSON.stringify(model.requests[0])
  for (const part of ['About tea.', 'Writes reports.', 'not described']) expect(sent).toContain(part)
})

test('no fan-out is one specified task, which keeps its assignee and is never without one', async () => {
  const one = JSON.stringify({ fanout: false, title: 'Write the report', body: '## Goal\nTea.', assignee: 'office' })
  const { add, plan, svc, boards } = await open([one, one, '## Goal\nJust text.', '{"title": "", "body": "Short."}'])
  const [free, taken, plain, last] = [
    await add('a'),
    await add('b', { assignee: 'writer' }),
    await add('c'),
    await add('d'),
  ]
  expect(await plan('decompose', free)).toEqual({
    ...{ ok: true, task_id: free, reason: null, fanout: false, child_ids: [], new_title: 'Write the report' },
  })
  expect(await boards.get(free)).toMatchObject({ status: 'ready', assignee: 'office', body: '## Goal\nTea.' })
  await plan('decompose', taken)
  expect(await boards.get(taken)).toMatchObject({ title: 'Write the report', assignee: 'writer' })
  expect((await svc('specify', plain)).out).toBe(`${plain} is specified\n`)
  expect(await boards.get(plain)).toMatchObject({ title: 'c', body: '## Goal\nJust text.', assignee: 'default' })
  expect(await plan('specify', last)).toMatchObject({ ok: true, new_title: null })
  expect((await boards.details(free)).comments[0]?.body).toContain('Before: a')
})

const many = Array.from({ length: 1000 }, (_, at) => ({ title: `Part ${at}`, body: 'b' }))
const bad: Readonly<Record<string, readonly [answer: string, reason: string]>> = {
  'no JSON': ['I would rather not.', 'did not answer with JSON'],
  'JSON that is cut off': [fan(parts).slice(0, -20), 'did not answer with JSON'],
  'damaged JSON': ['{"fanout": true, tasks}', 'damaged'],
  'JSON of another form': ['{"tasks": []}', 'another form'],
  'a bomb of braces': ['{"a":'.repeat(30_000), 'nested too deeply'],
  'a bomb of lists': [`{"fanout":true,"tasks":${'['.repeat(40_000)}`, 'nested too deeply'],
  'a flood': ['x'.repeat(300_000), 'too long'],
  'an empty list': [fan([]), 'empty list'],
  'a thousand tasks': [fan(many), '1000 tasks; 50 are the most'],
  'a task without a title': [fan([...parts, { title: ' ', body: 'b' }]), 'task 3'],
  'a task that is none': [fan([...parts, 'Write']), 'task 3'],
  'parents that are none': [fan([{ title: 'a', parents: ['b'] }]), 'task 0'],
  'an index that is not there': [fan([{ title: 'a', parents: [7] }]), 'KANBAN_GRAPH'],
  'a task that waits for itself': [fan([{ title: 'a', parents: [0] }]), 'KANBAN_GRAPH'],
  'a circle': [
    fan([
      { title: 'a', parents: [1] },
      { title: 'b', parents: [0] },
    ]),
    'KANBAN_GRAPH',
  ],
  'one task without a body': ['{"fanout": false, "title": "a"}', 'did not say which'],
}

test('an answer that cannot be used writes nothing, and the reason is said', async () => {
  const { add, svc, plan, boards, kinds } = await open(Object.values(bad).map(([answer]) => answer))
  const id = await add('Report')
  for (const [name, [, reason]] of Object.entries(bad))
    expect(await plan('decompose', id), name).toMatchObject({
      ok: false,
      task_id: id,
      reason: expect.stringContaining(reason),
      child_ids: [],
    })
  expect((await boards.list({ board: null })).tasks.map(({ title, status }) => [title, status])).toEqual([
    ['Report', 'triage'],
  ])
  expect((await boards.details(id)).comments).toEqual([])
  expect(await kinds(id)).toEqual(['created'])
  expect(await svc('decompose', id)).toMatchObject({ code: 1, err: expect.stringContaining('was not changed') })
}, 60_000)

const propose = (kernel: TestKernel, id: string) =>
  kernel.use(TaskPlanner).propose(id, { signal: new AbortController().signal })
const accept = (kernel: TestKernel, id: string, plan: TaskPlan) =>
  kernel.use(TaskPlanner).accept(id, plan, { by: 'anna', signal: new AbortController().signal })

test('a plan is proposed without writing anything, and written as a person changed it', async () => {
  const { kernel, add, boards, kinds } = await open([fan(parts)], {
    config: { kanban: { orchestrator_profile: 'judge', default_assignee: 'writer' } },
  })
  const id = await add('Report', { tenant: 'acme' })
  const { plan, ...rest } = await propose(kernel, id)
  expect(rest).toEqual({ taskId: id })
  expect(plan).toEqual({
    kind: 'parts',
    rationale: 'Two hands.',
    parts: [
      { title: 'Collect figures', body: 'Find them.', assignee: 'office', parents: [] },
      { title: 'Write', body: 'Write it.', assignee: 'writer', parents: [0] },
      { title: 'Draw', body: 'Draw it.', assignee: 'writer', parents: [0] },
    ],
  })
  expect(await boards.get(id)).toMatchObject({ status: 'triage' })
  expect((await boards.list({ board: null })).tasks).toHaveLength(1)
  expect(await kinds(id)).toEqual(['created'])
  const [, second] = plan?.kind === 'parts' ? plan.parts : []
  if (!second) throw new Error('no parts')
  const changed: TaskPlan = {
    kind: 'parts',
    rationale: '',
    parts: [
      { ...second, title: ' Write\nit ', parents: [] },
      { title: 'Print', body: '', parents: [0, 0] },
    ],
  }
  const done = await accept(kernel, id, changed)
  expect(done).toMatchObject({ taskId: id, isFanOut: true })
  const children = await Promise.all(done.childIds.map((child) => boards.get(child)))
  expect(children.map(({ title, assignee, status, tenant }) => ({ title, assignee, status, tenant }))).toEqual([
    { title: 'Write it', assignee: 'writer', status: 'ready', tenant: 'acme' },
    { title: 'Print', assignee: 'writer', status: 'todo', tenant: 'acme' },
  ])
  expect((await boards.details(id)).comments).toMatchObject([{ author: 'anna' }])
  expect(await propose(kernel, id)).toEqual({ taskId: id, reason: expect.stringContaining('only a task in triage') })
  expect(await accept(kernel, id, changed)).toMatchObject({ reason: expect.stringContaining('only a task in triage') })
})

test('no plan is proposed of an answer that cannot be used, also where only its links are wrong', async () => {
  const { kernel, add, boards, kinds } = await open(Object.values(bad).map(([answer]) => answer))
  const id = await add('Report')
  for (const [name, [, reason]] of Object.entries(bad)) {
    const said = reason === 'KANBAN_GRAPH' ? /cannot wait for|in a circle/ : new RegExp(reason)
    expect(await propose(kernel, id), name).toEqual({ taskId: id, reason: expect.stringMatching(said) })
  }
  expect((await boards.list({ board: null })).tasks).toHaveLength(1)
  expect(await kinds(id)).toEqual(['created'])
})

test('a plan that a person broke is not written, and the reason names the task', async () => {
  const { kernel, add, boards, kinds } = await open([])
  const id = await add('Report')
  const part = { title: 'a', body: 'b', parents: [] as number[] }
  const refused: readonly (readonly [plan: TaskPlan, reason: string])[] = [
    [{ kind: 'parts', rationale: '', parts: [] }, 'the plan has no tasks'],
    [{ kind: 'parts', rationale: '', parts: Array.from({ length: 51 }, () => part) }, '51 tasks; 50 are the most'],
    [{ kind: 'parts', rationale: '', parts: [part, { ...part, title: ' \n' }] }, 'task 2 of the plan has no title'],
    [{ kind: 'parts', rationale: '', parts: [{ ...part, assignee: 'ghost' }] }, 'there is no profile "ghost"'],
    [{ kind: 'parts', rationale: '', parts: [{ ...part, parents: [0] }] }, 'task 1 of the plan cannot wait for task 1'],
    [{ kind: 'parts', rationale: '', parts: [{ ...part, parents: [4] }] }, 'cannot wait for task 5'],
    [
      { kind: 'parts', rationale: '', parts: [{ ...part, parents: [1] }, { ...part, parents: [0] }, part] },
      'the tasks 1, 2 of the plan wait for each other in a circle',
    ],
    [{ kind: 'one', rationale: '', body: ' ' }, 'the task has no description'],
  ]
  for (const [plan, reason] of refused)
    expect(await accept(kernel, id, plan)).toEqual({
      ...{ taskId: id, isFanOut: false, childIds: [] },
      reason: expect.stringContaining(reason),
    })
  expect((await boards.list({ board: null })).tasks).toHaveLength(1)
  expect(await kinds(id)).toEqual(['created'])
  const one: TaskPlan = { kind: 'one', rationale: '', title: 'Write', body: 'It.', assignee: 'Writer' }
  expect(await accept(kernel, id, one)).toMatchObject({ isFanOut: false, newTitle: 'Write' })
  expect(await boards.get(id)).toMatchObject({ status: 'ready', assignee: 'writer', body: 'It.' })
})

test('texts of an answer are cut to what a board takes, without control characters', () => {
  const plan = readPlan(fan([{ title: `a\u0000b\n${'x'.repeat(200)}`, body: `c\u001b[31m\n${'y'.repeat(20_000)}` }]))
  const [part] = plan.kind === 'parts' ? plan.parts : []
  expect([part?.title.length, part?.title.slice(0, 4), part?.body.slice(0, 6), part?.body.length]).toEqual([
    80,
    'ab x',
    'c[31m\n',
    16_000,
  ])
  expect(readPlan(`{"x":"}{"} ${fan(parts)}`).kind).toBe('bad')
  expect(readPlan(fan([{ title: 'a "} b', body: '{[' }])).kind).toBe('parts')
  expect(readSpecification('')).toBeUndefined()
  expect(readSpecification('```\nText\n```')).toEqual({ body: 'Text' })
})

test('without a model the reason is said in the result', async () => {
  const { add, plan } = await open([], { hasModel: false, config: { model: {} } })
  expect(await plan('decompose', await add('Report'))).toMatchObject({
    ok: false,
    reason: 'no auxiliary client configured',
  })
})

test('only tasks in triage are planned, and words that cannot be meant are refused', async () => {
  const { add, plan, svc, boards, model } = await open([])
  const id = await add('Report', { isTriage: false })
  expect(await plan('decompose', id)).toMatchObject({ ok: false, reason: expect.stringContaining('ready') })
  expect(await plan('specify', 't_00000000')).toMatchObject({ ok: false, reason: expect.stringContaining('KANBAN_') })
  for (const words of [['decompose'], ['decompose', id, '--all'], ['specify']])
    expect(await svc(...words)).toMatchObject({ code: 2, err: expect.stringContaining('CLI_USAGE') })
  expect(await svc('decompose', '--all')).toMatchObject({
    code: 0,
    out: expect.stringContaining('No task is in triage.'),
  })
  expect([model.requests.length, (await boards.get(id)).status]).toEqual([0, 'ready'])
})

test('a task that leaves triage while the model works is not changed', async () => {
  let leave = () => {}
  const { add, plan, boards } = await open(() => {
    leave()
    return fan(parts)
  })
  const id = await add('Report')
  leave = () => void boards.archive(id, { by: 'anna' })
  expect(await plan('decompose', id)).toMatchObject({ ok: false, reason: expect.stringContaining('KANBAN_') })
  expect((await boards.list({ board: null })).tasks).toEqual([])
})

test('--all is about the tasks of a tenant', async () => {
  const { add, plan } = await open(['{"fanout":false,"body":"B"}', '{"fanout":false,"body":"B"}', 'no'])
  const ids = [await add('a', { tenant: 'acme' }), await add('b', { tenant: 'acme' })]
  const other = await add('c')
  const { results } = await plan('decompose', '--all', '--tenant', 'acme')
  expect(results.map(({ task_id }: { task_id: string }) => task_id).sort()).toEqual(ids.sort())
  expect((await plan('decompose', '--all')).results).toEqual([expect.objectContaining({ ok: false, task_id: other })])
})

test('each look plans a few new tasks, and gives up on one that fails again and again', async () => {
  const settings = { kanban: { auto_decompose_per_tick: 2 } }
  let isFixed = false
  const { add, clock, boards, kinds, model, kernel } = await open(
    ({ messages }) => (!isFixed && JSON.stringify(messages).includes('bad') ? 'no' : '{"fanout":false,"body":"B"}'),
    { config: settings },
  )
  const { signal } = new AbortController()
  const look = () => kernel.use(TaskPlanner).planDue(signal)
  const failing = await add('bad')
  for (const title of ['a', 'b', 'c']) {
    await clock.advance(1)
    await add(title)
  }
  const countOpen = async () => (await boards.list({ board: null, statuses: ['triage'] })).total
  expect(await look()).toMatchObject([{ taskId: failing, reason: expect.any(String) }, { isFanOut: false }])
  expect([await countOpen(), await kinds(failing)]).toEqual([3, ['created', FAILED]])
  // Two processes that look at the same time: one of them plans.
  const both = await Promise.all([look(), look()])
  expect(both.map(({ length }) => length).sort()).toEqual([0, 2])
  for (let minute = 0; minute < 60; minute++) {
    await clock.advance(MINUTE_MS)
    await look()
  }
  expect(await kinds(failing)).toEqual(['created', FAILED, FAILED, FAILED])
  expect(model.requests).toHaveLength(6)
  isFixed = true
  await boards.edit(failing, { body: 'More.' }, { by: 'anna' })
  await look()
  expect(await countOpen()).toBe(0)
})

test('where it is switched off, or no model is connected, looks plan nothing', async () => {
  const { signal } = new AbortController()
  for (const options of [{ config: { kanban: { auto_decompose: false } } }, { hasModel: false }]) {
    const { add, kernel, kinds } = await open(['no'], options)
    const id = await add('a')
    expect(await kernel.use(TaskPlanner).planDue(signal)).toEqual([])
    expect(await kinds(id)).toEqual(['created'])
  }
})
