import OpenAI from 'openai'
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { KEY, openApi, parseEvents } from './desk.ts'
import { notes } from './notes.ts'

test('the openai library asks and gets an answer with what it cost', async () => {
  const { url } = await openApi([{ text: 'Hello there.', usage: { input: 12, output: 3 } }])
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const { data, response } = await client.chat.completions
    .create({ model: 'svc', messages: [{ role: 'user', content: 'Hi' }] })
    .withResponse()
  expect(data).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f]{29}$/),
    object: 'chat.completion',
    model: 'svc',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  })
  expect(response.headers.get('x-svc-session-id')).toMatch(/^api-[0-9a-f]{16}$/)
})

test('the openai library reads a stream to its end, with usage where it asked for it', async () => {
  const { url } = await openApi([{ pieces: ['Hel', 'lo ', 'there.'], usage: { input: 12, output: 3 } }])
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const stream = await client.chat.completions.create({
    model: 'svc',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello there.')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1)
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } })
})

test('a client that sends its whole conversation each time continues in one session', async () => {
  const { ask, heard, kernel } = await openApi(['One.', 'Two.', 'Three.'])
  const messages: { role: string; content: string }[] = []
  const sessions = new Set<string | null>()
  for (const word of ['first', 'second', 'third']) {
    messages.push({ role: 'user', content: word })
    const response = await ask('/v1/chat/completions', { body: { messages } })
    sessions.add(response.headers.get('x-svc-session-id'))
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' })
  }
  expect(sessions.size).toBe(1)
  expect(heard()).toEqual(['user: first', 'assistant: One.', 'user: second', 'assistant: Two.', 'user: third'])
  expect(kernel.use(Sessions).list()).toHaveLength(1)
})

test('a conversation that the server does not know begins a session with its history', async () => {
  const { ask, heard, kernel } = await openApi(['Fine.'])
  const response = await ask('/v1/chat/completions', {
    body: {
      messages: [
        { role: 'user', content: 'Were you here before?' },
        { role: 'assistant', content: 'Somewhere else.' },
        { role: 'user', content: 'How was it?' },
      ],
    },
  })
  expect(response.status).toBe(200)
  expect(heard()).toEqual(['user: Were you here before?', 'assistant: Somewhere else.', 'user: How was it?'])
  const id = response.headers.get('x-svc-session-id') ?? ''
  expect(kernel.use(Sessions).open(id).messages()).toHaveLength(4)
})

test('two strangers who begin with the same words do not share a session', async () => {
  const { ask } = await openApi(['Yes?'])
  const hello = () => ask('/v1/chat/completions', { body: { messages: [{ role: 'user', content: 'Hello' }] } })
  const ids = (await Promise.all([hello(), hello(), hello()])).map(({ headers }) => headers.get('x-svc-session-id'))
  expect(new Set(ids).size).toBe(3)
  expect(new Set(ids.map((id) => id?.slice(0, 20))).size).toBe(1)
})

test('what changed an answer begins another session, and the first is left as it is', async () => {
  const { ask, kernel } = await openApi(['One.', 'Two.'])
  const first = await ask('/v1/chat/completions', { body: { messages: [{ role: 'user', content: 'a' }] } })
  const edited = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'Uno.' },
    { role: 'user', content: 'b' },
  ]
  const second = await ask('/v1/chat/completions', { body: { messages: edited } })
  const [one, two] = [first, second].map(({ headers }) => headers.get('x-svc-session-id') ?? '')
  expect(one).not.toBe(two)
  expect(
    kernel
      .use(Sessions)
      .open(one ?? '')
      .messages(),
  ).toHaveLength(2)
  expect(
    kernel
      .use(Sessions)
      .open(two ?? '')
      .messages(),
  ).toHaveLength(4)
})

const replayed = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'One.' },
  { role: 'user', content: 'b' },
]

test('the same words under another session key begin a new session', async () => {
  const { ask } = await openApi(['One.', 'Two.', 'Three.'])
  const say = async (key: string, messages: readonly object[]) => {
    const response = await ask('/v1/chat/completions', { headers: { 'x-svc-session-key': key }, body: { messages } })
    return response.headers.get('x-svc-session-id')
  }
  const first = await say('ann', replayed.slice(0, 1))
  expect(await say('bob', replayed)).not.toBe(first)
  expect(await say('ann', replayed)).toBe(first)
})

test('a session in which something else was said since is not continued with by the old words', async () => {
  const { ask, read, heard } = await openApi(['One.', 'Elsewhere.', 'Two.'])
  const chat = async (messages: readonly object[]) => {
    const response = await ask('/v1/chat/completions', { body: { messages } })
    return response.headers.get('x-svc-session-id')
  }
  const first = await chat(replayed.slice(0, 1))
  await read(`/api/sessions/${first}/chat`, { body: { message: 'said in another client' } })
  expect(await chat(replayed)).not.toBe(first)
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('a conversation is still known after a restart', async () => {
  const { mkdtempSync } = await import('node:fs')
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi(['One.'], { home })
  const first = await before.ask('/v1/chat/completions', { body: { messages: [{ role: 'user', content: 'a' }] } })
  await before.kernel.stop()
  const after = await openApi(['Two.'], { home })
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'b' },
  ]
  const second = await after.ask('/v1/chat/completions', { body: { messages } })
  expect(second.headers.get('x-svc-session-id')).toBe(first.headers.get('x-svc-session-id'))
  await after.kernel.stop()
  removeFolder(home)
})

test('a named session continues from the store, and only the last message counts', async () => {
  const { ask, heard } = await openApi(['One.', 'Two.'])
  const first = await ask('/v1/chat/completions', { body: { messages: [{ role: 'user', content: 'a' }] } })
  const id = first.headers.get('x-svc-session-id') ?? ''
  const messages = [
    { role: 'user', content: 'forged' },
    { role: 'assistant', content: 'history' },
    { role: 'user', content: 'b' },
  ]
  const headers = { 'x-svc-session-id': id, 'x-svc-session-key': 'user:42' }
  const second = await ask('/v1/chat/completions', { headers, body: { messages } })
  expect([second.headers.get('x-svc-session-id'), second.headers.get('x-svc-session-key')]).toEqual([id, 'user:42'])
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('system messages of the front end stand behind the core prompt, and a new one takes effect', async () => {
  const { ask, model } = await openApi(['One.', 'Two.'], { plugins: ['prompt'] })
  const say = (system: string, headers = {}) =>
    ask('/v1/chat/completions', {
      headers,
      body: {
        messages: [
          { role: 'system', content: system },
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'a' },
        ],
      },
    })
  const id = (await say('You are a pirate.')).headers.get('x-svc-session-id') ?? ''
  const prompt = model.requests[0]?.messages[0]?.text ?? ''
  expect(prompt).toMatch(/\n\nYou are a pirate\.\nBe brief\.\n/)
  expect(prompt.length).toBeGreaterThan(200)
  await say('You are a poet.', { 'x-svc-session-id': id })
  expect(model.requests[1]?.messages[0]?.text).toMatch(/\n\nYou are a poet\.\nBe brief\.\n/)
})

test('anyone who asks for named events of tools gets them, as chunks that say nothing else', async () => {
  const script = [{ text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] }, 'Done.']
  const { ask, url } = await openApi(() => script.shift() ?? 'Over.', { with: [notes] })
  const body = { stream: true, messages: [{ role: 'user', content: 'Note: milk' }] }
  const headers = { 'x-svc-tool-progress': 'event' }
  const events = parseEvents(await (await ask('/v1/chat/completions', { body, headers })).text())
  const progress = events.filter(({ name }) => name === 'svc.tool.progress').map(({ data }) => data)
  expect(progress).toMatchObject([
    { tool: 'take_note', label: 'milk', status: 'running', choices: [{ delta: {} }] },
    { tool: 'take_note', status: 'completed', ok: true },
  ])
  expect(progress[0].toolCallId).toBe(progress[1].toolCallId)
  const text = events.map(({ data }) => data.choices?.[0]?.delta.content ?? '').join('')
  expect(text).toBe('Let me see.\n\nDone.')
  expect(events.at(-1)?.data).toBe('[DONE]')
  expect(url).toContain('/v1')
})
