/** Responses over a WebSocket. */
import { Clock, type Secrets, Sessions } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import type { HttpSocket } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import type { Api } from '../../../../plugins/http/api-server/api.ts'
import { serveSocket } from '../../../../plugins/http/api-server/socket.ts'
import { openApi, type Reply } from './desk.ts'
import { notes } from './notes.ts'
import { connectTo } from './socket-client.ts'

const joinText = (events: readonly Reply[]): string =>
  events
    .at(-1)
    .response?.output.map(({ content }: Reply) => content?.[0].text ?? '')
    .join('') ?? ''
const getErrorCode = (events: readonly Reply[]): unknown => {
  const { type, status, error } = events.at(-1)
  return type === 'error' ? [status, error.code, error.param] : type
}
const sessions = (desk: Awaited<ReturnType<typeof openApi>>) => desk.kernel.use(Sessions).list({ limit: 100 })

test('the events of a response come as messages, in which the agent uses a tool', async () => {
  const script = [{ text: 'First.', calls: [{ name: 'take_note', input: { note: 'x' } }] }, 'Second.']
  const desk = await openApi(script, { with: [notes] })
  const events = await (await connectTo(desk)).create({ input: 'Hello' })
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
  expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', object: 'response' } })
  const { response } = events.at(-1)
  expect(response.output.map(({ type }: Reply) => type)).toEqual(['message', 'mcp_call', 'message'])
  expect((await desk.read(`/v1/responses/${response.id}`)).body).toEqual(response)
})

test('responses of one connection come one after another, each with its own numbers', async () => {
  const desk = await openApi(['One.', 'Two.'])
  const client = await connectTo(desk)
  const both = [client.create({ input: 'a' }), client.create({ input: 'b' })]
  expect((await both[0])?.at(-1).type).toBe('response.completed')
  await expect.poll(() => client.messages.filter(({ type }) => type === 'response.completed').length).toBe(2)
  const ids = client.messages.flatMap(({ response }) => (response ? [response.id] : []))
  // Created, in progress and completed of the first, then those of the second.
  expect(ids.map((id) => (id === ids[0] ? 'first' : 'second')).join(' ')).toBe('first first first second second second')
})

test('a response that is not stored is continued on its connection, in the same session', async () => {
  const desk = await openApi(['OK.', 'Cobalt.'])
  const client = await connectTo(desk)
  const first = await client.create({ input: 'The word is cobalt.', store: false })
  const { id } = first.at(-1).response
  const second = await client.create({ input: 'Which word?', store: false, previous_response_id: id })
  expect(joinText(second)).toBe('Cobalt.')
  expect(second.at(-1).response.previous_response_id).toBe(id)
  expect(desk.heard()).toEqual(['user: The word is cobalt.', 'assistant: OK.', 'user: Which word?'])
  expect(sessions(desk)).toHaveLength(1)
  expect((await desk.read(`/v1/responses/${id}`)).status).toBe(404)
})

test('a response that is not stored is unknown to other connections, and one that is stored is known', async () => {
  const desk = await openApi(['OK.', 'Kept.', 'Recovered.', 'Continued.'])
  const before = await connectTo(desk)
  const [unstored, stored] = [await before.create({ input: 'a', store: false }), await before.create({ input: 'b' })]
  const after = await connectTo(desk)
  const ask = (events: readonly Reply[]) =>
    after.create({ input: 'c', previous_response_id: events.at(-1).response.id })
  expect(getErrorCode(await ask(unstored))).toEqual([400, 'previous_response_not_found', 'previous_response_id'])
  expect(joinText(await after.create({ input: 'Everything again.', store: false }))).toBe('Recovered.')
  expect(joinText(await ask(stored))).toBe('Continued.')
})

test('a continuation that fails makes the response unknown that it continued from', async () => {
  const desk = await openApi(['OK.', 'Never.'])
  const client = await connectTo(desk)
  const { id } = (await client.create({ input: 'a', store: false })).at(-1).response
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
  const failed = await client.create({ input: [result], store: false, previous_response_id: id })
  expect(getErrorCode(failed)).toEqual([400, 'invalid_request', 'input[0]'])
  const again = await client.create({ input: 'b', store: false, previous_response_id: id })
  expect(getErrorCode(again)).toEqual([400, 'previous_response_not_found', 'previous_response_id'])
  expect(desk.model.requests).toHaveLength(1)
})

test('generate: false prepares the next response without asking the model', async () => {
  const desk = await openApi(['Warmed.'])
  const client = await connectTo(desk)
  const prepared = await client.create({ input: 'Prepare.', instructions: 'Be brief.', store: false, generate: false })
  const { id, output, status } = prepared.at(-1).response
  expect([output, status, desk.model.requests.length]).toEqual([[], 'completed', 0])
  const next = await client.create({ input: 'Answer.', store: false, previous_response_id: id })
  expect(joinText(next)).toBe('Warmed.')
  expect(next.at(-1).response.previous_response_id).toBe(id)
  // One message for the model: it takes turns with the user.
  expect(desk.heard()).toEqual(['user: Prepare.\n\nAnswer.'])
  expect(JSON.stringify(desk.model.requests[0])).toContain('Be brief.')
})

test('responses of two lanes run at once, and their events name the lane', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const desk = await openApi(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('slow') ? { gate, text: 'Slow.' } : 'Fast.',
  )
  const client = await connectTo(desk)
  client.send({ type: 'response.create', model: 'svc', input: 'slow', stream_id: 'one' })
  client.send({ type: 'response.create', model: 'svc', input: 'fast', stream_id: 'two' })
  const done = () =>
    client.messages.filter(({ type }) => type === 'response.completed').map(({ stream_id }) => stream_id)
  await expect.poll(done).toEqual(['two'])
  open()
  await expect.poll(done).toEqual(['two', 'one'])
  expect(client.messages.every(({ stream_id }) => stream_id === 'one' || stream_id === 'two')).toBe(true)
})

test('what cannot be taken is answered with an error, and the connection stays', async () => {
  const desk = await openApi(['Fine.'])
  const client = await connectTo(desk)
  const next = async (event: unknown) => {
    const from = client.messages.length
    client.send(event)
    await expect.poll(() => client.messages.length).toBe(from + 1)
    return getErrorCode(client.messages)
  }
  expect(await next('{')).toEqual([400, 'invalid_json', null])
  expect(await next('[]')).toEqual([400, 'invalid_request', 'body'])
  expect(await next({ type: 'response.steer', input: 'x' })).toEqual([400, 'invalid_request', 'type'])
  expect(await next({ type: 'response.create' })).toEqual([400, 'invalid_request', 'input'])
  expect(await next({ type: 'response.create', input: 'a', background: true })).toEqual([
    400,
    'invalid_request',
    'background',
  ])
  expect(await next({ type: 'response.create', input: 'a', tool_choice: 'required' })).toEqual([
    400,
    'unsupported_parameter',
    'tool_choice',
  ])
  expect(joinText(await client.create({ input: 'a' }))).toBe('Fine.')
})

test('as many responses as allowed are under way, of the server and of a connection', async () => {
  const gate = new Promise<void>(() => {})
  const desk = await openApi([{ gate, text: 'Never.' }], { config: { max_concurrent_runs: 1 } })
  const client = await connectTo(desk)
  client.send({ type: 'response.create', input: 'a', stream_id: 'a' })
  await expect.poll(() => client.messages.length).toBe(2)
  const refused = await client.create({ input: 'b', stream_id: 'b' })
  expect(getErrorCode(refused)).toEqual([429, 'rate_limit_exceeded', null])
  for (let count = 0; count < 15; count++) client.send({ type: 'response.create', input: 'c', stream_id: 'a' })
  expect(getErrorCode(await client.create({ input: 'd', stream_id: 'a' }))).toEqual([429, 'rate_limit_exceeded', null])
})

test('a client that leaves stops its turn', async () => {
  const gate = new Promise<void>(() => {})
  const desk = await openApi([{ gate, text: 'Never.' }])
  const client = await connectTo(desk)
  client.send({ type: 'response.create', input: 'a' })
  await expect.poll(() => client.messages.length).toBe(2)
  const { id } = client.messages[0].response
  client.close()
  const look = async () => (await desk.read(`/v1/responses/${id}`)).body.status
  await expect.poll(look, { interval: 5 }).toBe('incomplete')
})

test('holders of a session key do not continue with the responses of others', async () => {
  const desk = await openApi(['One.', 'Two.'])
  const ann = await connectTo(desk, { 'x-svc-session-key': 'ann' })
  const { id } = (await ann.create({ input: 'a' })).at(-1).response
  const bob = await connectTo(desk, { 'x-svc-session-key': 'bob' })
  expect(getErrorCode(await bob.create({ input: 'b', previous_response_id: id }))).toEqual([
    400,
    'previous_response_not_found',
    'previous_response_id',
  ])
  expect(joinText(await ann.create({ input: 'c', previous_response_id: id }))).toBe('Two.')
})

test('after an hour a connection is closed, and its client told to open a new one', async () => {
  const desk = await openApi(['One.'])
  const clock = virtualClock()
  const sent: Reply[] = []
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const socket: HttpSocket = {
    request: { method: 'GET', url: '/', params: {}, query: new URLSearchParams(), headers: {}, ...rest },
    messages: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await closed }) }) },
    frames: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: await closed }) }) },
    waitingBytes: 0,
    send: async (text) => void sent.push(JSON.parse(String(text))),
    close: () => close(),
    [Symbol.dispose]: () => close(),
  }
  const ctx = { use: (token: unknown) => (token === Clock ? clock : desk.kernel.use(token as typeof Secrets)) }
  const served = serveSocket({ ctx } as unknown as Api, socket)
  await clock.advance(59 * 60_000)
  expect(sent).toEqual([])
  await clock.advance(60_000)
  await served
  expect(getErrorCode(sent)).toEqual([400, 'websocket_connection_limit_reached', null])
})

const rest = { body: new Uint8Array(), address: '127.0.0.1', signal: new AbortController().signal }
