/** Which session continues, also when a client is turned away in between. */
import { Agent, Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { type ApiDesk, openApi } from './desk.ts'

const user = (content: string) => ({ role: 'user', content })
const agent = (content: string) => ({ role: 'assistant', content })

/** Keeps the only place taken until it is called. */
async function occupy({ ask, model }: ApiDesk): Promise<() => Promise<void>> {
  const leaving = new AbortController()
  const before = model.requests.length
  const busy = ask('/v1/chat/completions', { body: { messages: [user('hold')] }, signal: leaving.signal })
  busy.catch(() => {})
  while (model.requests.length === before) await new Promise((resolve) => setImmediate(resolve))
  return async () => {
    leaving.abort()
    await busy.catch(() => {})
  }
}

test.each([
  ['chats', '/v1/chat/completions', { messages: [user('a')] }],
  ['responses', '/v1/responses', { input: 'a' }],
  ['runs', '/v1/runs', { input: 'a' }],
])('%s that are refused for want of a place leave no session behind', async (_name, path, body) => {
  const desk = await openApi([{ gate: new Promise(() => {}) }], { config: { max_concurrent_runs: 1 } })
  const release = await occupy(desk)
  const before = desk.kernel.use(Sessions).list().length
  expect((await desk.read(path, { body })).status).toBe(429)
  expect(desk.kernel.use(Sessions).list()).toHaveLength(before)
  await release()
})

test('a conversation that was refused once still finds its session when it comes again', async () => {
  const script = ['One.', { gate: new Promise<void>(() => {}) }, 'Two.']
  const desk = await openApi(script, { config: { max_concurrent_runs: 1 } })
  const say = (...messages: object[]) => desk.ask('/v1/chat/completions', { body: { messages } })
  const first = await say(user('a'))
  await first.text()
  const next = [user('a'), agent('One.'), user('b')]
  const release = await occupy(desk)
  expect((await say(...next)).status).toBe(429)
  await release()
  let again = await say(...next)
  while (again.status === 429) again = await say(...next)
  expect(again.headers.get('x-svc-session-id')).toBe(first.headers.get('x-svc-session-id'))
})

test('two who continue with the same words at the same moment do not share a session', async () => {
  const { ask, kernel } = await openApi(['One.', 'Two.', 'Two.'])
  const say = (...messages: object[]) => ask('/v1/chat/completions', { body: { messages } })
  await (await say(user('a'))).text()
  const next = [user('a'), agent('One.'), user('b')]
  const replies = await Promise.all([say(...next), say(...next)])
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect(new Set(replies.map(({ headers }) => headers.get('x-svc-session-id'))).size).toBe(2)
  expect(kernel.use(Agent)).toBeDefined()
})

test('a client of responses that sends all that was said each time continues in one session', async () => {
  const { read, kernel, heard } = await openApi(['One.', 'Two.', 'Three.'])
  const input: object[] = []
  for (const word of ['a', 'b', 'c']) {
    input.push(user(word))
    const { body } = await read('/v1/responses', { body: { input, store: false } })
    input.push(...body.output)
  }
  expect(kernel.use(Sessions).list()).toHaveLength(1)
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b', 'assistant: Two.', 'user: c'])
})

test('words that a session has under other instructions do not lead a response to it', async () => {
  const { read, kernel } = await openApi(['One.', 'Two.'])
  const first = await read('/v1/responses', { body: { input: [user('a')], instructions: 'Rhyme.' } })
  const input = [user('a'), ...first.body.output, user('b')]
  await read('/v1/responses', { body: { input, instructions: 'Shout.' } })
  expect(kernel.use(Sessions).list()).toHaveLength(2)
})

test.each([
  ['chats', '/v1/chat/completions', { messages: [user(' ')] }, 'messages'],
  ['responses', '/v1/responses', { input: '' }, 'input'],
  ['responses of parts', '/v1/responses', { input: [{ role: 'user', content: [] }] }, 'input'],
  ['runs', '/v1/runs', { input: '' }, 'input'],
])('%s in which nothing is said are refused', async (_name, path, body, param) => {
  const { read, kernel } = await openApi(['never'])
  const reply = await read(path, { body })
  expect([reply.status, reply.body.error.param]).toEqual([400, param])
  expect(kernel.use(Sessions).list()).toEqual([])
})

test.each([
  ['a forced call', { tool_choice: 'required' }, 'tool_choice'],
  [
    'a form that its model cannot be held to',
    { text: { format: { type: 'json_schema', name: 'x', schema: {} } } },
    'text.format',
  ],
])('a run that wants %s is refused as elsewhere', async (_name, more, param) => {
  const { read } = await openApi(['never'])
  const reply = await read('/v1/runs', { body: { input: 'a', ...more } })
  expect([reply.status, reply.body.error.param]).toEqual([400, param])
})
