/**
 * The cases of the Open Responses compliance suite (https://github.com/openresponses/openresponses, bin/compliance-test.ts),
 * under its ids. The suite is on no package registry and its code is not copied: requests, model and assertions are ours, after
 * the public specification and schema. Those that do not apply are in kernel/DECISIONS.md; here they show what happens instead.
 */
import { describe, expect, test } from 'vitest'
import { openApi, parseResponseEvents, type Reply } from './desk.ts'
import { notes } from './notes.ts'
import { checkedEvents, checkedResponse, failure, socketFailure } from './open-responses-schema.ts'
import { connectTo, type SocketClient } from './socket-client.ts'

const user = (content: unknown) => ({ type: 'message', role: 'user', content })
const assistant = (content: unknown) => ({ type: 'message', role: 'assistant', content })
const joinText = ({ output }: Reply): string => output.map(({ content }: Reply) => content?.[0].text ?? '').join('')
/** One red dot. */
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** Opens a server whose model repeats the last words that it is told, and asks it. */
async function open() {
  const desk = await openApi(({ messages }) => `You said: ${messages.at(-1)?.text}`)
  const respond = async (body: object) => {
    const reply = await desk.ask('/v1/responses', { body: { model: 'svc', ...body } })
    const read = (await reply.json()) as Reply
    return reply.status === 200 ? checkedResponse(read) : { failed: reply.status, ...failure.parse(read.error) }
  }
  return { ...desk, respond }
}

/** The response in the last of the events, or the code of the failure. */
function told(events: readonly Reply[]): Reply {
  return events.at(-1).type === 'error' ? socketFailure.parse(events.at(-1)).error.code : checkedEvents(events)
}
const unstored = { store: false }
const unknown = 'previous_response_not_found'

describe('over HTTP', () => {
  test('basic-response', async () => {
    const { respond } = await open()
    const response = await respond({ input: [user('Greet me.')] })
    expect([response.status, joinText(response)]).toEqual(['completed', 'You said: Greet me.'])
  })

  test('streaming-response', async () => {
    const { ask } = await open()
    const reply = await ask('/v1/responses', { body: { model: 'svc', stream: true, input: [user('Count.')] } })
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream\b/)
    const events = parseResponseEvents(await reply.text())
    expect(events.every(({ name, id, data }) => name === data.type && id === undefined)).toBe(true)
    expect(joinText(checkedEvents(events.map(({ data }) => data)))).toBe('You said: Count.')
  })

  test('system-prompt', async () => {
    const { respond, model } = await open()
    const system = { type: 'message', role: 'system', content: 'Speak as a pirate.' }
    expect((await respond({ input: [system, user('Hello.')] })).status).toBe('completed')
    const said = { role: 'system', text: expect.stringContaining('Speak as a pirate.') }
    expect(model.requests[0]?.messages[0]).toMatchObject(said)
  })

  test('image-input', async () => {
    const { respond, model } = await open()
    const content = [
      { type: 'input_text', text: 'What is it?' },
      { type: 'input_image', image_url: picture },
    ]
    expect((await respond({ input: [user(content)] })).status).toBe('completed')
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ images: [{ mediaType: 'image/png' }] })
  })

  test('multi-turn', async () => {
    const { respond, heard } = await open()
    const response = await respond({ input: [user('I am Ann.'), assistant('Hello Ann!'), user('Who am I?')] })
    expect(response.status).toBe('completed')
    expect(heard()).toEqual(['user: I am Ann.', 'assistant: Hello Ann!', 'user: Who am I?'])
  })

  test('previous-response-id', async () => {
    const { respond, heard } = await open()
    const first = await respond({ input: 'The word is papaya.' })
    const second = await respond({ input: 'Which word?', previous_response_id: first.id })
    expect([second.status, second.previous_response_id]).toEqual(['completed', first.id])
    expect(heard()).toEqual(['user: The word is papaya.', `assistant: ${joinText(first)}`, 'user: Which word?'])
  })
})

describe('over a WebSocket', () => {
  const create = (client: SocketClient, body: object) => client.create(body).then(told)

  test('websocket-response', async () => {
    const client = await connectTo(await open())
    expect(joinText(await create(client, { input: [user('Count.')] }))).toBe('You said: Count.')
  })

  test('websocket-sequential-responses', async () => {
    const client = await connectTo(await open())
    for (const input of ['first', 'second'])
      expect(joinText(await create(client, { input, ...unstored }))).toBe(`You said: ${input}`)
  })

  test('websocket-continuation', async () => {
    const desk = await open()
    const client = await connectTo(desk)
    const { id } = await create(client, { input: 'The word is cobalt.', ...unstored })
    const next = await create(client, { input: 'Which word?', previous_response_id: id, ...unstored })
    expect([next.status, next.previous_response_id]).toEqual(['completed', id])
    expect(desk.heard()[0]).toBe('user: The word is cobalt.')
  })

  test('websocket-reconnect-store-false-recovery', async () => {
    const desk = await open()
    const { id } = await create(await connectTo(desk), { input: 'The word is copper.', ...unstored })
    const client = await connectTo(desk)
    expect(await create(client, { input: 'Which word?', previous_response_id: id, ...unstored })).toBe(unknown)
    expect((await create(client, { input: [user('Begin again.')], ...unstored })).status).toBe('completed')
  })

  test('websocket-generate-false', async () => {
    const desk = await open()
    const client = await connectTo(desk)
    const prepared = await create(client, { input: 'Get ready.', generate: false, ...unstored })
    expect([prepared.status, prepared.output, desk.model.requests.length]).toEqual(['completed', [], 0])
    const next = await create(client, { input: 'Go.', previous_response_id: prepared.id, ...unstored })
    expect([next.status, joinText(next)]).toEqual(['completed', 'You said: Get ready.\n\nGo.'])
  })

  test('websocket-previous-response-not-found', async () => {
    const client = await connectTo(await open())
    expect(await create(client, { input: 'x', previous_response_id: 'resp_missing', ...unstored })).toBe(unknown)
  })

  test('websocket-failed-continuation-evicts-cache', async () => {
    const client = await connectTo(await open())
    const { id } = await create(client, { input: 'The word is ember.', ...unstored })
    const result = { type: 'function_call_output', call_id: 'call_missing', output: 'x' }
    expect(await create(client, { input: [result], previous_response_id: id, ...unstored })).toBe('invalid_request')
    expect(await create(client, { input: 'Again.', previous_response_id: id, ...unstored })).toBe(unknown)
  })
})

describe('what does not apply: the agent has its own tools, and does not call those of a client', () => {
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }]

  test.each(['tool-calling', 'tool-calling-streaming'])(
    '%s: the tools are passed over, and the reply says so',
    async (id) => {
      const { ask } = await open()
      const stream = id.endsWith('streaming')
      const reply = await ask('/v1/responses', { body: { model: 'svc', input: 'Weather?', tools, stream } })
      expect(reply.headers.get('x-svc-ignored')).toBe('tools')
      const read = await reply.text()
      const response = stream
        ? told(parseResponseEvents(read).map(({ data }) => data))
        : checkedResponse(JSON.parse(read))
      expect(response.output.map(({ type }: Reply) => type)).toEqual(['message'])
    },
  )

  test.each([
    ['function-call-roundtrip', { type: 'function', name: 'get_weather' }],
    ['file-search', { type: 'file_search' }],
    ['offline-web-search', { type: 'web_search' }],
  ])('%s: a call that is forced is refused', async (_id, choice) => {
    const { respond } = await open()
    const refused = await respond({ input: 'Weather?', tools, tool_choice: choice })
    expect(refused).toMatchObject({ failed: 400, code: 'unsupported_parameter', param: 'tool_choice' })
  })

  test('file-input: a file is refused', async () => {
    const { respond } = await open()
    const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
    const refused = await respond({ input: [user([{ type: 'input_text', text: 'Its title?' }, file])] })
    expect(refused).toMatchObject({ failed: 400, code: 'invalid_content_part', param: 'input[0].content' })
  })
})

describe('not in the suite', () => {
  test('a turn in which the agent uses a tool has its items and events in the form of the schema', async () => {
    const script = [{ text: 'Wait.', calls: [{ name: 'take_note', input: { note: 'x' } }] }, 'Done.']
    const desk = await openApi(script, { with: [notes] })
    const final = told(await (await connectTo(desk)).create({ input: 'Note it.' }))
    expect(final.output.map(({ type }: Reply) => type)).toEqual(['message', 'mcp_call', 'message'])
  })

  test('a response that failed has all members, and its error', async () => {
    const problem = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
    const { ask } = await openApi([{ failure: problem }])
    const reply = await ask('/v1/responses', { body: { model: 'svc', input: 'x' } })
    expect(checkedResponse(await reply.json())).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
  })

  test('a request that is malformed has a failure in the form of the schema', async () => {
    const { respond } = await open()
    expect(await respond({})).toMatchObject({ failed: 400, param: 'input', type: 'invalid_request_error' })
    expect(await respond({ input: 'x', previous_response_id: 'resp_missing' })).toMatchObject({
      failed: 400,
      code: unknown,
    })
  })
})
