/** Answers of a form that the client asks for. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { generateObject } from 'ai'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { Sessions } from 'svc/sdk'
import type { AnswerFormatSupport } from 'svc/sdk/provider'
import type { ScriptedReply } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { KEY, openApi, parseEvents, parseResponseEvents } from './desk.ts'
import { notes } from './notes.ts'

const Note = z.object({ title: z.string(), pages: z.number().int() })
const GOOD = '{"title":"milk","pages":1}'
const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, pages: { type: 'integer' } },
  required: ['title', 'pages'],
  additionalProperties: false,
}
const json = { type: 'json_schema', name: 'note', schema, strict: true }
const inChat = { type: 'json_schema', json_schema: { name: 'note', schema, strict: true } }
const messages = [{ role: 'user', content: 'Note: milk' }] as const
const call = { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] }
const BESIDE: AnswerFormatSupport = { holds: 'schema', besideTools: true }
const ALONE: AnswerFormatSupport = { holds: 'schema' }

function desk(script: readonly ScriptedReply[], formats = ALONE) {
  const rest = [...script]
  return openApi(() => rest.shift() ?? '', { with: [notes], formats })
}

test('the openai library parses a chat completion in which the agent used a tool', async () => {
  const { url, model } = await desk([call, 'One page about milk.', GOOD])
  const openai = new OpenAI({ baseURL: url, apiKey: KEY, maxRetries: 0 })
  const wish = { model: 'svc', messages: [...messages], response_format: zodResponseFormat(Note, 'note') }
  const { choices } = await openai.chat.completions.parse(wish)
  expect(choices[0]?.message.parsed).toEqual({ title: 'milk', pages: 1 })
  expect(choices[0]?.message.content).toBe(GOOD)
  expect(model.requests.at(-1)?.format).toMatchObject({ name: 'note', strict: true })
})

test('the openai library parses a response', async () => {
  const { url } = await desk([call, GOOD], BESIDE)
  const openai = new OpenAI({ baseURL: url, apiKey: KEY, maxRetries: 0 })
  const response = await openai.responses.parse({
    model: 'svc',
    input: 'Note: milk',
    text: { format: zodTextFormat(Note, 'note') },
  })
  expect(response.output_parsed).toEqual({ title: 'milk', pages: 1 })
  expect(response.output.map(({ type }) => type)).toEqual(['mcp_call', 'message'])
})

test('the AI SDK generates an object', async () => {
  const { url } = await desk([call, 'One page.', GOOD])
  const named = { name: 'svc', baseURL: url, apiKey: KEY }
  const provider = createOpenAICompatible({ ...named, supportsStructuredOutputs: true })
  const { object } = await generateObject({ model: provider('svc'), prompt: 'Note: milk', schema: Note, maxRetries: 0 })
  expect(object).toEqual({ title: 'milk', pages: 1 })
})

test('LangChain gives structured output', async () => {
  const { url } = await desk([call, GOOD], BESIDE)
  const chat = new ChatOpenAI({ model: 'svc', apiKey: KEY, configuration: { baseURL: url }, maxRetries: 0 })
  const structured = chat.withStructuredOutput(Note, { name: 'note' })
  expect(await structured.invoke('Note: milk')).toEqual({ title: 'milk', pages: 1 })
})

test('a stream has the answer alone, with its events', async () => {
  const { ask } = await desk([call, 'One page.', GOOD])
  const chat = await ask('/v1/chat/completions', { body: { messages, stream: true, response_format: inChat } })
  const text = parseEvents(await chat.text()).map(({ data }) => data.choices?.[0]?.delta.content ?? '')
  expect(text.join('')).toBe(GOOD)
  const { ask: askAgain } = await desk([call, 'One page.', GOOD])
  const stream = await askAgain('/v1/responses', {
    body: { input: 'Note: milk', stream: true, text: { format: json } },
  })
  const events = parseResponseEvents(await stream.text())
  expect(events.flatMap(({ name, data }) => (name === 'response.output_text.delta' ? [data.delta] : []))).toEqual([
    GOOD,
  ])
  expect(events.at(-1)?.data.response.text.format).toEqual(json)
})

test('a run has it, and everybody who follows it', async () => {
  const { ask, read } = await desk([call, 'One page.', GOOD])
  const { body } = await read('/v1/runs', { body: { input: 'Note: milk', text: { format: json } } })
  const path = `/v1/runs/${body.run_id}`
  const events = parseEvents(await (await ask(`${path}/events`)).text())
  expect(events.flatMap(({ data }) => (data.event === 'message.delta' ? [data.delta] : []))).toEqual([GOOD])
  expect((await read(path)).body).toMatchObject({ status: 'completed', output: GOOD })
  const again = parseEvents(await (await ask(`${path}/events`)).text())
  const told = (all: typeof events) => all.map(({ id, data }) => [id, data.event, data.delta])
  expect(told(again)).toEqual(told(events))
  const seen = events.find(({ data }) => data.event === 'tool.completed')?.id ?? ''
  const rest = parseEvents(await (await ask(`${path}/events`, { headers: { 'last-event-id': seen } })).text())
  expect(rest.map(({ data }) => data.event)).toEqual(['message.delta', 'run.completed'])
})

test('an answer that never fits is an error, and nothing of it is shown', async () => {
  const { read } = await desk(['no', 'no', 'no', 'no', 'no', 'no'])
  const chat = await read('/v1/chat/completions', { body: { messages, response_format: { type: 'json_object' } } })
  expect([chat.status, chat.body.error.code]).toEqual([502, 'agent_incomplete'])
  expect(chat.body.error.message).toContain('not JSON')
  const response = await read('/v1/responses', { body: { input: 'Note: milk', text: { format: json } } })
  expect(response.body).toMatchObject({ status: 'failed', output: [], error: { code: 'server_error' } })
})

test('the next turn continues with the answer', async () => {
  const { read, kernel, heard } = await desk([call, 'One page.', GOOD, 'Fine.'])
  const body = { messages, response_format: inChat }
  expect((await read('/v1/chat/completions', { body })).body.choices[0].message.content).toBe(GOOD)
  const next = [...messages, { role: 'assistant', content: GOOD }, { role: 'user', content: 'And now?' }]
  await read('/v1/chat/completions', { body: { messages: next } })
  expect(heard().at(-2)).toBe(`assistant: ${GOOD}`)
  expect(kernel.use(Sessions).list()).toHaveLength(1)
})

test.each([
  ['/v1/chat/completions', { messages }, { response_format: inChat }, 'response_format'],
  ['/v1/responses', { input: 'Hi' }, { text: { format: json } }, 'text.format'],
  ['/v1/runs', { input: 'Hi' }, { text: { format: { type: 'json_object' } } }, 'text.format'],
])('%s says which model cannot be held to a form, and begins nothing', async (path, body, more, param) => {
  const { read, kernel } = await openApi(['never'])
  const reply = await read(path, { body: { ...body, ...more } })
  expect([reply.status, reply.body.error.param, reply.body.error.code]).toEqual([400, param, 'unsupported_parameter'])
  expect(reply.body.error.message).toContain('fake-1')
  expect(kernel.use(Sessions).list()).toEqual([])
})

test.each([
  [{ type: 'xml' }, 'response_format.type'],
  [{ type: 'json_schema' }, 'response_format.json_schema'],
  [{ type: 'json_schema', json_schema: { schema } }, 'response_format.json_schema.name'],
  [{ type: 'json_schema', json_schema: { name: 'a b', schema } }, 'response_format.json_schema.name'],
  [{ type: 'json_schema', json_schema: { name: 'a' } }, 'response_format.json_schema.schema'],
  [{ type: 'json_schema', json_schema: { name: 'a', schema: { type: 'odd' } } }, 'response_format'],
])('the form %j is refused', async (format, param) => {
  const { read, kernel } = await desk(['never'])
  const reply = await read('/v1/chat/completions', { body: { messages, response_format: format } })
  expect([reply.status, reply.body.error.param, reply.body.error.type]).toEqual([400, param, 'invalid_request_error'])
  expect(kernel.use(Sessions).list()).toEqual([])
})
