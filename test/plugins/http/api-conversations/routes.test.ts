/** Conversations of the public API, by its own client and by hand. */
import OpenAI from 'openai'
import { Sessions } from 'svc/sdk'
import type { ScriptedReply } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { KEY, openApi } from '../api-server/desk.ts'
import { notes } from '../api-server/notes.ts'

async function start(script: readonly ScriptedReply[]) {
  const rest = [...script]
  const desk = await openApi(() => rest.shift() ?? 'Fine.', { with: [notes] })
  const openai = new OpenAI({ baseURL: desk.url, apiKey: KEY, maxRetries: 0 })
  const respond = (conversation: string, input: string) =>
    openai.responses.create({ model: 'svc', conversation, input })
  const listItems = async (id: string) => {
    const all: unknown[] = []
    for await (const item of openai.conversations.items.list(id, { order: 'asc', limit: 2 })) all.push(item)
    return all as { readonly id: string; readonly type: string; readonly role?: string }[]
  }
  return { ...desk, openai, respond, listItems }
}

const call = { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] }
const user = (content: string) => ({ type: 'message', role: 'user', content }) as const

test('a conversation is created, changed, looked at and removed', async () => {
  const { openai } = await start([])
  const made = await openai.conversations.create({ metadata: { topic: 'demo' } })
  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'demo' } })
  expect(await openai.conversations.retrieve(made.id)).toEqual(made)
  const changed = await openai.conversations.update(made.id, { metadata: { topic: 'other' } })
  expect(changed).toEqual({ ...made, metadata: { topic: 'other' } })
  expect(await openai.conversations.delete(made.id)).toEqual({
    id: made.id,
    object: 'conversation.deleted',
    deleted: true,
  })
  await expect(openai.conversations.retrieve(made.id)).rejects.toMatchObject({
    status: 404,
    code: 'conversation_not_found',
  })
})

test('responses continue it in one session, and it has all that was said and done', async () => {
  const { openai, respond, listItems, heard, kernel } = await start([call, 'Noted.', 'It was milk.'])
  const { id } = await openai.conversations.create({})
  const first = await respond(id, 'Note: milk')
  expect(first.conversation).toEqual({ id })
  await respond(id, 'What was it?')
  expect(heard()).toContain('tool: noted')
  expect(kernel.use(Sessions).list()).toHaveLength(1)
  const items = await listItems(id)
  expect(items.map(({ type, role }) => role ?? type)).toEqual([
    'user',
    'assistant',
    'mcp_call',
    'assistant',
    'user',
    'assistant',
  ])
  expect(items.slice(1, 4).map((item) => item.id)).toEqual(first.output.map((item) => item.id))
})

test('a conversation that begins with items is told to the model', async () => {
  const { openai, respond, heard } = await start([])
  const items = [user('My name is Ann.'), { type: 'message', role: 'assistant', content: 'Hello Ann.' } as const]
  const { id } = await openai.conversations.create({ items })
  await respond(id, 'Who am I?')
  expect(heard()).toEqual(['user: My name is Ann.', 'assistant: Hello Ann.', 'user: Who am I?'])
})

test('what a client adds and removes counts for the next response', async () => {
  const { openai, respond, heard, listItems } = await start(['One.', 'Two.'])
  const { id } = await openai.conversations.create({})
  await respond(id, 'a')
  const added = await openai.conversations.items.create(id, { items: [user('b'), user('c')] })
  expect(added).toMatchObject({ object: 'list', has_more: false, first_id: added.data[0]?.id })
  const last = added.data[1]?.id ?? ''
  expect(await openai.conversations.items.retrieve(last, { conversation_id: id })).toEqual(added.data[1])
  await openai.conversations.items.delete(last, { conversation_id: id })
  await respond(id, 'd')
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b\n\nd'])
  expect(await listItems(id)).toHaveLength(5)
})

test('items come in pages, the newest first unless asked otherwise', async () => {
  const { openai, read } = await start([])
  const { id } = await openai.conversations.create({ items: ['a', 'b', 'c'].map(user) })
  const path = `/v1/conversations/${id}/items`
  const page = (await read(`${path}?limit=2`)).body
  const texts = (body: typeof page) => body.data.map(({ content }: { content: [{ text: string }] }) => content[0].text)
  expect([texts(page), page.has_more, page.last_id]).toEqual([['c', 'b'], true, page.data[1].id])
  const next = (await read(`${path}?limit=2&after=${page.last_id}`)).body
  expect([texts(next), next.has_more]).toEqual([['a'], false])
  expect(texts((await read(`${path}?order=asc`)).body)).toEqual(['a', 'b', 'c'])
  const strange = await read(`${path}?after=msg_none`)
  expect([strange.status, strange.body.error.param]).toEqual([400, 'after'])
})

test('a streamed response, and one in the background, belong to it too', async () => {
  const { openai, listItems, read } = await start(['One.', 'Two.'])
  const { id } = await openai.conversations.create({})
  const stream = await openai.responses.create({ model: 'svc', conversation: id, input: 'a', stream: true })
  for await (const _ of stream) void _
  const { id: response } = await openai.responses.create({
    model: 'svc',
    conversation: id,
    input: 'b',
    background: true,
  })
  while ((await read(`/v1/responses/${response}`)).body.status === 'in_progress') await Promise.resolve()
  expect((await listItems(id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('a removed session is replaced by a new one with the items', async () => {
  const { openai, respond, kernel, heard } = await start(['One.', 'Two.'])
  const { id } = await openai.conversations.create({})
  await respond(id, 'a')
  await kernel.use(Sessions).remove(
    kernel
      .use(Sessions)
      .list()
      .map((session) => session.id),
  )
  await respond(id, 'b')
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('holders of different session keys have their own conversations', async () => {
  const { read } = await start([])
  const mine = { 'x-svc-session-key': 'u1' }
  const { id } = (await read('/v1/conversations', { body: {}, headers: mine })).body
  expect((await read(`/v1/conversations/${id}`, { headers: mine })).status).toBe(200)
  for (const headers of [{ 'x-svc-session-key': 'u2' }, {}]) {
    expect((await read(`/v1/conversations/${id}`, { headers })).status).toBe(404)
    expect((await read(`/v1/conversations/${id}/items`, { headers })).status).toBe(404)
    const reply = await read('/v1/responses', { body: { input: 'a', conversation: id }, headers })
    expect([reply.status, reply.body.error.code]).toEqual([404, 'conversation_not_found'])
  }
})

test.each([
  ['/v1/conversations', { items: [{ role: 'nobody', content: 'a' }] }, 'items[0].role'],
  ['/v1/conversations', { items: Array.from({ length: 21 }, () => user('a')) }, 'items'],
  ['/v1/conversations', { metadata: { a: 5 } }, 'metadata.a'],
  ['/v1/conversations', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
])('%s is refused with a wrong field: case %#', async (path, body, param) => {
  const { read } = await start([])
  const reply = await read(path, { body })
  expect([reply.status, reply.body.error.param]).toEqual([400, param])
})

test('a run takes no conversation, a name of the client’s own stays a chain', async () => {
  const { openai, read, heard } = await start(['One.', 'Two.'])
  const { id } = await openai.conversations.create({})
  const run = await read('/v1/runs', { body: { input: 'a', conversation: id } })
  expect([run.status, run.body.error.param]).toEqual([400, 'conversation'])
  await read('/v1/responses', { body: { input: 'a', conversation: 'trip' } })
  await read('/v1/responses', { body: { input: 'b', conversation: 'trip' } })
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})
