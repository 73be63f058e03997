import { type PluginContext, Sessions } from 'svc/sdk'
import { BeforeConversationChange, SessionBranched, SessionsRemoved } from 'svc/sdk/hooks'
import { expect, test } from 'vitest'
import { openApi, parseEvents } from '../api-server/desk.ts'
import { notes } from '../api-server/notes.ts'

test('a session is begun, talked in, named, branched, looked at and removed', async () => {
  const { read, heard } = await openApi(['One.', 'Two.'])
  const made = await read('/api/sessions', { body: { id: 'trip-1', title: 'A trip', system_prompt: 'Be brief.' } })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    object: 'svc.session',
    session: { id: 'trip-1', title: 'A trip', source: 'api', has_system_prompt: true },
  })
  const again = await read('/api/sessions', { body: { id: 'trip-1' } })
  expect([again.status, again.body.error.code]).toEqual([409, 'session_exists'])
  const chat = await read('/api/sessions/trip-1/chat', { body: { message: 'a' } })
  expect(chat.body).toMatchObject({
    object: 'svc.session.chat.completion',
    session_id: 'trip-1',
    message: { role: 'assistant', content: 'One.' },
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  })
  const renamed = await read('/api/sessions/trip-1', { method: 'PATCH', body: { title: 'Another trip' } })
  expect(renamed.body.session).toMatchObject({ title: 'Another trip', message_count: 2 })
  const fork = await read('/api/sessions/trip-1/fork', { body: { title: 'Fork' } })
  expect(fork.body.session).toMatchObject({ title: 'Fork', parent_session_id: 'trip-1', has_system_prompt: true })
  await read(`/api/sessions/${fork.body.session.id}/chat`, { body: { input: 'b' } })
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
  const messages = await read('/api/sessions/trip-1/messages')
  expect(messages.body.data).toMatchObject([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'One.' },
  ])
  const list = await read('/api/sessions?limit=1')
  expect(list.body).toMatchObject({ object: 'list', limit: 1, offset: 0, has_more: false })
  expect((await read('/api/sessions?include_children=true')).body.data).toHaveLength(2)
  expect((await read('/api/sessions/trip-1', { method: 'DELETE' })).body).toEqual({
    object: 'svc.session.deleted',
    id: 'trip-1',
    deleted: true,
  })
  const gone = await read('/api/sessions/trip-1')
  expect([gone.status, gone.body.error.code]).toEqual([404, 'session_not_found'])
})

test('what the user took back is in no answer', async () => {
  const { read, kernel } = await openApi(['One.', 'Two.'])
  await read('/api/sessions', { body: { id: 's' } })
  await read('/api/sessions/s/chat', { body: { message: 'hello' } })
  await read('/api/sessions/s/chat', { body: { message: 'my password is hunter2' } })
  kernel.use(Sessions).open('s').rewind(2)
  const fork = await read('/api/sessions/s/fork', { body: {} })
  for (const id of ['s', fork.body.session.id]) {
    const messages = await read(`/api/sessions/${id}/messages`)
    expect(messages.body.data.map(({ content }: { content: string }) => content)).toEqual(['hello', 'One.'])
  }
})

test('the list of sessions comes in pages, without forks unless they are asked for', async () => {
  const { read } = await openApi(() => '')
  for (const id of ['one', 'two', 'three']) await read('/api/sessions', { body: { id } })
  await read('/api/sessions/one/fork', { body: { title: 'Fork' } })
  const page = async (query: string) => {
    const { data, has_more } = (await read(`/api/sessions?${query}`)).body
    return [data.map(({ id }: { id: string }) => id), has_more]
  }
  const [all] = await page('limit=200')
  expect([...all].sort()).toEqual(['one', 'three', 'two'])
  expect(await page('limit=2')).toEqual([all.slice(0, 2), true])
  expect(await page('limit=2&offset=2')).toEqual([all.slice(2), false])
  expect(await page('limit=3')).toEqual([all, false])
  expect(await page('offset=999999999999999')).toEqual([[], false])
  expect((await page('limit=3&include_children=true'))[1]).toBe(true)
  expect(await page('source=nowhere')).toEqual([[], false])
})

test('a talk in a session can be watched', async () => {
  const script = [{ text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] }, 'Done.']
  const { ask } = await openApi(() => script.shift() ?? '', { with: [notes] })
  await ask('/api/sessions', { body: { id: 's' } })
  const events = parseEvents(
    await (await ask('/api/sessions/s/chat/stream', { body: { message: 'Note: milk' } })).text(),
  )
  expect(events.map(({ name }) => name)).toEqual([
    'run.started',
    'message.started',
    'assistant.delta',
    'tool.started',
    'tool.completed',
    'assistant.delta',
    'assistant.completed',
    'run.completed',
    'done',
  ])
  expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, at) => at))
  expect(events.at(-3)?.data).toMatchObject({ content: 'Let me see.\n\nDone.', completed: true, session_id: 's' })
})

test.for([
  ['a field that cannot be set', 'POST', '/api/sessions', { color: 'x' }, 400, 'unsupported_session_field'],
  ['a blank title', 'PATCH', '/api/sessions/s', { title: ' ' }, 400, 'session_title_empty'],
  ['another field', 'PATCH', '/api/sessions/s', { title: 'x', model: 'y' }, 400, 'unsupported_session_field'],
  ['a change of nothing', 'PATCH', '/api/sessions/s', {}, 400, 'invalid_request'],
  ['a fork under a taken id', 'POST', '/api/sessions/s/fork', { id: 's' }, 409, 'session_exists'],
  ['a fork under a path', 'POST', '/api/sessions/s/fork', { id: '../s' }, 400, 'invalid_request'],
  ['an id with a path in it', 'POST', '/api/sessions', { id: '../../etc' }, 400, 'invalid_request'],
  ['silence', 'POST', '/api/sessions/s/chat', {}, 400, 'missing_message'],
  ['a talk in no session', 'POST', '/api/sessions/none/chat', { message: 'a' }, 404, 'session_not_found'],
  ['a fork of nothing', 'POST', '/api/sessions/none/fork', {}, 404, 'session_not_found'],
  ['a limit that is none', 'GET', '/api/sessions?limit=many', undefined, 400, 'invalid_request'],
] as const)('%s is refused', async ([, method, path, body, status, code]) => {
  const { ask, read } = await openApi(['x'])
  await ask('/api/sessions', { body: { id: 's' } })
  const reply = await read(path, { method, ...(body && { body }) })
  expect([reply.status, reply.body.error.code]).toEqual([status, code])
})

test('a session tells how it begins, what was done in it, and when each message was recorded', async () => {
  const script = [{ text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] }, 'Done.', 'Bye.']
  const { read, kernel } = await openApi(() => script.shift() ?? '', { with: [notes] })
  await read('/api/sessions', { body: { id: 's' } })
  await read('/api/sessions/s/chat', { body: { message: '  Note:\n\n milk ' } })
  const { session } = (await read('/api/sessions/s')).body
  expect(session).toMatchObject({ preview: 'Note: milk', tool_call_count: 1, api_call_count: 2, _lineage_root_id: 's' })
  expect(session).toMatchObject({ user_id: null, model: null, has_model_config: false, ended_at: null })
  const known = await read('/api/sessions/s/messages')
  expect(known.body.data.map(({ role, finish_reason: reason }: Record<string, unknown>) => [role, reason])).toEqual([
    ['user', undefined],
    ['assistant', 'tool_calls'],
    ['tool', undefined],
    ['assistant', null],
  ])
  const times = known.body.data.map(({ timestamp }: { timestamp: number }) => timestamp * 1000)
  expect([...times].sort()).toEqual(times)
  expect(times[0]).toBeGreaterThanOrEqual(kernel.use(Sessions).summary('s').createdAt)
  expect(times.at(-1)).toBeLessThanOrEqual(kernel.use(Sessions).summary('s').updatedAt)
  // What was taken back is not in the preview, although it was done.
  kernel.use(Sessions).open('s').rewind(0)
  await read('/api/sessions/s/chat', { body: { message: 'hello' } })
  const [listed] = (await read('/api/sessions')).body.data
  expect(listed).toMatchObject({ preview: 'hello', tool_call_count: 1, api_call_count: 3 })
  expect(listed).toEqual((await read('/api/sessions/s')).body.session)
})

test('a session has its own model, ends, and is opened again by a message', async () => {
  const { read, model } = await openApi(() => 'x', {
    config: { model_routes: { small: { model: 'fake-small' } } },
  })
  await read('/api/sessions', { body: { id: 's', model: 'small' } })
  await read('/api/sessions/s/chat', { body: { message: 'a' } })
  expect(model.requests.at(-1)?.model).toBe('fake-small')
  const ended = await read('/api/sessions/s', { method: 'PATCH', body: { end_reason: 'finished' } })
  expect(ended.body.session).toMatchObject({ end_reason: 'finished', model: 'small', has_model_config: true })
  expect(ended.body.session.ended_at).toBeGreaterThanOrEqual(ended.body.session.started_at)
  await read('/api/sessions/s/chat', { body: { message: 'b' } })
  expect((await read('/api/sessions/s')).body.session).toMatchObject({
    ended_at: null,
    end_reason: null,
    model: 'small',
  })
  const fork = await read('/api/sessions/s/fork', { body: { id: 's-2' } })
  expect(fork.body.session).toMatchObject({ id: 's-2', _lineage_root_id: 's', end_reason: null, model: 'small' })
  expect((await read('/api/sessions/s')).body.session).toMatchObject({ end_reason: 'branched' })
  const open = await read('/api/sessions/s', { method: 'PATCH', body: { end_reason: null } })
  expect(open.body.session).toMatchObject({ ended_at: null, end_reason: null })
})

test('plugins hear of branches and removals of clients, and may deny a branch and an end', async () => {
  const heard: unknown[] = []
  let isDenied = true
  const keeper = {
    name: 'keeper',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(BeforeConversationChange, ({ reason, sessionId }) => {
        heard.push({ reason, sessionId })
        return isDenied ? { decision: 'deny', reason: 'it is archived' } : undefined
      })
      ctx.on(SessionBranched, ({ parentId }) => void heard.push({ branched: parentId }))
      ctx.on(SessionsRemoved, ({ sessions }) => void heard.push({ removed: sessions.map(({ id }) => id) }))
    },
  }
  const { read } = await openApi(['One.'], { with: [keeper] })
  await read('/api/sessions', { body: { id: 'trip-1' } })
  await read('/api/sessions/trip-1/chat', { body: { message: 'a' } })
  const fork = await read('/api/sessions/trip-1/fork', { body: { id: 'trip-2' } })
  expect([fork.status, fork.body.error.message]).toEqual([403, 'Nothing was changed: it is archived.'])
  const end = await read('/api/sessions/trip-1', { method: 'PATCH', body: { title: 'Over', end_reason: 'done' } })
  expect(end.status).toBe(403)
  expect((await read('/api/sessions/trip-1')).body.session).toMatchObject({ title: 'a', end_reason: null })
  expect((await read('/api/sessions/trip-2')).status).toBe(404)
  isDenied = false
  expect((await read('/api/sessions/trip-1/fork', { body: { id: 'trip-2' } })).status).toBe(201)
  await read('/api/sessions/trip-2', { method: 'DELETE' })
  expect(heard).toEqual([
    { reason: 'branch', sessionId: 'trip-1' },
    { reason: 'close', sessionId: 'trip-1' },
    { reason: 'branch', sessionId: 'trip-1' },
    { branched: 'trip-1' },
    { removed: ['trip-2'] },
  ])
})
