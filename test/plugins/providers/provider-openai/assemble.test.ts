import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'

function answer(...chunks: unknown[]): Answer {
  const made = new Answer(() => 'made-up')
  for (const chunk of chunks) made.add(typeof chunk === 'string' ? chunk : JSON.stringify(chunk))
  return made
}

const delta = (content: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
})
const callDelta = (call: object) => delta({ tool_calls: [call] })

test('texts in a row are one event, and reasoning stands apart', () => {
  const made = answer(
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning_content: 'Let me ' }),
    delta({ reasoning: 'think' }),
    delta({ content: 'Hello ' }),
    delta({ content: 'you' }),
    delta({ reasoning_content: 'done' }),
  )
  expect(made.take()).toEqual([
    { type: 'reasoning', text: 'Let me think' },
    { type: 'text', text: 'Hello you' },
    { type: 'reasoning', text: 'done' },
  ])
  expect(made.take()).toEqual([])
})

test('a refusal is said like any other text', () => {
  expect(answer(delta({ content: null, refusal: 'I cannot do that.' })).take()).toEqual([
    { type: 'text', text: 'I cannot do that.' },
  ])
})

test('arguments of several calls are put together by index', () => {
  const input = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 7 }), (inputs, size) => {
      const made = answer(
        ...inputs.map((_, index) => callDelta({ index, id: `c${index}`, function: { name: `t${index}` } })),
      )
      const texts = inputs.map((value) => JSON.stringify(value))
      const longest = Math.max(...texts.map(({ length }) => length))
      for (let start = 0; start < longest; start += size)
        for (const [index, text] of texts.entries())
          made.add(JSON.stringify(callDelta({ index, function: { arguments: text.slice(start, start + size) } })))
      made.add(JSON.stringify(delta({}, 'tool_calls')))
      const calls = texts.map((text, index) => ({ id: `c${index}`, name: `t${index}`, input: JSON.parse(text) }))
      expect(made.end()).toEqual([
        ...calls.map((call) => ({ type: 'tool-call', call })),
        { type: 'end', reason: 'tool-calls' },
      ])
    }),
  )
})

function listInputs(made: Answer): unknown[] {
  return made
    .end()
    .flatMap((event) => (event.type === 'tool-call' ? [[event.call.id, event.call.name, event.call.input]] : []))
}

test('arguments that are no JSON stay as they were written', () => {
  const made = answer(
    callDelta({ index: 0, id: 'c', function: { name: 't', arguments: '{"path": oops' } }),
    delta({}, 'stop'),
  )
  expect(listInputs(made)).toEqual([['c', 't', '{"path": oops']])
})

test('a call without arguments has an empty object', () => {
  expect(listInputs(answer(callDelta({ index: 0, id: 'c', function: { name: 't', arguments: '' } })))).toEqual([
    ['c', 't', {}],
  ])
})

test('arguments sent as an object are taken', () => {
  const made = answer(callDelta({ index: 0, id: 'c', function: { name: 't', arguments: { a: 1 } } }))
  expect(listInputs(made)).toEqual([['c', 't', { a: 1 }]])
})

test('calls that share an index but not an id are two', () => {
  const made = answer(
    callDelta({ index: 0, id: 'a', function: { name: 't', arguments: '{"n":1}' } }),
    callDelta({ index: 0, id: 'b', function: { name: 't', arguments: '{"n":2}' } }),
  )
  expect(listInputs(made)).toEqual([
    ['a', 't', { n: 1 }],
    ['b', 't', { n: 2 }],
  ])
})

test('calls without an index are told apart by id', () => {
  const made = answer(
    callDelta({ id: 'a', function: { name: 't', arguments: '{"n":' } }),
    callDelta({ function: { arguments: '1}' } }),
    callDelta({ id: 'b', function: { name: 'u', arguments: '{}' } }),
  )
  expect(listInputs(made)).toEqual([
    ['a', 't', { n: 1 }],
    ['b', 'u', {}],
  ])
})

test('a call without an id or a name gets one', () => {
  expect(listInputs(answer(callDelta({ index: 0, function: { arguments: '{}' } })))).toEqual([
    ['made-up', 'unnamed', {}],
  ])
})

test('a call that the output limit has cut is left out', () => {
  const made = answer(
    callDelta({ index: 0, id: 'a', function: { name: 't', arguments: '{"n":1}' } }),
    callDelta({ index: 1, id: 'b', function: { name: 't', arguments: '{"text":"half' } }),
    delta({}, 'length'),
  )
  expect(made.end()).toEqual([
    { type: 'tool-call', call: { id: 'a', name: 't', input: { n: 1 } } },
    { type: 'end', reason: 'length' },
  ])
})

test('an end is named for what brought it about', () => {
  const listReasons = (...finishes: string[]) =>
    finishes.map((finish) => {
      const end = answer(delta({}, finish)).end().at(-1)
      return end?.type === 'end' && end.reason
    })
  expect(listReasons('stop', 'length', 'content_filter', 'tool_calls')).toEqual(['stop', 'length', 'filtered', 'stop'])
  expect(listReasons('eos', 'max_tokens', 'model_context_window_exceeded')).toEqual(['stop', 'length', 'length'])
  expect(listReasons('sensitive', 'refusal', 'SAFETY')).toEqual(['filtered', 'filtered', 'filtered'])
})

test('an end that is a failure is one, and a call that the service could not read is asked for again', () => {
  expect(answer(delta({}, 'network_error')).error).toMatch(/lost its connection/)
  expect(answer(delta({}, 'insufficient_system_resource')).error).toMatchObject({ code: 'overloaded' })
  expect(answer(delta({}, 'stop')).error).toBeUndefined()
  expect(answer(delta({}, 'function_call_filter: MALFORMED_FUNCTION_CALL')).miswritten).toMatch(/malformed/)
  expect(answer(delta({}, 'stop')).miswritten).toBeUndefined()
})

test('the last usage counts, and what is not reported stays unknown', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 8 } }
  const made = answer(
    delta({ content: 'x' }),
    { choices: [], usage: { prompt_tokens: 1 } },
    { choices: null, usage },
    delta({}, 'stop'),
  )
  expect(made.end()).toContainEqual({ type: 'usage', usage: { input: 9, output: 3, cachedInput: 8 } })
  const details = { completion_tokens_details: { reasoning_tokens: 2 }, prompt_tokens: null }
  expect(answer({ choices: [], usage: details }).end()).toContainEqual({ type: 'usage', usage: { reasoning: 2 } })
  expect(answer({ choices: [], usage: {} }).end()).toEqual([{ type: 'end', reason: 'stop' }])
})

test('a whole message is taken like a stream of one chunk', () => {
  const call = { type: 'function', function: { name: 't', arguments: '{}' } }
  const made = answer({
    choices: [{ message: { content: 'Hi', tool_calls: [call, call] }, finish_reason: 'tool_calls' }],
  })
  expect(made.end()).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'tool-call', call: { id: 'made-up', name: 't', input: {} } },
    { type: 'tool-call', call: { id: 'made-up', name: 't', input: {} } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test('an error, garbage and another protocol are noticed', () => {
  expect(answer({ error: { message: 'no' } }).error).toEqual({ message: 'no' })
  expect(answer('{"choices": [oops').garbled).toBe('{"choices": [oops')
  expect(answer('null').garbled).toBe('null')
  expect(answer({ type: 'message_start' }).recognised).toBe(false)
  expect(answer(delta({ content: 'x' })).finished).toBe(false)
  expect(answer('[DONE]').finished).toBe(true)
})

test('content in parts, as reasoning models of Mistral send it, is told apart', () => {
  const thinking = [{ type: 'text', text: 'Hm.' }]
  const made = answer(
    delta({ content: [{ type: 'thinking', thinking }] }),
    delta({ content: [{ type: 'text', text: 'So ' }] }),
    delta({ content: 'be it.' }, 'stop'),
  )
  expect(made.take()).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'So be it.' },
  ])
})

const counts = { prompt_tokens: 9, completion_tokens: 2 }
test.for([
  ['DeepSeek', { choices: [], usage: { ...counts, prompt_cache_hit_tokens: 4 } }, 4],
  ['Kimi', { choices: [{ delta: {}, finish_reason: 'stop', usage: { ...counts, cached_tokens: 5 } }] }, 5],
  ['Groq', { choices: [{ delta: {}, finish_reason: 'stop' }], x_groq: { usage: counts } }, undefined],
] as const)('usage is read where %s reports it', ([, chunk, cachedInput]) => {
  const usage = { input: 9, output: 2, ...(cachedInput === undefined ? {} : { cachedInput }) }
  expect(answer(delta({ content: 'Hi' }), chunk).end()).toContainEqual({ type: 'usage', usage })
})

const openrouter = { id: 'openrouter', keepsDetails: true, cost: { field: 'cost', perUsd: 1 } } as const

test.for([
  [
    { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
    { input: 9, output: 2, cachedInput: 4 },
  ],
  [
    { prompt_tokens: 9, prompt_cache_hit_tokens: 8, completion_tokens_details: { reasoning_tokens: 1 } },
    { input: 9, cachedInput: 8, reasoning: 1 },
  ],
  [
    { prompt_tokens: 9, cached_tokens: 3 },
    { input: 9, cachedInput: 3 },
  ],
  [
    { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 5 } },
    { input: 9, cachedInput: 0, cacheWriteInput: 5 },
  ],
  [
    { prompt_tokens: 9, cost: 0.0125, prompt_tokens_details: { cache_write_tokens: 7 } },
    { input: 9, cacheWriteInput: 7, costUsd: 0.0125 },
  ],
] as const)('counts as services spell them: %j', ([usage, expected]) => {
  const made = new Answer(() => 'made-up', openrouter)
  for (const chunk of [delta({}, 'stop'), { choices: [], usage }]) made.add(JSON.stringify(chunk))
  expect(made.end()[0]).toEqual({ type: 'usage', usage: expected })
})

test('a cost is believed only where it is known to be in dollars', () => {
  expect(answer(delta({}, 'stop'), { choices: [], usage: { prompt_tokens: 1, cost: 3 } }).end()[0]).toEqual({
    type: 'usage',
    usage: { input: 1 },
  })
  const xai = new Answer(() => 'made-up', { id: 'xai', cost: { field: 'cost_in_usd_ticks', perUsd: 1e10 } })
  for (const chunk of [delta({}, 'stop'), { choices: [], usage: { cost_in_usd_ticks: 37_756_000 } }])
    xai.add(JSON.stringify(chunk))
  expect(xai.end()[0]).toEqual({ type: 'usage', usage: { costUsd: 0.0037756 } })
})

test('pictures come out between the texts around them, addresses of pictures do not', () => {
  const made = answer(
    delta({ content: 'Here:' }),
    delta({
      images: [{ image_url: { url: 'data:image/webp;base64,QUJD' } }, { image_url: { url: 'https://a.test/b' } }],
    }),
    delta({ content: 'Done.' }),
  )
  expect(made.take()).toEqual([
    { type: 'text', text: 'Here:' },
    { type: 'image', image: { mediaType: 'image/webp', data: 'QUJD' } },
    { type: 'text', text: 'Done.' },
  ])
})

test('reasoning in details is put together and carried, for OpenRouter only', () => {
  const pieces = [
    delta({ reasoning: 'Let ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Let ' }] }),
    delta({
      reasoning: 'me.',
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'me.', signature: null }],
    }),
    delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'signed' }] }),
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'sealed' }] }),
    delta({ content: 'Yes.' }, 'stop'),
  ]
  const made = new Answer(() => 'made-up', openrouter)
  for (const piece of pieces) made.add(JSON.stringify(piece))
  const details = [
    { type: 'reasoning.text', index: 0, text: 'Let me.', signature: 'signed' },
    { type: 'reasoning.encrypted', index: 1, data: 'sealed' },
  ]
  expect(made.end()).toEqual([
    { type: 'reasoning', text: 'Let me.' },
    { type: 'text', text: 'Yes.' },
    { type: 'end', reason: 'stop', carry: { provider: 'openrouter', data: { details } } },
  ])
  expect(
    answer(...pieces)
      .end()
      .at(-1),
  ).toEqual({ type: 'end', reason: 'stop' })
})

test('two calls with one id become two ids', () => {
  const made = answer(
    callDelta({ index: 0, id: 'same', function: { name: 't', arguments: '{"a":1}' } }),
    callDelta({ index: 1, id: 'same', function: { name: 't', arguments: '{"a":2}' } }),
  )
  expect(listInputs(made).map((call) => (call as unknown[])[0])).toEqual(['same', 'made-up'])
})

test.for([
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['flex', 'flex'],
  ['default', 'default'],
  ['standard', 'default'],
  ['scale', undefined],
  [7, undefined],
  ['constructor', undefined],
] as const)('an answer in tier %s counts as %s', ([service_tier, tier]) => {
  const usage = { prompt_tokens: 3, completion_tokens: 2 }
  const [event] = answer({ choices: [], service_tier }, { choices: [], usage }).end()
  expect(event).toEqual({ type: 'usage', usage: { input: 3, output: 2 }, ...(tier && { tier }) })
})
