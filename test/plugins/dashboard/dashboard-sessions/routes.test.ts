import { Sessions } from 'svc/sdk'
import { SessionTrees } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { openDashboard } from '../dashboard/desk.ts'

async function openShelf() {
  const desk = await openDashboard({ plugins: ['dashboard-sessions', 'sessions'] })
  const sessions = desk.kernel.use(Sessions)
  const add = (title: string, text: string, surface = 'cli') => {
    const session = sessions.create({ title, surface, cwd: '/work' })
    session.record({
      turnId: `turn-${title}`,
      events: [],
      messages: [
        { role: 'user', text },
        { role: 'assistant', text: `About ${text}`, reasoning: 'hm' },
      ],
    })
    return session.id
  }
  return { ...desk, sessions, add }
}

test('sessions are listed, filtered, found by their words and read', async () => {
  const { ask, add } = await openShelf()
  const [one, two] = [add('Garden', 'tulips and roses'), add('Kitchen', 'soup', 'telegram')]
  const list = (await ask('GET', '/api/sessions')).json
  expect(list.total).toBe(2)
  expect(list.sessions.map(({ id }: { id: string }) => id).sort()).toEqual([one, two].sort())
  expect(list.sessions.find(({ id }: { id: string }) => id === one)).toMatchObject({
    title: 'Garden',
    preview: 'tulips and roses',
    source: 'cli',
    message_count: 2,
    archived: false,
  })
  expect((await ask('GET', '/api/sessions?source=telegram')).json.sessions).toHaveLength(1)
  expect((await ask('GET', '/api/sessions?exclude_sources=telegram,x')).json.total).toBe(1)
  expect((await ask('GET', '/api/sessions?archived=sometimes')).json).toMatchObject({ param: 'archived' })
  const hits = (await ask('GET', '/api/sessions/search?q=roses')).json.results
  expect(hits.map((hit: { session_id: string }) => hit.session_id)).toEqual([one, one])
  expect((await ask('GET', `/api/sessions/search?q=${two.slice(0, 12)}`)).json.results[0].session_id).toBe(two)
  const { messages, pagination } = (await ask('GET', `/api/sessions/${one}/messages?limit=1`)).json
  expect(messages).toEqual([
    expect.objectContaining({ role: 'assistant', text: 'About tulips and roses', reasoning: 'hm' }),
  ])
  expect(pagination).toEqual({ limit: 1, offset: 1, returned: 1, total: 2 })
  expect((await ask('GET', '/api/sessions/stats')).json).toMatchObject({ total: 2, by_source: { cli: 1, telegram: 1 } })
  expect((await ask('GET', '/api/sessions/none')).status).toBe(404)
})

test('a session is renamed, archived, exported, removed and brought back', async () => {
  const { ask, add } = await openShelf()
  const id = add('Garden', 'tulips')
  expect((await ask('PATCH', `/api/sessions/${id}`, { body: {} })).status).toBe(400)
  const changed = await ask('PATCH', `/api/sessions/${id}`, { body: { title: 'Roses', archived: true } })
  expect(changed.json).toMatchObject({ title: 'Roses', archived: true })
  expect((await ask('GET', '/api/sessions')).json.total).toBe(0)
  expect((await ask('GET', '/api/sessions?archived=only')).json.total).toBe(1)
  const file = await ask('GET', `/api/sessions/${id}/export`)
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect((await ask('DELETE', `/api/sessions/${id}`)).json).toEqual({ ok: true })
  expect((await ask('DELETE', `/api/sessions/${id}`)).json).toEqual({ ok: true, already_absent: true })
  expect((await ask('POST', '/api/sessions/import', { body: file.json })).json).toMatchObject({ imported_ids: [id] })
  expect((await ask('POST', '/api/sessions/import', { body: [file.json] })).json).toMatchObject({ skipped_ids: [id] })
  expect((await ask('GET', `/api/sessions/${id}`)).json).toMatchObject({ title: 'Roses', archived: false })
  const broken = await ask('POST', '/api/sessions/import', { body: { session: { id: 'x' }, messages: 5 } })
  expect(broken.status).toBe(400)
})

test('many are removed at once, those that were not used first of all, and a look removes nothing', async () => {
  const { ask, add } = await openShelf()
  const ids = ['a', 'b', 'c'].map((title) => add(title, 'words'))
  expect((await ask('POST', '/api/sessions/prune', { body: { older_than_days: 90 } })).json).toMatchObject({
    removed: 0,
  })
  const look = await ask('POST', '/api/sessions/prune', { body: { older_than_days: 0, dry_run: true } })
  expect(look.json).toMatchObject({ removed: 0 })
  expect((await ask('GET', '/api/sessions')).json.total).toBe(3)
  const gone = await ask('POST', '/api/sessions/bulk-delete', { body: { ids: [...ids.slice(1), 'none'] } })
  expect(gone.json).toEqual({ ok: true, deleted: 2 })
  expect((await ask('GET', '/api/sessions')).json.total).toBe(1)
})

test('branches are a tree with their depth, and labelled messages stand in their places', async () => {
  const { ask, add, sessions, kernel } = await openShelf()
  const id = add('Garden', 'tulips')
  const { id: child } = sessions.branch(id, { at: 1 })
  const { id: grandchild } = sessions.branch(child)
  const { id: other } = sessions.branch(id)
  const { rows: before } = (await ask('GET', `/api/sessions/${grandchild}/tree`)).json
  kernel.use(SessionTrees).label(id, { text: 'worth it', at: 2 })
  const { rows } = (await ask('GET', `/api/sessions/${grandchild}/tree`)).json
  interface Row {
    readonly session: { readonly id: string; readonly parent_session_id: string | null }
    readonly depth: number
    readonly branched_at: number | null
    readonly label: { readonly text: string; readonly at: number } | null
  }
  const brief = ({ session, depth, branched_at: at, label }: Row) => [session.id, depth, at, label]
  expect(before.map(brief)).toEqual([
    [id, 0, null, null],
    [child, 1, 1, null],
    [grandchild, 2, 1, null],
    [other, 1, 2, null],
  ])
  expect(rows.filter(({ label }: Row) => label).map(brief)).toEqual([[id, 1, null, { text: 'worth it', at: 2 }]])
  expect(rows.map(({ session }: Row) => session.parent_session_id)).toContain(child)
  expect((await ask('GET', '/api/sessions/none/tree')).status).toBe(404)
})

test('sessions without messages are counted and removed, others stay', async () => {
  const { ask, add, sessions } = await openShelf()
  const used = add('Garden', 'tulips')
  for (const title of ['one', 'two']) sessions.create({ title, surface: 'cli' })
  expect((await ask('GET', '/api/sessions/empty/count')).json).toEqual({ count: 2 })
  expect((await ask('DELETE', '/api/sessions/empty')).json).toEqual({ ok: true, deleted: 2 })
  expect((await ask('DELETE', '/api/sessions/empty')).json).toEqual({ ok: true, deleted: 0 })
  expect((await ask('GET', '/api/sessions')).json.sessions.map(({ id }: { id: string }) => id)).toEqual([used])
})

test('the latest descendant is found from branch to branch', async () => {
  const { ask, add, sessions } = await openShelf()
  const id = add('Garden', 'tulips')
  const { id: child } = sessions.branch(id, { at: 1 })
  const { id: grandchild } = sessions.branch(child)
  expect((await ask('GET', `/api/sessions/${id}/latest-descendant`)).json).toEqual({
    requested_session_id: id,
    session_id: grandchild,
    path: [id, child, grandchild],
    changed: true,
  })
  const own = (await ask('GET', `/api/sessions/${grandchild}/latest-descendant`)).json
  expect(own).toMatchObject({ session_id: grandchild, changed: false })
  expect((await ask('GET', '/api/sessions/none/latest-descendant')).status).toBe(404)
})
