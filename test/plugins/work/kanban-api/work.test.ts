/** What other plugins do for the routes of the board: plan, dispatch, show logs, describe profiles. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Boards, TaskDispatch } from 'svc/sdk/kanban'
import { expect, test } from 'vitest'
import { openApi } from '../../http/api-server/desk.ts'

const PREFIX = '/api/plugins/kanban'

async function open(script: Parameters<typeof openApi>[0] = ['x'], modelConfig?: Record<string, unknown>) {
  const desk = await openApi(script, { plugins: ['kanban-api'], ...(modelConfig && { modelConfig }) })
  const { kernel, read } = desk
  return {
    ...{ kernel, home: kernel.home, boards: kernel.use(Boards) },
    read: (path: string, options?: Parameters<typeof read>[1]) => read(`${PREFIX}${path}`, options),
  }
}

test('a task is taken apart over the API, and why one is not planned is in the result', async () => {
  const answer = { fanout: true, rationale: 'two', tasks: [{ title: 'One', body: '', assignee: null, parents: [] }] }
  const { read, boards } = await open([JSON.stringify(answer), 'no JSON'])
  const { task } = await boards.create({ title: 'big', by: 'anna', isTriage: true })
  const planned = (await read(`/tasks/${task.id}/decompose`, { body: {} })).body
  expect(planned).toMatchObject({ ok: true, task_id: task.id, fanout: true, reason: null })
  expect((await boards.get(planned.child_ids[0])).createdBy).toBe('dashboard')
  const again = await read(`/tasks/${task.id}/specify`, { body: {} })
  expect(again).toMatchObject({ status: 200, body: { ok: false, fanout: false, child_ids: [] } })
  expect((await read('/tasks/t_none/decompose', { body: {} })).status).toBe(404)
})

test('a plan is seen over the API before it is written, and is written as it is sent', async () => {
  const proposed = {
    ...{ fanout: true, rationale: 'two', title: null, body: null, assignee: null },
    tasks: [
      { title: 'One', body: '', assignee: 'default', parents: [] },
      { title: 'Two', body: 'after', assignee: 'default', parents: [0] },
    ],
  }
  const small = { ...{ fanout: false, rationale: null, title: 'Small', body: 'It.', assignee: 'default' }, tasks: [] }
  const { read, boards } = await open([JSON.stringify(proposed), 'no JSON', JSON.stringify(small)])
  const { task } = await boards.create({ title: 'big', by: 'anna', isTriage: true })
  const path = `/tasks/${task.id}/plan`
  expect((await read(path, { body: {} })).body).toEqual({ ok: true, task_id: task.id, reason: null, plan: proposed })
  expect((await read(path, { body: {} })).body).toMatchObject({ ok: false, plan: null, reason: expect.any(String) })
  expect((await read(path, { body: {} })).body).toMatchObject({ ok: true, plan: small })
  expect((await boards.list({ board: null })).tasks).toHaveLength(1)
  const put = (plan: unknown) => read(path, { method: 'PUT', body: { plan, author: 'ada' } })
  expect((await put({ fanout: true, tasks: [{ title: 'x', parents: ['y'] }] })).status).toBe(400)
  expect((await put({ fanout: true, tasks: [{ title: '' }] })).body).toMatchObject({ ok: false, child_ids: [] })
  expect((await boards.get(task.id)).status).toBe('triage')
  const { body } = await put({ ...proposed, tasks: proposed.tasks.slice(0, 1) })
  expect(body).toMatchObject({ ok: true, fanout: true, child_ids: [expect.any(String)] })
  expect(await boards.get(body.child_ids[0])).toMatchObject({ title: 'One', createdBy: 'ada' })
  expect((await read('/tasks/t_none/plan', { body: {} })).status).toBe(404)
})

test('what kept the model from being asked is a reason, and no failure of the request', async () => {
  const { read, boards } = await open(['x'], { provider: 'nobody', default: 'none' })
  const { task } = await boards.create({ title: 'big', by: 'anna', isTriage: true })
  const planned = await read(`/tasks/${task.id}/decompose`, { body: {} })
  expect(planned).toMatchObject({ status: 200, body: { ok: false, reason: expect.stringMatching(/nobody/) } })
  expect((await boards.get(task.id)).status).toBe('triage')
})

test('a dry look says what would be started, and only what is ready', async () => {
  const { read, boards } = await open()
  const { task } = await boards.create({ title: 'one', by: 'anna', assignee: 'default' })
  await boards.create({ title: 'two', by: 'anna', parents: [task.id] })
  const { body } = await read('/dispatch?dry_run=true', { method: 'POST', body: {} })
  expect(body.started).toMatchObject([{ task: task.id, assignee: 'default' }])
  expect((await boards.get(task.id)).status).toBe('ready')
  expect((await read('/dispatch?dry_run=true&board=none', { method: 'POST', body: {} })).status).toBe(404)
})

test('the log of a task is read from its end, goes on where a reader was, and never cuts a character or shows a secret', async () => {
  const { read, boards, home, kernel } = await open()
  const { task } = await boards.create({ title: 'one', by: 'anna' })
  const log = `/tasks/${task.id}/log`
  expect((await read(log)).body).toMatchObject({ exists: false, content: '', size_bytes: 0 })
  const file = join(home, 'logs', 'kanban', `${task.id}.log`)
  mkdirSync(join(home, 'logs', 'kanban'), { recursive: true })
  writeFileSync(file, 'first\nsecond €\n')
  expect((await read(log)).body).toMatchObject({
    exists: true,
    content: 'first\nsecond €\n',
    truncated: false,
    path: file,
  })
  const tail = (await read(`${log}?tail=13`)).body
  expect(tail).toMatchObject({ content: 'second €\n', truncated: true })
  appendFileSync(file, 'key correct-horse-battery-staple\nhal')
  const next = (await read(`${log}?after=${tail.to}`)).body
  expect(next.content).not.toContain('correct-horse')
  expect(next.content).toMatch(/^key .*\n$/)
  appendFileSync(file, 'f\n')
  expect((await read(`${log}?after=${next.to}`)).body.content).toBe('half\n')
  writeFileSync(file, 'anew\n')
  expect((await read(`${log}?after=${next.to}`)).body.content).toBe('anew\n')
  writeFileSync(file, '€€€')
  const parts = kernel.use(TaskDispatch)
  let text = ''
  for (let after = 0, size = 1; after < size; ) {
    const part = await parts.log(task.id, { after, maxBytes: 4 })
    text += part.text
    ;[after, size] = [part.to, part.size]
  }
  expect(text).toBe('€€€')
})

test('who judges and who gets tasks is read and set, for profiles that exist', async () => {
  const { read, home } = await open()
  mkdirSync(join(home, 'profiles', 'lead'), { recursive: true })
  expect((await read('/orchestration')).body).toEqual({
    ...{ orchestrator_profile: '', default_assignee: '', auto_decompose: true },
    ...{ resolved_orchestrator_profile: 'default', resolved_default_assignee: 'default' },
  })
  const set = await read('/orchestration', {
    method: 'PUT',
    body: { orchestrator_profile: 'lead', auto_decompose: false },
  })
  expect(set.body).toMatchObject({
    orchestrator_profile: 'lead',
    resolved_orchestrator_profile: 'lead',
    auto_decompose: false,
  })
  const refused = await read('/orchestration', { method: 'PUT', body: { default_assignee: 'nobody' } })
  expect([refused.status, refused.body.code]).toEqual([400, 'kanban_profile_unknown'])
})

test('profiles are listed, and a description is written by a person or by a model that replaces no person', async () => {
  const { read, home } = await open([JSON.stringify({ description: 'Writes.' })])
  mkdirSync(join(home, 'profiles', 'writer'), { recursive: true })
  const auto = (overwrite: boolean) => read('/profiles/writer/describe-auto', { body: { overwrite } })
  expect((await auto(false)).body).toMatchObject({ ok: true, description: 'Writes.' })
  const set = await read('/profiles/writer', { method: 'PATCH', body: { description: 'Writes letters.' } })
  expect(set.body).toEqual({ ok: true, profile: 'writer', description: 'Writes letters.' })
  expect((await auto(false)).body).toMatchObject({ ok: false, description: 'Writes letters.' })
  expect((await read('/profiles')).body.profiles).toMatchObject([
    { name: 'default', is_default: true },
    { name: 'writer', is_default: false, description: 'Writes letters.', description_auto: false, skill_count: 0 },
  ])
  expect((await read('/profiles/nobody', { method: 'PATCH', body: { description: 'x' } })).status).toBe(404)
})
