/** The board over the API server. */
import { Boards } from 'svc/sdk/kanban'
import { fakePlatform } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openApi } from '../../http/api-server/desk.ts'

const PREFIX = '/api/plugins/kanban'

async function open(options: Parameters<typeof openApi>[1] = {}) {
  const { kernel, read, ask, ...desk } = await openApi(['x'], { ...options, plugins: ['kanban-api', 'outbox'] })
  return {
    ...desk,
    boards: kernel.use(Boards),
    ask: (path: string, options?: Parameters<typeof ask>[1]) => ask(`${PREFIX}${path}`, options),
    read: (path: string, options?: Parameters<typeof read>[1]) => read(`${PREFIX}${path}`, options),
  }
}

test('a task is created, changed, commented, linked, completed and deleted', async () => {
  const { read } = await open()
  const made = await read('/tasks', {
    body: { title: 'Write the report', assignee: 'Writer', priority: 3, max_runtime_seconds: 90, tenant: '' },
  })
  expect(made.body).toMatchObject({
    created: true,
    task: { status: 'ready', assignee: 'writer', max_runtime_seconds: 90, created_by: 'dashboard', tenant: null },
  })
  const { id } = made.body.task
  const child = (await read('/tasks', { body: { title: 'Send it', parents: [id] } })).body.task
  expect(child.status).toBe('todo')
  expect((await read(`/tasks/${id}/comments`, { body: { body: 'Use the figures of May' } })).body.ok).toBe(true)
  const changed = await read(`/tasks/${id}`, { method: 'PATCH', body: { title: 'Write it', assignee: null } })
  expect(changed.body.task).toMatchObject({ title: 'Write it', assignee: null, status: 'ready' })
  const done = await read(`/tasks/${id}`, { method: 'PATCH', body: { status: 'done', summary: 'Written.' } })
  expect(done.body.task).toMatchObject({ status: 'done', latest_summary: 'Written.' })
  const shown = await read(`/tasks/${id}`)
  expect(shown.body).toMatchObject({
    comments: [{ author: 'dashboard', body: 'Use the figures of May' }],
    links: { parents: [], children: [child.id] },
    child_results: [{ id: child.id, status: 'ready', summary: null }],
    moves: [{ verb: 'archive', to: 'archived' }],
  })
  expect((await read(`/links?parent_id=${id}&child_id=${child.id}`, { method: 'DELETE' })).body).toEqual({ ok: true })
  expect((await read(`/tasks/${id}`, { method: 'DELETE' })).body).toEqual({ deleted: true, task_id: id })
  expect((await read(`/tasks/${id}`)).status).toBe(404)
})

test('a status is set as the table allows it, and running never is', async () => {
  const { read, boards } = await open()
  const { task: parent } = await boards.create({ title: 'parent', by: 'anna' })
  const { task } = await boards.create({ title: 'child', by: 'anna', assignee: 'default', parents: [parent.id] })
  const set = async (status: string, more: object = {}) => {
    const { status: code, body } = await read(`/tasks/${task.id}`, { method: 'PATCH', body: { status, ...more } })
    return [code, body.task?.status ?? body.code]
  }
  expect(await set('running')).toEqual([400, 'kanban_input'])
  expect(await set('review')).toEqual([400, 'kanban_input'])
  expect(await set('todo', { title: ' ' })).toEqual([400, 'kanban_input'])
  expect(await set('ready')).toEqual([409, 'kanban_refused'])
  expect(await set('done')).toEqual([409, 'kanban_refused'])
  expect(await set('scheduled')).toEqual([200, 'scheduled'])
  expect(await set('todo')).toEqual([200, 'todo'])
  await boards.complete(parent.id, { by: 'anna' })
  expect(await set('ready')).toEqual([200, 'ready'])
  expect(await set('blocked', { block_reason: 'Which customer?' })).toEqual([200, 'blocked'])
  expect((await boards.get(task.id)).blockReason).toBe('Which customer?')
  expect(await set('ready')).toEqual([200, 'ready'])
  await boards.claim(task.id, { holder: 'a dispatcher' })
  expect((await read(`/tasks/${task.id}/reassign`, { body: { profile: 'writer' } })).status).toBe(409)
  const reassigned = await read(`/tasks/${task.id}/reassign`, { body: { profile: 'writer', reclaim_first: true } })
  expect(reassigned.body).toEqual({ ok: true, task_id: task.id, assignee: 'writer' })
  expect((await boards.get(task.id)).status).toBe('ready')
})

test('several changes of a task are made together, or none of them', async () => {
  const { read, boards } = await open()
  const { task } = await boards.create({ title: 'Report', by: 'anna', assignee: 'writer' })
  const patch = (body: object) => read(`/tasks/${task.id}`, { method: 'PATCH', body })
  const refused = await patch({ title: 'Other', assignee: 'other', priority: 7, status: 'triage' })
  expect(refused).toMatchObject({ status: 409, body: { code: 'kanban_refused' } })
  expect(await boards.get(task.id)).toMatchObject({ title: 'Report', assignee: 'writer', priority: 0, status: 'ready' })
  expect((await boards.events({ taskId: task.id })).map(({ kind }) => kind)).toEqual(['created'])
  const made = await patch({ title: 'Other', assignee: 'other', priority: 7, status: 'blocked', block_reason: 'Wait.' })
  expect(made.body.task).toMatchObject({ title: 'Other', assignee: 'other', priority: 7, status: 'blocked' })
  expect((await boards.events({ taskId: task.id })).map(({ kind }) => kind)).toEqual([
    ...['created', 'edited', 'assigned', 'blocked'],
  ])
  await patch({ status: 'ready' })
  await boards.claim(task.id, { holder: 'a dispatcher' })
  const bulk = { ids: [task.id], reclaim_first: true, status: 'triage' }
  expect((await read('/tasks/bulk', { body: bulk })).body.results).toMatchObject([{ ok: false }])
  expect((await boards.get(task.id)).status).toBe('running')
})

test('a task with checks is done over the API only with evidence or as not verified', async () => {
  const { read } = await open()
  const checks = [{ type: 'file', path: 'report.md' }]
  const { id } = (await read('/tasks', { body: { title: 'checked', checks } })).body.task
  const complete = (more: object) => read(`/tasks/${id}`, { method: 'PATCH', body: { status: 'done', ...more } })
  expect(await complete({})).toMatchObject({ status: 409, body: { code: 'kanban_checks_open' } })
  expect((await complete({ unverified: true })).body.task).toMatchObject({ status: 'done', verified: false })
})

test('a board shows its columns with what is around each task, and where its events go on', async () => {
  const { read, boards } = await open()
  const { task: root } = await boards.create({ title: 'root', by: 'anna', isTriage: true, tenant: 'acme' })
  const tasks = [{ title: 'part', assignee: 'writer' }]
  await boards.decompose(root.id, { tasks, rootAssignee: 'default', by: 'anna', comment: 'Apart' })
  const { body } = await read('/board')
  expect(body.columns.map(({ name }: { name: string }) => name)).toEqual([
    ...['triage', 'todo', 'scheduled', 'ready', 'running', 'blocked', 'done'],
  ])
  const [shown] = body.columns[1].tasks
  expect(shown).toMatchObject({
    ...{ id: root.id, comment_count: 1, progress: null, link_counts: { parents: 1, open_parents: 1, children: 0 } },
  })
  expect(body).toMatchObject({ tenants: ['acme'], assignees: ['default', 'writer'] })
  expect(body.latest_event_id).toBe((await read('/events?limit=1')).body.cursor)
  expect((await read('/stats')).body).toMatchObject({ by_status: { todo: 1, ready: 1 }, board: 'default' })
  expect((await read('/board?board=none')).body.code).toBe('kanban_board_unknown')
})

test('boards are created once, made current, changed, archived and removed', async () => {
  const { read } = await open()
  const body = { slug: 'work', name: 'Work', icon: 'box', switch: true }
  expect((await read('/boards', { body })).body).toMatchObject({ created: true, board: { icon: 'box' } })
  expect((await read('/boards', { body })).body.created).toBe(false)
  expect((await read('/boards')).body).toMatchObject({
    current: 'work',
    boards: [{ slug: 'default' }, { slug: 'work' }],
  })
  const changed = await read('/boards/work', { method: 'PATCH', body: { icon: null, name: 'Mine' } })
  expect(changed.body.board).toMatchObject({ icon: null, name: 'Mine' })
  expect((await read('/boards/default/switch', { body: {} })).body).toEqual({ ok: true, current: 'default' })
  expect((await read('/boards/work', { method: 'DELETE' })).body).toMatchObject({ archived: true })
  expect((await read('/boards/work?delete=true', { method: 'DELETE' })).body).toMatchObject({ deleted: true })
  expect((await read('/boards/default?delete=true', { method: 'DELETE' })).status).toBe(409)
  expect((await read('/boards', { body: { slug: 'Über' } })).body.code).toBe('kanban_input')
})

test('files come as a form or as they are, and go out as downloads', async () => {
  const { ask, read, origin, boards } = await open()
  const { task } = await boards.create({ title: 'with files', by: 'anna' })
  const form = new FormData()
  form.set('file', new File(['<b>one</b>'], 'one.html', { type: 'text/html' }))
  const sent = new Response(form)
  const one = await ask(`/tasks/${task.id}/attachments`, {
    ...{ method: 'POST', body: await sent.text() },
    headers: { 'content-type': sent.headers.get('content-type') ?? '' },
  })
  const { attachment } = (await one.json()) as { attachment: { id: number } }
  expect(attachment).toMatchObject({
    filename: 'one.html',
    content_type: 'text/html',
    size: 10,
    uploaded_by: 'dashboard',
  })
  const raw = await read(`/tasks/${task.id}/attachments?filename=two.txt`, {
    ...{ method: 'POST', body: 'two' },
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
  expect(raw.body.attachment).toMatchObject({ filename: 'two.txt', content_type: 'text/plain' })
  const got = await ask(`/attachments/${attachment.id}`)
  expect(await got.text()).toBe('<b>one</b>')
  expect(got.headers.get('content-disposition')).toMatch(/^attachment;/)
  expect((await read(`/attachments/${attachment.id}`, { method: 'DELETE' })).body.deleted).toBe(true)
  expect((await read(`/attachments/${attachment.id}`)).status).toBe(404)
  expect((await read(`/tasks/${task.id}/attachments`)).body.attachments).toHaveLength(1)
  expect((await read(`/tasks/${task.id}/attachments`, { method: 'POST', body: 'x' })).status).toBe(400)
  expect((await fetch(`${origin}${PREFIX}/attachments/2`)).status).toBe(401)
})

test('a run is shown and taken back once', async () => {
  const { read, boards } = await open()
  const { task } = await boards.create({ title: 'runs', by: 'anna', assignee: 'default' })
  await boards.claim(task.id, { holder: 'a dispatcher' })
  const { workers } = (await read('/workers/active')).body
  expect(workers).toMatchObject([{ task_id: task.id, status: 'running', claim_lock: 'a dispatcher', outcome: null }])
  const one = `/runs/${workers[0].id}`
  expect((await read(`${one}/inspect`)).body).toMatchObject({ alive: false })
  expect((await read(`${one}/terminate`, { body: { reason: 'too slow' } })).body.ok).toBe(true)
  expect((await read(`${one}/terminate`, { body: {} })).status).toBe(409)
  expect((await read(one)).body.run).toMatchObject({ outcome: 'reclaimed', status: 'ended' })
  expect((await read('/runs/99')).body.code).toBe('kanban_unknown')
})

test('of many tasks, one that is refused keeps no other back', async () => {
  const { read, boards } = await open()
  const { task: one } = await boards.create({ title: 'one', by: 'anna' })
  const { task: two } = await boards.create({ title: 'two', by: 'anna', isTriage: true })
  const ids = [one.id, two.id, 't_none']
  expect((await read('/tasks/bulk', { body: { ids, status: 'blocked' } })).body.results).toMatchObject([
    { id: one.id, ok: true },
    { id: two.id, ok: false, code: 'kanban_refused' },
    { id: 't_none', ok: false, code: 'kanban_task_unknown' },
  ])
  expect((await read('/tasks/bulk', { body: { ids, status: 'running' } })).status).toBe(400)
  expect((await read('/links', { body: { parent_id: one.id, child_id: one.id } })).body.code).toBe('kanban_graph')
  expect((await read('/tasks', { body: { title: 'x', goal_mode: true } })).body.detail).toMatch(/goal_mode/)
})

test('the home chat of a platform is offered beside a task, and hears of it until that is ended', async () => {
  const fake = fakePlatform({ settings: { home_channel: 'team' } })
  const { read, boards } = await open({ with: [fake.plugin] })
  const { task } = await boards.create({ title: 'Report', by: 'anna' })
  const list = async () => {
    const { body } = await read(`/home-channels?task_id=${task.id}`)
    return body.home_channels.filter(({ platform }: { platform: string }) => platform === 'fake')
  }
  const home = { platform: 'fake', chat_id: 'team', subscribed: false }
  expect(await list()).toMatchObject([home])
  const path = `/tasks/${task.id}/home-subscribe/fake`
  const made = await read(path, { method: 'POST', body: {} })
  expect(made.body).toMatchObject({ ok: true, task_id: task.id, home_channel: { ...home, subscribed: true } })
  expect(await list()).toMatchObject([{ subscribed: true }])
  expect(await boards.subscriptions()).toMatchObject([{ taskId: task.id, platform: 'fake', chat: 'team', thread: '' }])
  await read(path, { method: 'DELETE' })
  expect(await list()).toMatchObject([{ subscribed: false }])
  const unknown = await read(`/tasks/${task.id}/home-subscribe/other`, { method: 'POST', body: {} })
  expect(unknown).toMatchObject({ status: 404, body: { code: 'kanban_unknown' } })
})

test('a report says what a task came to, and whether that was shown', async () => {
  const { read, boards } = await open()
  const checks = [{ type: 'file', path: 'report.md' }] as const
  const { task } = await boards.create({ title: 'Write\n# it', by: 'anna', assignee: 'writer', checks })
  await boards.create({ title: 'Send it', by: 'anna', parents: [task.id] })
  await boards.comment(task.id, { author: 'anna', body: 'Use the figures\nof May' })
  await boards.complete(task.id, { by: 'anna', summary: 'Written.', result: 'All of it.', isUnverified: true })
  const { report } = (await read(`/tasks/${task.id}/report`)).body
  const parts = [`# Write # it (${task.id})`, 'Status: done, not verified', 'Written.', 'All of it.', 'Send it']
  for (const part of [...parts, 'anna: Use the figures of May']) expect(report).toContain(part)
  expect((await read('/config')).body).toMatchObject({ render_markdown: true })
})
