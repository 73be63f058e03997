/** A client that says that it can answer is shown what a turn asks, on every route, and answers it by one request. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { defineTool, Tools } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { askingTool, callsAskPerson } from '../../../support/asking-tool.ts'
import { type ApiDesk, KEY, openApi, parseEvents, parseResponseEvents, type Reply } from './desk.ts'
import { connectTo } from './socket-client.ts'

const interactive = { 'x-svc-interactive': 'true' }
const messages = [{ role: 'user', content: 'go' }] as const
const branch = askingTool((person) => person.choose({ title: 'Which branch?', items: ['main', 'next'] }))
const script = () => {
  const replies = [callsAskPerson, 'Done.']
  return () => replies.shift() ?? ''
}

/** What waits for the client, once something does. */
async function asked(desk: ApiDesk, headers = {}): Promise<Reply> {
  await vi.waitFor(async () => expect((await desk.read('/v1/questions', { headers })).body.data).toHaveLength(1), {
    timeout: 10_000,
  })
  return (await desk.read('/v1/questions', { headers })).body.data[0]
}

const answer = (desk: ApiDesk, id: string, text: string, headers = {}) =>
  desk.read(`/v1/questions/${id}/answer`, { body: { answer: text }, headers })

test('the client of a streamed chat sees the question among the chunks, answers it, and the turn goes on', async () => {
  const desk = await openApi(script(), { with: [branch] })
  const reply = await desk.ask('/v1/chat/completions', { body: { messages, stream: true }, headers: interactive })
  const question = await asked(desk)
  expect(question).toMatchObject({ object: 'svc.question', kind: 'choose', choices: ['main', 'next'] })
  expect(question.expires_at).toBeGreaterThan(Date.now() / 1000)
  expect((await answer(desk, question.id, 'neither')).body.error.code).toBe('question_answer')
  expect((await answer(desk, question.id, '2')).body).toEqual({ object: 'svc.question.answer', id: question.id })
  const chunks = parseEvents(await reply.text()).map(({ data }) => data)
  const told = chunks.flatMap(({ svc }) => (svc?.event?.startsWith('clarify') ? [svc] : []))
  expect(told).toMatchObject([
    { event: 'clarify.request', question_id: question.id, question: 'Which branch?' },
    { event: 'clarify.responded', question_id: question.id, by: 'api' },
  ])
  expect(desk.heard().at(-1)).toBe('tool: "next"')
  expect((await answer(desk, question.id, '2')).status).toBe(404)
})

test.for([{}, { 'x-svc-interactive': 'false' }])(
  'a client that does not say that it answers is asked nothing: the tool gets no answer at once (%o)',
  async (headers) => {
    const desk = await openApi(script(), { with: [branch] })
    await desk.read('/v1/chat/completions', { body: { messages }, headers })
    expect(desk.heard().at(-1)).toBe('tool: no answer')
  },
)

test('the client of a response sees the question in an event that says how the response is, at which libraries do not break', async () => {
  const replies = [{ text: 'Let me ask.', calls: callsAskPerson.calls }, 'Done.']
  const desk = await openApi(() => replies.shift() ?? '', { with: [branch] })
  const client = new OpenAI({ baseURL: desk.url, apiKey: KEY, maxRetries: 0, defaultHeaders: interactive })
  const stream = client.responses.stream({ model: 'svc', input: 'go' })
  const told: Reply[] = []
  for await (const event of stream) {
    const { svc, response } = event as Reply
    if (svc) told.push({ ...svc, status: response.status, output: response.output.map(({ type }: Reply) => type) })
    if (svc?.event === 'clarify.request') await answer(desk, svc.question_id, 'main')
  }
  const output = ['message', 'mcp_call']
  expect(told).toMatchObject([
    { event: 'clarify.request', question: 'Which branch?', status: 'in_progress', output },
    { event: 'clarify.responded', by: 'api', status: 'in_progress', output },
  ])
  expect((await stream.finalResponse()).output_text).toBe('Let me ask.Done.')
  expect(desk.heard().at(-1)).toBe('tool: "main"')
})

test('chats of the openai library and of the AI SDK run through a question undisturbed', async () => {
  const desk = await openApi(script(), { with: [branch] })
  const client = new OpenAI({ baseURL: desk.url, apiKey: KEY, maxRetries: 0, defaultHeaders: interactive })
  const chat = client.chat.completions.stream({ model: 'svc', messages: [...messages] })
  const text = chat.finalContent()
  await answer(desk, (await asked(desk)).id, 'main')
  expect(await text).toBe('Done.')
  const other = await openApi(script(), { with: [branch] })
  const provider = createOpenAICompatible({ name: 'svc', baseURL: other.url, apiKey: KEY, headers: interactive })
  const errors: unknown[] = []
  const result = streamText({ model: provider('svc'), prompt: 'go', onError: ({ error }) => void errors.push(error) })
  const said = Promise.resolve(result.text)
  await answer(other, (await asked(other)).id, 'next')
  expect([await said, errors]).toEqual(['Done.', []])
})

test('a message over the WebSocket says for itself that it can be answered', async () => {
  const replies = [callsAskPerson, 'Alone.', callsAskPerson, 'Done.']
  const desk = await openApi(() => replies.shift() ?? '', { with: [branch] })
  const socket = await connectTo(desk)
  await socket.create({ input: 'go' })
  expect(desk.heard().at(-1)).toBe('tool: no answer')
  const events = socket.create({ input: 'go', svc: { interactive: true } })
  const { id } = await asked(desk)
  await answer(desk, id, 'main')
  const told = (await events).filter(({ svc }) => svc)
  expect(told).toMatchObject([
    { type: 'response.in_progress', sequence_number: expect.any(Number), svc: { question_id: id } },
    { type: 'response.in_progress', svc: { event: 'clarify.responded', question_id: id } },
  ])
})

test('a response in the background and a chat in one piece are answered by what waits', async () => {
  const replies = [callsAskPerson, 'One.', callsAskPerson, 'Two.']
  const desk = await openApi(() => replies.shift() ?? '', { with: [branch] })
  const { body } = await desk.read('/v1/responses', {
    body: { input: 'go', background: true, svc: { interactive: true } },
  })
  await answer(desk, (await asked(desk)).id, 'main')
  await vi.waitFor(async () =>
    expect((await desk.read(`/v1/responses/${body.id}`)).body).toMatchObject({ status: 'completed' }),
  )
  const events = parseResponseEvents(await (await desk.ask(`/v1/responses/${body.id}?stream=true`)).text())
  expect(events.at(-1)?.name).toBe('response.completed')
  const chat = desk.read('/v1/chat/completions', { body: { messages }, headers: interactive })
  await answer(desk, (await asked(desk)).id, 'next')
  expect((await chat).body.choices[0].message.content).toBe('Two.')
})

test('a turn in a session tells what it asks under the names of runs', async () => {
  const desk = await openApi(script(), { with: [branch], plugins: ['api-sessions'] })
  await desk.read('/api/sessions', { body: { id: 'trip' } })
  const reply = await desk.ask('/api/sessions/trip/chat/stream', { body: { message: 'go' }, headers: interactive })
  const question = await asked(desk)
  expect(question.session_id).toBe('trip')
  await answer(desk, question.id, 'main')
  const names = parseEvents(await reply.text()).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['clarify.request', 'clarify.responded', 'done']))
})

const shell: InlinePlugin = {
  name: 'wipe',
  contributes: { tools: ['wipe', 'delegate'] },
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'wipe',
        description: 'Wipes.',
        input: z.object({}),
        effect: 'once',
        toolset: 'danger',
        run: async () => 'wiped',
      }),
    )
    ctx.add(
      Tools,
      defineTool({
        name: 'delegate',
        description: 'Delegates.',
        input: z.object({}),
        effect: 'once',
        reach: 'nothing',
        toolset: 'test',
        run: async (_, turn) => (await turn.child({ text: 'do it' })).text,
      }),
    )
  },
}

test.for(['once', 'deny'] as const)(
  'an approval is asked of the client in the same way, and %s decides',
  async (choice) => {
    const replies = [{ calls: [{ name: 'wipe' }] }, 'Over.']
    const desk = await openApi(() => replies.shift() ?? '', { plugins: ['approvals'], with: [shell] })
    const reply = await desk.ask('/v1/responses', { body: { input: 'go', stream: true }, headers: interactive })
    const request = await asked(desk)
    expect(request).toMatchObject({ object: 'svc.approval', tool: 'wipe', choices: expect.arrayContaining(['deny']) })
    expect((await answer(desk, request.id, 'perhaps')).body.error.code).toBe('invalid_approval_choice')
    await answer(desk, request.id, choice)
    const events = parseResponseEvents(await reply.text())
    const told = events.flatMap(({ data }) => (data.svc ? [data.svc.event] : []))
    expect(told).toEqual(['approval.request', 'approval.responded'])
    expect(desk.heard().at(-1) === 'tool: wiped').toBe(choice === 'once')
  },
)

test('what a subagent asks is shown in the stream of the turn that began it, once', async () => {
  const replies = [{ calls: [{ name: 'delegate' }] }, callsAskPerson, { calls: [{ name: 'wipe' }] }, 'Child.', 'Over.']
  const desk = await openApi(() => replies.shift() ?? '', { plugins: ['approvals'], with: [shell, branch] })
  const reply = await desk.ask('/v1/chat/completions', { body: { messages, stream: true }, headers: interactive })
  await answer(desk, (await asked(desk)).id, 'main')
  await vi.waitFor(async () => expect((await asked(desk)).object).toBe('svc.approval'))
  await answer(desk, (await asked(desk)).id, 'once')
  const told = parseEvents(await reply.text()).flatMap(({ data }) => (data.svc?.event ? [data.svc.event] : []))
  expect(told.filter((name) => name.endsWith('.request'))).toEqual(['clarify.request', 'approval.request'])
})

test('holders of another session key see no question and answer none', async () => {
  const desk = await openApi(script(), { with: [branch] })
  const mine = { ...interactive, 'x-svc-session-key': 'ann' }
  const chat = desk.read('/v1/chat/completions', { body: { messages }, headers: mine })
  const { id } = await asked(desk, mine)
  for (const headers of [{}, { 'x-svc-session-key': 'bob' }]) {
    expect((await desk.read('/v1/questions', { headers })).body.data).toEqual([])
    expect((await answer(desk, id, 'main', headers)).body.error.code).toBe('question_not_found')
  }
  expect((await answer(desk, id, 'main', mine)).status).toBe(200)
  expect((await chat).status).toBe(200)
})

test('a question whose time is over is withdrawn, and the turn goes on without an answer', async () => {
  const clock = virtualClock(Date.now())
  const slow = askingTool((person) => person.ask('Your name?', { timeoutMs: 60_000 }))
  const desk = await openApi(script(), { with: [slow], clock })
  const chat = desk.read('/v1/chat/completions', { body: { messages }, headers: interactive })
  const { id } = await asked(desk)
  await clock.advance(60_000)
  expect((await chat).body.choices[0].message.content).toBe('Done.')
  expect(desk.heard().at(-1)).toBe('tool: no answer')
  expect((await answer(desk, id, 'Ann')).status).toBe(404)
})

test('a secret is never asked over the API', async () => {
  const secret = askingTool((person) => person.ask('Password?', { secret: true }))
  const desk = await openApi(script(), { with: [secret] })
  await desk.read('/v1/chat/completions', { body: { messages }, headers: interactive })
  expect(desk.heard().at(-1)).toBe('tool: no answer')
})

test('a client that leaves takes its question with it', async () => {
  const desk = await openApi(script(), { with: [branch] })
  const leaving = new AbortController()
  const reply = desk.ask('/v1/chat/completions', { body: { messages }, headers: interactive, signal: leaving.signal })
  const { id } = await asked(desk)
  leaving.abort()
  await expect(reply).rejects.toThrow()
  await vi.waitFor(async () => expect((await desk.read('/v1/questions')).body.data).toEqual([]))
  expect((await answer(desk, id, 'main')).status).toBe(404)
})
