import OpenAI from 'openai'
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { KEY, openApi, parseResponseEvents } from './desk.ts'
import { notes } from './notes.ts'

test('the openai library gets a response and continues from it', async () => {
  const { url, heard, kernel } = await openApi([{ text: 'One.', usage: { input: 7, output: 2 } }, 'Two.'])
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const first = await client.responses.create({ model: 'svc', input: 'a', instructions: 'Be kind.' })
  expect(first).toMatchObject({
    id: expect.stringMatching(/^resp_[0-9a-f]{28}$/),
    status: 'completed',
    output_text: 'One.',
    usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
  })
  const second = await client.responses.create({ model: 'svc', input: 'b', previous_response_id: first.id })
  expect(second).toMatchObject({ output_text: 'Two.', previous_response_id: first.id })
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
  expect(kernel.use(Sessions).list()).toHaveLength(1)
  expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, output_text: 'One.' })
  await client.responses.delete(first.id)
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' })
})

test('the openai library follows a stream and puts the response together', async () => {
  const script = [
    { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] },
    { pieces: ['Do', 'ne.'] },
  ]
  const { url } = await openApi(() => script.shift() ?? '', { with: [notes] })
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const stream = client.responses.stream({ model: 'svc', input: 'Note: milk' })
  const types: string[] = []
  for await (const event of stream) if (types.at(-1) !== event.type) types.push(event.type)
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.mcp_call.in_progress',
    'response.mcp_call_arguments.delta',
    'response.mcp_call_arguments.done',
    'response.mcp_call.completed',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  const final = await stream.finalResponse()
  expect(final.output.map(({ type }) => type)).toEqual(['message', 'mcp_call', 'message'])
  expect(final.output_text).toBe('Let me see.Done.')
})

test('events are named, numbered without gaps, and the last one has the whole response', async () => {
  const { ask } = await openApi([{ pieces: ['a', 'b'] }])
  const response = await ask('/v1/responses', { body: { input: 'x', stream: true } })
  const events = parseResponseEvents(await response.text())
  expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, at) => at))
  expect(events.every(({ name, data }) => name === data.type)).toBe(true)
  expect(events.at(-1)?.data.response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'ab' }] }] })
})

test('a response in the middle of a chain leads to a branch, and the chain is left as it is', async () => {
  const { read, heard } = await openApi(['One.', 'Two.', 'Other.', 'Three.'])
  const respond = async (input: string, previous?: string) =>
    (await read('/v1/responses', { body: { input, previous_response_id: previous } })).body
  const one = await respond('a')
  const two = await respond('b', one.id)
  await respond('c', one.id)
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: c'])
  await respond('d', two.id)
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b', 'assistant: Two.', 'user: d'])
})

test('a name leads to the latest response of its chain; an unknown one begins a chain', async () => {
  const { read, heard } = await openApi(['One.', 'Two.'])
  const first = await read('/v1/responses', { body: { input: 'a', conversation: 'trip' } })
  expect(first.body.conversation).toEqual({ id: 'trip' })
  await read('/v1/responses', { body: { input: 'b', conversation: { id: 'trip' } } })
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('holders of different session keys do not see each other, whatever they name', async () => {
  const { read, heard } = await openApi(['One.', 'Two.', 'Three.'])
  const as = (key: string) => ({ 'x-svc-session-key': key })
  const first = await read('/v1/responses', { headers: as('ann'), body: { input: 'a', conversation: 'trip' } })
  const other = await read('/v1/responses', { headers: as('bob'), body: { input: 'b', conversation: 'trip' } })
  expect(heard()).toEqual(['user: b'])
  expect(other.status).toBe(200)
  expect((await read(`/v1/responses/${first.body.id}`, { headers: as('bob') })).status).toBe(404)
  expect((await read(`/v1/responses/${first.body.id}`)).status).toBe(404)
  expect((await read(`/v1/responses/${first.body.id}`, { headers: as('ann') })).status).toBe(200)
})

test('a response cannot be removed with another session key', async () => {
  const { read } = await openApi(['One.'])
  const as = (key: string) => ({ 'x-svc-session-key': key })
  const { body } = await read('/v1/responses', { headers: as('ann'), body: { input: 'a' } })
  const remove = (headers: Record<string, string>) => read(`/v1/responses/${body.id}`, { method: 'DELETE', headers })
  for (const headers of [as('bob'), {}]) {
    const refused = await remove(headers)
    expect([refused.status, refused.body.error.code]).toEqual([404, 'response_not_found'])
  }
  expect((await read(`/v1/responses/${body.id}`, { headers: as('ann') })).status).toBe(200)
  expect((await remove(as('ann'))).body).toEqual({ id: body.id, object: 'response', deleted: true })
})

test('a response that is still being written cannot be gone on from', async () => {
  const { ask, read, kernel } = await openApi([{ gate: new Promise(() => {}) }, 'Two.'])
  const leaving = new AbortController()
  const stream = await ask('/v1/responses', { body: { input: 'a', stream: true }, signal: leaving.signal })
  const begun = await stream.body?.pipeThrough(new TextDecoderStream()).getReader().read()
  const id = /resp_[0-9a-f]+/.exec(begun?.value ?? '')?.[0]
  const reply = await read('/v1/responses', { body: { input: 'b', previous_response_id: id } })
  expect([reply.status, reply.body.error.param]).toEqual([400, 'previous_response_id'])
  expect(kernel.use(Sessions).list()).toHaveLength(1)
  leaving.abort()
})

test('instructions hold along the chain until others are given', async () => {
  const { read, model } = await openApi(['1', '2', '3'])
  const system = () => model.requests.at(-1)?.messages[0]?.text ?? ''
  const one = await read('/v1/responses', { body: { input: 'a', instructions: 'Rhyme.' } })
  expect(system()).toContain('Rhyme.')
  const two = await read('/v1/responses', { body: { input: 'b', previous_response_id: one.body.id } })
  expect(system()).toContain('Rhyme.')
  await read('/v1/responses', { body: { input: 'c', previous_response_id: two.body.id, instructions: 'Shout.' } })
  expect(system()).toContain('Shout.')
  expect(system()).not.toContain('Rhyme.')
})

test('a given history begins a new chain', async () => {
  const { read, heard } = await openApi(['Yes.'])
  const history = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'One.' }] },
  ]
  await read('/v1/responses', { body: { input: [{ role: 'user', content: 'b' }], conversation_history: history } })
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('what is not to be stored cannot be asked for', async () => {
  const { read } = await openApi(['One.'])
  const { body } = await read('/v1/responses', { body: { input: 'a', store: false } })
  expect(body.status).toBe('completed')
  expect((await read(`/v1/responses/${body.id}`)).status).toBe(404)
})

test('a model that fails makes a failed response, and says why', async () => {
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const { read, ask } = await openApi([{ failure }])
  const { status, body } = await read('/v1/responses', { body: { input: 'a' } })
  expect([status, body.status, body.error]).toEqual([
    200,
    'failed',
    { code: 'server_error', message: 'The key was refused.' },
  ])
  const events = parseResponseEvents(await (await ask('/v1/responses', { body: { input: 'a', stream: true } })).text())
  expect(events.at(-1)).toMatchObject({ name: 'response.failed', data: { response: { status: 'failed' } } })
})

test('a client that leaves in the middle finds what it saw, as incomplete', async () => {
  const never = new Promise(() => {})
  const { ask, read } = await openApi(
    [{ calls: [{ name: 'take_note', input: { note: 'x' } }], text: 'Half of it.' }, { gate: never }],
    {
      with: [notes],
    },
  )
  const leaving = new AbortController()
  const response = await ask('/v1/responses', { body: { input: 'a', stream: true }, signal: leaving.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('mcp_call.completed')) text += (await reader?.read())?.value ?? ''
  const id = /resp_[0-9a-f]+/.exec(text)?.[0]
  expect((await read(`/v1/responses/${id}`)).body.status).toBe('in_progress')
  leaving.abort()
  const left = async () => (await read(`/v1/responses/${id}`)).body
  await expect
    .poll(left, { timeout: 10_000 })
    .toMatchObject({ status: 'incomplete', output: [{ type: 'message' }, {}] })
})

test('the hundred responses looked at last are kept, also over a restart', async () => {
  const { mkdtempSync } = await import('node:fs')
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi(['x'], { home, config: { max_concurrent_runs: 0 } })
  const ids: string[] = []
  for (let count = 0; count < 101; count++)
    ids.push((await before.read('/v1/responses', { body: { input: 'a' } })).body.id)
  await before.kernel.stop()
  const after = await openApi(['x'], { home })
  expect((await after.read(`/v1/responses/${ids[0]}`)).status).toBe(404)
  expect((await after.read(`/v1/responses/${ids[100]}`)).status).toBe(200)
  await after.kernel.stop()
  removeFolder(home)
})

test.for([
  ['both ways to name a chain', { input: 'a', conversation: 'c', previous_response_id: 'r' }, 400, 'conversation'],
  ['no input', {}, 400, 'input'],
  ['an unknown response', { input: 'a', previous_response_id: 'resp_0' }, 400, 'previous_response_id'],
  ['an empty list', { input: [] }, 400, 'input'],
  ['an answer as the last word', { input: [{ role: 'assistant', content: 'x' }] }, 400, 'input'],
  ['a file', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, 400, 'input[0].content'],
] as const)('%s is refused by name', async ([, body, status, param]) => {
  const { read } = await openApi(['x'])
  const reply = await read('/v1/responses', { body })
  expect([reply.status, reply.body.error.param]).toEqual([status, param])
})
