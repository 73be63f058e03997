import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import type { ModelEvent, ModelProvider } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { ResponsesAnswer } from '../../../../plugins/providers/provider-openai/responses-assemble.ts'
import { vendors } from '../../../../plugins/providers/provider-openai/vendors.ts'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import type { ModelServer, ModelServerOptions } from '../../../support/model-server.ts'
import { open, provider, serve } from './ask.ts'

/** OpenAI's provider, asked by the Responses API at a server of this machine. */
async function openai(options: ModelServerOptions): Promise<{ server: ModelServer; asked: ModelProvider }> {
  const server = await serve(options)
  const config = { providers: { openai: { base_url: server.url, api_mode: 'responses' } } }
  return { server, asked: provider(await open({ env: { OPENAI_API_KEY: 'openai-key' }, config }), 'openai') }
}

function getBody(server: ModelServer, index = 0): Record<string, unknown> {
  return server.requests[index]?.body ?? {}
}

/** What the agent keeps of an answer. */
function getMessage(events: readonly ModelEvent[]): Extract<Message, { role: 'assistant' }> {
  const end = events.at(-1)
  if (end?.type !== 'end') throw new Error(`it ended with ${JSON.stringify(end)}`)
  const toolCalls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
  return { role: 'assistant', text, toolCalls, ...(end.carry ? { carry: end.carry } : {}) }
}

test('a response comes as text, usage and end, and the service keeps nothing', async () => {
  const { server, asked } = await openai({ replies: ['Hello there.'] })
  expect(await ask(asked)).toEqual([
    { type: 'text', text: 'Hello there.' },
    { type: 'usage', usage: { input: 7, output: 1 } },
    { type: 'end', reason: 'stop' },
  ])
  expect(server.requests[0]?.path).toBe('/v1/responses')
  expect(getBody(server)).toEqual({
    model: 'fake-model',
    input: [{ role: 'user', content: 'Hello' }],
    reasoning: { summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: true,
  })
})

test('reasoning, text and calls arrive in order and whole', async () => {
  const calls = [
    { id: 'a', name: 'read_file', arguments: { path: 'notes.txt' }, pieces: 5 },
    { id: 'b', name: 'terminal', arguments: '{"command": oops', pieces: 3 },
  ]
  const { asked } = await openai({ replies: [{ reasoning: ['Hm, ', 'files.'], text: ['I ', 'look.'], calls }] })
  const events = await ask(asked)
  expect(joinText(events)).toBe('(Hm, files.)I look.')
  expect(events.slice(-4)).toEqual([
    { type: 'tool-call', call: { id: 'a', name: 'read_file', input: { path: 'notes.txt' } } },
    { type: 'tool-call', call: { id: 'b', name: 'terminal', input: '{"command": oops' } },
    { type: 'usage', usage: { input: 7, output: 4 } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test('sealed reasoning goes back in its place, to the model that thought it only', async () => {
  const thinking = { reasoning: 'Hm.', sealed: 'sealed-1', text: 'I look.', calls: [{ id: 'c1', name: 'look' }] }
  const { server, asked } = await openai({ replies: [thinking, 'Done.', 'Done.'] })
  const answer = getMessage(await ask(asked))
  const messages: Message[] = [{ role: 'user', text: 'Go' }, answer, { role: 'tool', callId: 'c1', text: 'seen' }]
  await ask(asked, { messages })
  expect(getBody(server, 1)['input']).toEqual([
    { role: 'user', content: 'Go' },
    {
      type: 'reasoning',
      id: 'rs_fake',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'sealed-1',
    },
    { role: 'assistant', content: 'I look.' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'seen' },
  ])
  await ask(asked, { messages, model: 'other-model' })
  expect(JSON.stringify(getBody(server, 2))).not.toContain('sealed-1')
})

test('reasoning of another provider, and reasoning whose call is gone, stays away', async () => {
  const { server, asked } = await openai({
    replies: [{ sealed: 'sealed-1', calls: [{ id: 'c1', name: 't' }] }, 'a', 'b'],
  })
  const { carry } = getMessage(await ask(asked))
  if (!carry) throw new Error('nothing was carried')
  await ask(asked, { messages: [{ role: 'assistant', text: 'Hi', carry: { ...carry, provider: 'xai' } }] })
  await ask(asked, {
    messages: [
      { role: 'assistant', text: '', carry },
      { role: 'user', text: 'Go on' },
    ],
  })
  expect(getBody(server, 1)['input']).toEqual([{ role: 'assistant', content: 'Hi' }])
  expect(getBody(server, 2)['input']).toEqual([{ role: 'user', content: 'Go on' }])
})

test('reasoning that the service cannot open any more is left out of that conversation only', async () => {
  const stale = {
    status: 400,
    code: 'invalid_encrypted_content',
    message: 'The encrypted content could not be verified.',
  }
  const { server, asked } = await openai({
    replies: (request, index) => {
      if (index === 0) return { sealed: 'sealed-1', text: 'Hi' }
      return request.raw.includes('sealed-1') && index < 4 ? { fault: stale } : 'ok'
    },
  })
  const answer = getMessage(await ask(asked))
  const messages: Message[] = [answer, { role: 'user', text: 'Go on' }]
  expect(joinText(await ask(asked, { messages, conversation: 'one' }))).toBe('ok')
  expect(joinText(await ask(asked, { messages, conversation: 'one' }))).toBe('ok')
  expect(server.requests).toHaveLength(4)
  await ask(asked, { messages, conversation: 'two' })
  expect(server.requests[4]?.raw.includes('sealed-1')).toBe(true)
})

test('the output limit, a filter and what they cut', async () => {
  const { asked } = await openai({
    replies: [
      { text: 'Too lo', calls: [{ name: 't', arguments: '{"a": 1, "b"' }], finish: 'length' },
      { finish: 'content_filter' },
    ],
  })
  const cut = await ask(asked)
  expect(cut.some(({ type }) => type === 'tool-call')).toBe(false)
  expect(cut.at(-1)).toEqual({ type: 'end', reason: 'length' })
  expect((await ask(asked)).at(-1)).toEqual({ type: 'end', reason: 'filtered' })
})

test('pictures go in with messages and results, and come out', async () => {
  const { server, asked } = await openai({ replies: [{ images: ['QUJD'] }] })
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }
  const events = await ask(asked, {
    messages: [
      { role: 'user', text: 'Look', images },
      { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 't', input: {} }] },
      { role: 'tool', callId: 'c', text: 'broken', images, failed: true },
    ],
  })
  expect(events[0]).toEqual({ type: 'image', image: { mediaType: 'image/png', data: 'QUJD' } })
  expect(getBody(server)['input']).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'Look' }, picture] },
    { type: 'function_call', call_id: 'c', name: 't', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'Error: broken' }, picture] },
  ])
})

test('counts of every kind are told', async () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 20,
    input_tokens_details: { cached_tokens: 64, cache_write_tokens: 32 },
    output_tokens_details: { reasoning_tokens: 12 },
  }
  const { asked } = await openai({
    replies: [
      { text: 'a', usage },
      { text: 'a', usage: 'none' },
    ],
  })
  expect(await ask(asked)).toContainEqual({
    type: 'usage',
    usage: { input: 100, output: 20, cachedInput: 64, cacheWriteInput: 32, reasoning: 12 },
  })
  expect((await ask(asked)).map(({ type }) => type)).toEqual(['text', 'end'])
})

test('tools, limits and efforts are written as this API wants them', async () => {
  const { server, asked } = await openai({ replies: ['a'] })
  const tools = [{ name: 't', description: 'Does.', parameters: { $schema: 'x', type: 'object' } }]
  const more = { tools, model: 'gpt-5.1', reasoning: 'xhigh', temperature: 0.5, conversation: 'k', maxOutputTokens: 9 }
  await ask(asked, { ...more, reasoning: 'xhigh' })
  expect(getBody(server)).toMatchObject({
    tools: [{ type: 'function', name: 't', description: 'Does.', parameters: { type: 'object' }, strict: false }],
    reasoning: { effort: 'high', summary: 'auto' },
    prompt_cache_key: 'k',
    max_output_tokens: 9,
  })
  expect(getBody(server)).not.toHaveProperty('temperature')
})

test.for([
  ['cut', 'cut', true],
  ['no-finish', 'cut', true],
  ['garbage', 'garbled', true],
  ['html', 'invalid', false],
  ['wrong-json', 'garbled', false],
  ['error-event', 'server', true],
  [{ status: 429, headers: { 'retry-after': '7' } }, 'rate-limit', true],
  [{ status: 500 }, 'server', true],
  [{ status: 401 }, 'auth', false],
] as const)('the fault %o is told as %s', async ([fault, kind, retryable]) => {
  const { asked } = await openai({ replies: [{ text: 'Half of a sentence.', fault }] })
  const failure = await collectFailure(asked)
  expect(failure).toMatchObject({ kind, retryable })
  if (kind === 'rate-limit') expect(failure.retryAfterMs).toBe(7000)
})

test.for([
  [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'Down' } } }, 'server', undefined],
  [
    {
      type: 'response.failed',
      response: { error: { code: 'rate_limit_exceeded', message: 'Please try again in 1.5s.' } },
    },
    'rate-limit',
    1500,
  ],
  [{ type: 'error', code: 'invalid_prompt', message: 'No.', param: null, sequence_number: 1 }, 'invalid', undefined],
  [{ error: { message: 'Your input exceeds the context window of this model.' } }, 'context-overflow', undefined],
] as const)('an error in the middle of an answer: %o', async ([event, kind, wait]) => {
  const body = `data: ${JSON.stringify(event)}\n\n`
  const { asked } = await openai({
    replies: [{ fault: { status: 200, headers: { 'content-type': 'text/event-stream' }, body } }],
  })
  const failure = await collectFailure(asked)
  expect([failure.kind, failure.retryAfterMs]).toEqual([kind, wait])
})

test('a whole response of a server that does not stream is understood', async () => {
  const output = [
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'At once.' }] },
    { type: 'function_call', call_id: 'c', name: 't', arguments: '{"a":1}' },
  ]
  const body = JSON.stringify({ object: 'response', status: 'completed', output, usage: { input_tokens: 1 } })
  const { asked } = await openai({ replies: [{ fault: { status: 200, body } }] })
  expect(await ask(asked)).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'At once.' },
    { type: 'tool-call', call: { id: 'c', name: 't', input: { a: 1 } } },
    { type: 'usage', usage: { input: 1 } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test('a response is the same however slowly its bytes come', async () => {
  const reply = { reasoning: 'Grüße ', text: ['naïve ', '漢字 🙂'], calls: [{ name: 't', arguments: { é: '🙂' } }] }
  const { asked } = await openai({ replies: [reply, { ...reply, fault: 'slow' }] })
  const [fast, slow] = [await ask(asked), await ask(asked)]
  expect(joinText(slow)).toBe('(Grüße )naïve 漢字 🙂')
  expect(slow.slice(-3)).toEqual(fast.slice(-3))
})

test('earlier answers of any form go back as items that the service takes', async () => {
  const { server, asked } = await openai({ replies: () => 'ok' })
  const call = fc.record({ id: fc.string({ minLength: 1 }), name: fc.constant('t'), input: fc.jsonValue() })
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.array(call, { maxLength: 3 }), async (text, toolCalls) => {
      await ask(asked, {
        messages: [
          { role: 'user', text: 'Go' },
          { role: 'assistant', text, toolCalls },
        ],
      })
      const input = server.requests.at(-1)?.body['input'] as { type?: string; arguments?: string }[]
      const calls = input.filter(({ type }) => type === 'function_call')
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(calls.length)
      for (const { arguments: given = '' } of calls) expect(JSON.parse(given)).toBeTypeOf('object')
    }),
    { numRuns: 30 },
  )
})

test('xAI gets pictures of tools behind the results, and says what a call cost', async () => {
  const usage = { input_tokens: 3, cost_in_usd_ticks: 50_000_000 }
  const server = await serve({ replies: [{ text: 'a', usage }] })
  const config = { providers: { xai: { base_url: server.url, api_mode: 'responses' } } }
  const asked = provider(await open({ env: { XAI_API_KEY: 'xai-key' }, config }), 'xai')
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const messages: Message[] = [
    { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 't', input: {} }] },
    { role: 'tool', callId: 'c', text: 'seen', images },
  ]
  expect(await ask(asked, { messages })).toContainEqual({ type: 'usage', usage: { input: 3, costUsd: 0.005 } })
  const [, output, pictures] = getBody(server)['input'] as Record<string, unknown>[]
  expect(output).toMatchObject({ type: 'function_call_output', output: 'seen' })
  expect(pictures).toMatchObject({
    role: 'user',
    content: [{ text: 'Images from tool call c:' }, { type: 'input_image' }],
  })
  expect(getBody(server)).not.toHaveProperty('reasoning')
})

test('several messages of one answer are paragraphs, and go back apart with their phases', async () => {
  const message = (text: string, phase: string) => ({
    type: 'message',
    phase,
    content: [{ type: 'output_text', text }],
  })
  const output = [
    message('I look.', 'commentary'),
    { type: 'function_call', call_id: 'c', name: 't', arguments: '{}' },
    message('Done.', 'final_answer'),
  ]
  const body = JSON.stringify({ object: 'response', status: 'completed', output })
  const { server, asked } = await openai({ replies: [{ fault: { status: 200, body } }, 'ok', 'ok'] })
  const answer = getMessage(await ask(asked))
  expect(answer.text).toBe('I look.\n\nDone.')
  await ask(asked, { messages: [answer] })
  expect(getBody(server, 1)['input']).toEqual([
    { role: 'assistant', content: 'I look.', phase: 'commentary' },
    { type: 'function_call', call_id: 'c', name: 't', arguments: '{}' },
    { role: 'assistant', content: 'Done.', phase: 'final_answer' },
  ])
  await ask(asked, { messages: [{ ...answer, text: 'Changed.' }] })
  expect(JSON.stringify(getBody(server, 2)['input'])).toContain('"content":"Changed."')
})

test('a tier is asked for and read from the response', async () => {
  const { server, asked } = await openai({ replies: ['Fast.'] })
  await ask(asked, { serviceTier: 'priority' })
  expect(getBody(server)).toMatchObject({ service_tier: 'priority' })
  const response = {
    object: 'response',
    status: 'completed',
    service_tier: 'default',
    usage: { input_tokens: 3, output_tokens: 2 },
  }
  const parser = new ResponsesAnswer('m', vendors[0] as never, () => 'id')
  parser.add(JSON.stringify(response))
  expect(parser.end()).toContainEqual({ type: 'usage', usage: { input: 3, output: 2 }, tier: 'default' })
})
