import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'
import { type CatalogEntry, catalog } from '../../../../plugins/providers/provider-openai/catalog.ts'
import { ResponsesAnswer } from '../../../../plugins/providers/provider-openai/responses-assemble.ts'
import { responsesWire } from '../../../../plugins/providers/provider-openai/responses-wire.ts'
import { chatWire } from '../../../../plugins/providers/provider-openai/wire.ts'
import { ask, request } from '../../../support/ask-model.ts'
import { open, provider, serve } from './ask.ts'

const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }]
const messages: readonly Message[] = [
  { role: 'user', text: 'Read it.' },
  { role: 'assistant', text: '', toolCalls: [{ id: `toolu_${'a'.repeat(90)}`, name: 'read_file', input: {} }] },
  { role: 'tool', callId: `toolu_${'a'.repeat(90)}`, text: 'Done.' },
]

function builtIn(id: string): CatalogEntry {
  const found = catalog.find((entry) => entry.id === id)
  if (!found) throw new Error(`no entry ${id}`)
  return found
}

/** The body that a wire sends, as a value. */
function createBody(wire: typeof chatWire, asked = request({ messages, tools })): Record<string, never> {
  const entry = builtIn('openai')
  return JSON.parse(wire.body(asked, entry, wire.options(asked, entry)))
}

test('the same conversation goes out in the form of the wire that is asked, whichever was asked before', () => {
  const asked = request({ messages, tools })
  const [chat, responses, again] = [chatWire, responsesWire, chatWire].map((wire) => createBody(wire, asked))
  expect(responses).toMatchObject({
    tools: [{ type: 'function', name: 'read_file' }],
    input: [{ role: 'user' }, { type: 'function_call' }, {}],
  })
  expect(JSON.stringify(responses)).not.toContain('tool_calls')
  expect(chat).toMatchObject({ tools: [{ type: 'function', function: { name: 'read_file' } }] })
  expect(again).toEqual(chat)
})

test.for([
  ['chat', chatWire],
  ['responses', responsesWire],
] as const)('by %s a long id of another service is cut alike at the call and at its result', ([, wire]) => {
  const ids = [...JSON.stringify(createBody(wire)).matchAll(/"(?:id|call_id|tool_call_id)":"([^"]+)"/g)].map(
    ([, id]) => id,
  )
  expect(ids).toEqual([ids[0], ids[0]])
  expect(ids[0]).toMatch(/^toolu_a+_\w+$/)
  expect(ids[0]?.length).toBeLessThanOrEqual(64)
})

test('a tool with a strange name and a union at its top is asked for and called by its own name', async () => {
  const name = 'files.read me'
  const parameters = { anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }] }
  const { fittedName } = await import('../../../../sdk/wire-names.ts')
  const server = await serve({ replies: [{ calls: [{ name: fittedName(name) }] }] })
  const config = { providers: { groq: { base_url: server.url } } }
  const asked = provider(await open({ env: { GROQ_API_KEY: 'groq-key' }, config }), 'groq')
  const events = await ask(asked, { tools: [{ name, description: '', parameters }] })
  expect(events).toContainEqual({ type: 'tool-call', call: expect.objectContaining({ name }) })
  const [sent] = (server.requests[0]?.body['tools'] ?? []) as { function: { name: string; parameters: object } }[]
  expect(sent?.function.name).toMatch(/^files_read_me_\w+$/)
  expect(sent?.function.parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
  })
})

test.for([
  [{ finish_reason: 'error', delta: {} }, /without a reason/],
  [{ finish_reason: 'error', delta: {}, error: { code: 502, message: 'Upstream went away' } }, /Upstream went away/],
])('an answer that ended by an error is no answer: %j', ([choice, said]) => {
  const answer = new Answer(() => 'new')
  answer.add(JSON.stringify({ choices: [{ index: 0, delta: { content: 'Half' } }] }))
  answer.add(JSON.stringify({ choices: [choice] }))
  expect(JSON.stringify(answer.error)).toMatch(said as RegExp)
})

const message = (id: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const call = (id: string, callId: string, more: object = {}) => ({
  type: 'function_call',
  id,
  call_id: callId,
  name: 'write_file',
  arguments: '{"path":"x"}',
  ...more,
})

/** What an answer says and calls whose items came at these places, and stand in `output` at the end. */
function replayed(streamed: readonly (readonly [number, object])[], output: readonly object[]): unknown[] {
  const answer = new ResponsesAnswer('gpt-5', builtIn('openai'), () => 'new')
  for (const [place, item] of streamed) {
    answer.add(JSON.stringify({ type: 'response.output_item.added', output_index: place, item }))
    answer.add(JSON.stringify({ type: 'response.output_item.done', output_index: place, item }))
  }
  answer.add(
    JSON.stringify({ type: 'response.completed', response: { object: 'response', status: 'completed', output } }),
  )
  return answer
    .end()
    .flatMap((event) => (event.type === 'text' ? [event.text] : event.type === 'tool-call' ? [event.call.id] : []))
}

test.for([
  ['with a gap between their places', [call('fc_1', 'a')], [[2, call('fc_1', 'a')]]],
  [
    'with new ids at the end',
    [message('msg_9', 'Done.'), call('fc_9', 'a')],
    [
      [0, message('msg_1', 'Done.')],
      [3, call('fc_1', 'a')],
    ],
  ],
  [
    'and are written otherwise at the end',
    [call('fc_1', '', { arguments: '{ "path": "x" }' }), call('', 'b', { arguments: '{ "path": "y" }' })],
    [
      [4, call('fc_1', 'a')],
      [5, call('fc_2', 'b')],
    ],
  ],
  ['with no ids and other places', [message('', 'Done.')], [[4, message('', 'Done.')]]],
] as const)('items that were streamed %s are not taken again from the end', ([, output, streamed]) => {
  const [all, once] = [replayed(streamed, output), replayed(streamed, [])]
  expect(all).toEqual(once)
  expect(all).toHaveLength(output.length)
})

test('an item that was not streamed is taken from the end, also where its place is taken', () => {
  expect(replayed([[0, message('m', 'One.')]], [call('fc_1', 'a'), message('m', 'One.')])).toEqual(['One.', 'a'])
})

test('the reasoning behind a call goes back to Z.AI with the call, as its documents ask', () => {
  const said: Message = {
    role: 'assistant',
    text: '',
    reasoning: 'Hm.',
    toolCalls: [{ id: 'a', name: 'read_file', input: {} }],
  }
  const asked = request({
    messages: [{ role: 'user', text: 'Go.' }, said, { role: 'tool', callId: 'a', text: 'Done.' }],
  })
  const entry = builtIn('zai')
  expect(chatWire.body(asked, entry, chatWire.options(asked, entry))).toContain('"reasoning_content":"Hm."')
})
