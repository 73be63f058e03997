/** Members that the types of public clients say are there. */
import { expect, test } from 'vitest'
import { openApi, parseEvents } from './desk.ts'

const members =
  `background completed_at conversation created_at error frequency_penalty id incomplete_details instructions
  max_output_tokens max_tool_calls metadata model object output parallel_tool_calls presence_penalty previous_response_id
  prompt_cache_key reasoning safety_identifier service_tier status store temperature text tool_choice tools top_logprobs top_p
  truncation usage user`.split(/\s+/)

test('a response has every member of the public object, in every state', async () => {
  const { ask } = await openApi(['Hi.'])
  const events = parseEvents(await (await ask('/v1/responses', { body: { input: 'a', stream: true } })).text())
  const states = events.filter(({ data }) => data.response).map(({ data }) => data.response)
  expect(states).toHaveLength(3)
  for (const response of states) expect(members.filter((name) => !(name in response))).toEqual([])
  expect(states.at(-1)).toMatchObject({
    temperature: 1,
    top_p: 1,
    truncation: 'disabled',
    text: { format: { type: 'text' } },
  })
  expect(states.at(-1).completed_at).toBeGreaterThanOrEqual(states.at(-1).created_at)
})

test('what a client says of a response to find it again is there when it is asked for', async () => {
  const { read } = await openApi(['Hi.'])
  const said = {
    metadata: { order: '42' },
    temperature: 0.3,
    max_output_tokens: 99,
    safety_identifier: 'u-1',
    truncation: 'auto',
  }
  const { body } = await read('/v1/responses', { body: { input: 'a', ...said } })
  expect((await read(`/v1/responses/${body.id}`)).body).toMatchObject(said)
})

test('a chat has the members that are null, and its metadata', async () => {
  const { read, ask } = await openApi(['Hi.', 'Hi.'])
  const body = { messages: [{ role: 'user', content: 'a' }], metadata: { order: '42' } }
  const reply = await read('/v1/chat/completions', { body })
  expect(reply.body).toMatchObject({
    metadata: { order: '42' },
    choices: [{ logprobs: null, message: { refusal: null } }],
  })
  const events = parseEvents(await (await ask('/v1/chat/completions', { body: { ...body, stream: true } })).text())
  expect(events.slice(0, -1).every(({ data }) => data.choices[0].logprobs === null)).toBe(true)
})

test('every reply has its own id, also a refusal', async () => {
  const { ask } = await openApi(['Hi.'])
  const asked = [
    ask('/v1/responses', { body: { input: 'a' } }),
    ask('/v1/responses', { body: {} }),
    ask('/v1/responses/resp_0'),
    ask('/v1/responses', { body: {}, headers: { authorization: 'Bearer wrong' } }),
    ask('/v1/nowhere'),
  ]
  const ids = (await Promise.all(asked)).map(({ headers }) => headers.get('x-request-id'))
  expect(ids.every((id) => /^req_[0-9a-f]{32}$/.test(id ?? ''))).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
})
