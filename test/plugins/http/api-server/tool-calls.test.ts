/** What clients are told of tools, and what they send back of it. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { KEY, openApi, parseEvents, parseResponseEvents } from './desk.ts'
import { notes } from './notes.ts'

const rounds = (...more: string[]) => {
  const script = [
    { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] },
    { text: 'Done.' },
    ...more,
  ]
  return () => script.shift() ?? ''
}

test('a call that the server made is not one that the client is asked to make', async () => {
  const { read } = await openApi(rounds(), { with: [notes] })
  const { body } = await read('/v1/responses', { body: { input: 'Note: milk' } })
  expect(body.output.map(({ type }: { type: string }) => type)).toEqual(['message', 'mcp_call', 'message'])
  expect(body.output[1]).toMatchObject({
    id: expect.stringMatching(/^mcp_/),
    server_label: 'svc',
    name: 'take_note',
    arguments: '{"note":"milk"}',
    output: 'noted',
    error: null,
    status: 'completed',
  })
})

test('a call under way is told in the order of the public reference, and its item has the result in the end', async () => {
  const { ask } = await openApi(rounds(), { with: [notes] })
  const events = parseResponseEvents(await (await ask('/v1/responses', { body: { input: 'go', stream: true } })).text())
  const call = events.filter(({ data }) => data.item?.type === 'mcp_call' || data.type.includes('mcp_call'))
  expect(call.map(({ name }) => name)).toEqual([
    'response.output_item.added',
    'response.mcp_call.in_progress',
    'response.mcp_call_arguments.delta',
    'response.mcp_call_arguments.done',
    'response.mcp_call.completed',
    'response.output_item.done',
  ])
  expect(call[0]?.data.item).toMatchObject({ status: 'in_progress', arguments: '', output: null })
  expect(call.at(-1)?.data.item).toMatchObject({ status: 'completed', output: 'noted' })
  expect(new Set(call.map(({ data }) => data.output_index))).toEqual(new Set([1]))
})

test('a call that failed says so in its item', async () => {
  const script = [{ calls: [{ name: 'take_note', input: {} }] }, 'Sorry.']
  const { read } = await openApi(() => script.shift() ?? '', { with: [notes] })
  const { body } = await read('/v1/responses', { body: { input: 'go' } })
  expect(body.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed', output: null })
  expect(body.output[0].error).toMatch(/\S/)
})

test('anyone who was written for function calls gets them by a header', async () => {
  const { read } = await openApi(rounds(), { with: [notes] })
  const headers = { 'x-svc-tool-items': 'function_call' }
  const { body } = await read('/v1/responses', { body: { input: 'go' }, headers })
  expect(body.output.map(({ type }: { type: string }) => type)).toEqual([
    'message',
    'function_call',
    'function_call_output',
    'message',
  ])
})

test('no chunk of a chat is an event with a name: the facts of tools are in a member of ordinary chunks', async () => {
  const { ask } = await openApi(rounds(), { with: [notes] })
  const body = { stream: true, messages: [{ role: 'user', content: 'Note: milk' }] }
  const events = parseEvents(await (await ask('/v1/chat/completions', { body })).text())
  expect(events.filter(({ name }) => name !== undefined)).toEqual([])
  const chunks = events.slice(0, -1).map(({ data }) => data)
  expect(chunks.every(({ object, choices }) => object === 'chat.completion.chunk' && choices.length === 1)).toBe(true)
  expect(chunks.filter(({ svc }) => svc).map(({ svc }) => svc)).toMatchObject([
    { event: 'tool.progress', tool: 'take_note', label: 'milk', status: 'running' },
    { event: 'tool.progress', tool: 'take_note', status: 'completed', ok: true },
  ])
})

test('items that the server gave out may be sent back by their ids', async () => {
  const { read, heard } = await openApi(rounds('Bread, too.'), { with: [notes] })
  const user = (content: string) => ({ role: 'user', content })
  const { body } = await read('/v1/responses', { body: { input: [user('Note: milk')] } })
  const references = body.output.map(({ id }: { id: string }) => ({ type: 'item_reference', id }))
  const next = await read('/v1/responses', { body: { input: [user('Note: milk'), ...references, user('And bread')] } })
  expect(next.status).toBe(200)
  expect(next.body.svc.session_id).toBe(body.svc.session_id)
  expect(heard().filter((line) => line.startsWith('assistant: Let me see.'))).toHaveLength(1)
})

test('an item that was given to the holder of another session key cannot be referred to', async () => {
  const { read } = await openApi(['A secret.', 'Nothing.'])
  const as = (key: string) => ({ 'x-svc-session-key': key })
  const { body } = await read('/v1/responses', { headers: as('ann'), body: { input: 'a' } })
  const input = [
    { type: 'item_reference', id: body.output[0].id },
    { role: 'user', content: 'b' },
  ]
  const reply = await read('/v1/responses', { headers: as('bob'), body: { input } })
  expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([404, 'item_not_found', 'input[0].id'])
})

test.each([
  'mcp_call',
  'mcp_list_tools',
  'web_search_call',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'computer_call',
  'image_generation_call',
  'compaction',
  'reasoning',
  'something_of_next_year',
])('an item of the type %s in a history of another server is passed over', async (type) => {
  const { read, heard } = await openApi(['Fine.'])
  const input = [
    { role: 'user', content: 'a' },
    { type, id: 'x_1', call_id: 'c', name: 'n', arguments: '{}', output: 'o' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One.' }] },
    { role: 'user', content: 'b' },
  ]
  expect((await read('/v1/responses', { body: { input } })).status).toBe(200)
  expect(heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test.each([
  [
    'a response',
    '/v1/responses',
    {
      input: [
        { role: 'user', content: 'a' },
        { type: 'function_call_output', call_id: 'c', output: 'o' },
      ],
    },
    'input[1]',
  ],
  [
    'a chat',
    '/v1/chat/completions',
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, tool_calls: [] },
        { role: 'tool', tool_call_id: 'c', content: 'o' },
      ],
    },
    'messages[2]',
  ],
])(
  'the result of a tool of the client as the last word of %s is refused, and nothing is asked again',
  async (...row) => {
    const [, path, body, param] = row
    const { read, model } = await openApi(['never'])
    const reply = await read(path, { body })
    expect([reply.status, reply.body.error.param]).toEqual([400, param])
    expect(reply.body.error.message).toContain('calls its own tools only')
    expect(model.requests).toEqual([])
  },
)

test('a client whose tools are passed over is told so', async () => {
  const { url } = await openApi(['Hi.'])
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const tools = [{ type: 'function' as const, function: { name: 'own', parameters: {} } }]
  const { response } = await client.chat.completions
    .create({ model: 'svc', messages: [{ role: 'user', content: 'a' }], tools })
    .withResponse()
  expect(response.headers.get('x-svc-ignored')).toBe('tools')
})
