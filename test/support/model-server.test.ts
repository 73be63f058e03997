import OpenAI from 'openai'
import type {
  ChatCompletionContentPart,
  ChatCompletionContentPartRefusal,
  ChatCompletionMessageParam,
} from 'openai/resources'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import type { chatParts, chatRoles } from './chat-complaint.ts'
import type { Reply } from './model-replies.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts'

/** The official client, pointed at a fake server: what it understands is the protocol. */
async function connect(options: ModelServerOptions): Promise<{ server: ModelServer; client: OpenAI }> {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  return { server, client: new OpenAI({ baseURL: server.url, apiKey: 'a-key', maxRetries: 0, logLevel: 'off' }) }
}

const question = { model: 'fake-model', messages: [{ role: 'user' as const, content: 'Hi' }] }

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

async function streamed(client: OpenAI) {
  const stream = await client.chat.completions.create({
    ...question,
    stream: true,
    stream_options: { include_usage: true },
  })
  return all(stream)
}

test('the official client reads a streamed answer with its usage', async () => {
  const { server, client } = await connect({ replies: [{ text: ['Hello ', 'you'], deltas: 3 }] })
  const chunks = await streamed(client)
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello youword0 word1 word2 ')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer a-key')
  expect(server.requests[0]?.body).toMatchObject(question)
})

test('the official client puts streamed tool calls together', async () => {
  const calls = [
    { id: 'a', name: 'one', arguments: { text: 'some words' }, pieces: 4 },
    { id: 'b', name: 'two' },
  ]
  const { client } = await connect({ replies: [{ text: 'So:', calls }] })
  const message = await client.chat.completions.stream(question).finalMessage()
  expect(message).toMatchObject({
    content: 'So:',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'one', arguments: '{"text":"some words"}' } },
      { id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } },
    ],
  })
})

test('the official client reads an answer that is not streamed', async () => {
  const { client } = await connect({ replies: [{ text: ['Hello ', 'you'], calls: [{ id: 'a', name: 'one' }] }] })
  const { choices, usage } = await client.chat.completions.create(question)
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Hello you' } })
  expect(usage?.completion_tokens).toBe(2)
})

test('usage comes only when it is asked for', async () => {
  const { client } = await connect({ replies: ['a', { text: 'b', usage: 'none' }] })
  const plain = await all(await client.chat.completions.create({ ...question, stream: true }))
  expect(plain.some((chunk) => chunk.usage)).toBe(false)
  expect((await streamed(client)).some((chunk) => chunk.usage)).toBe(false)
})

test.for([
  [401, OpenAI.AuthenticationError],
  [403, OpenAI.PermissionDeniedError],
  [404, OpenAI.NotFoundError],
  [429, OpenAI.RateLimitError],
  [500, OpenAI.InternalServerError],
] as const)('the official client knows the error of status %i', async ([status, kind]) => {
  const { client } = await connect({ replies: [{ fault: { status, message: 'No.', code: 'a_code' } }] })
  const error = await streamed(client).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(kind)
  expect(error).toMatchObject({ status, code: 'a_code', message: `${status} No.` })
})

test.for<[string, Reply]>([
  ['a cut', { deltas: 40, fault: 'cut' }],
  ['garbage', { fault: 'garbage' }],
  ['an error in the middle', { fault: 'error-event' }],
])('the official client stumbles over %s', async ([, reply]) => {
  const { client } = await connect({ replies: [reply] })
  await expect(streamed(client)).rejects.toThrow()
})

test('a key that is wanted has to be right', async () => {
  const { server, client } = await connect({ key: 'another-key', replies: ['never said'] })
  await expect(streamed(client)).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  expect(server.visits).toEqual(['/v1/models'])
})

test('the official client lists the models', async () => {
  const { client } = await connect({ models: ['one', 'two'] })
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['one', 'two'])
})

test('a script that is over says so, a function never ends', async () => {
  const { client } = await connect({ replies: ['only one'] })
  await streamed(client)
  await expect(streamed(client)).rejects.toThrow('The script of the fake server is over.')
  const endless = await connect({ replies: ({ body }, index) => `${String(body['model'])} ${index}` })
  await streamed(endless.client)
  const chunks = await streamed(endless.client)
  expect(chunks[1]?.choices[0]?.delta.content).toBe('fake-model 1')
})

test('an answer can be held back', async () => {
  const { client } = await connect({ replies: [{ text: 'late', delayMs: 20 }] })
  const before = performance.now()
  await streamed(client)
  expect(performance.now() - before).toBeGreaterThanOrEqual(15)
})

const user = { role: 'user', content: 'Hi' }
const call = { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }
const asked = { role: 'assistant', content: null, tool_calls: [call] }
const told = { role: 'tool', tool_call_id: 'a', content: 'done' }
const body = (...messages: unknown[]) => ({ model: 'fake-model', messages })

test.each([
  ['what is no JSON', '{"model":', 'could not parse the JSON'],
  ['no model', { messages: [user] }, 'model parameter'],
  ['no messages', { model: 'fake-model' }, "'messages'"],
  ['an empty list of messages', body(), 'empty array'],
  ['a role that there is not', body({ role: 'person', content: 'Hi' }), "Invalid value: 'person'"],
  ['a message without content', body({ role: 'user' }), 'content'],
  ['a call without its result', body(user, asked), 'did not have response messages: a'],
  ['a call whose result comes too late', body(user, asked, user, told), 'did not have response messages: a'],
  ['a result without its call', body(user, told), 'must be a response to a preceeding message'],
  ['a result without an id', body(user, asked, { role: 'tool', content: 'done' }), "'tool_call_id'"],
  ['arguments that are no text', body(user, { ...asked, tool_calls: [{ ...call, function: {} }] }), 'function'],
  ['calls of a user', body({ ...user, tool_calls: [call] }), 'Unknown parameter'],
  ['an empty list of tools', { ...body(user), tools: [] }, "Invalid 'tools'"],
])('the chat server refuses %s as the service does', async (_name, given, words) => {
  const { server } = await connect({ replies: ['never said'] })
  const init = { method: 'POST', body: typeof given === 'string' ? given : JSON.stringify(given) }
  const answer = await fetch(`${server.url}/chat/completions`, init)
  const { error } = (await answer.json()) as { error: { message: string; type: string } }
  expect([answer.status, error.type]).toEqual([400, 'invalid_request_error'])
  expect(error.message).toContain(words)
})

test('the chat server takes calls with their results, in any order and with words between turns', async () => {
  const { client } = await connect({ replies: ['fine'] })
  const second = { ...call, id: 'b' }
  const messages = [user, { ...asked, tool_calls: [call, second] }, { ...told, tool_call_id: 'b' }, told, user]
  const given = body(...messages) as Parameters<typeof client.chat.completions.create>[0]
  const answer = await client.chat.completions.create({ ...given, stream: false })
  expect(answer.choices[0]?.message.content).toBe('fine')
})

test('the chat server knows the roles and the kinds of parts that the official types have', () => {
  expectTypeOf<(typeof chatRoles)[number]>().toEqualTypeOf<ChatCompletionMessageParam['role']>()
  expectTypeOf<(typeof chatParts)[number]>().toEqualTypeOf<
    (ChatCompletionContentPart | ChatCompletionContentPartRefusal)['type']
  >()
})
