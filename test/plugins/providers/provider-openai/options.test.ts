import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelRequest } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import {
  effortFor,
  findRefusedOptions,
  listEfforts,
  nestOptions,
  Refusals,
} from '../../../../plugins/providers/provider-openai/options.ts'
import { vendors } from '../../../../plugins/providers/provider-openai/vendors.ts'
import { requestBody } from '../../../../plugins/providers/provider-openai/wire.ts'
import { ask, collectFailure, joinText, request } from '../../../support/ask-model.ts'
import { customAt, open, provider, serve } from './ask.ts'

function bodyFor(id: string, more: Partial<ModelRequest>): Record<string, unknown> {
  const vendor = vendors.find((each) => each.id === id)
  if (!vendor) throw new Error(`no vendor ${id}`)
  return JSON.parse(requestBody(request(more), vendor))
}

test.for([
  ['gpt-5.1', 'none', 'none'],
  ['gpt-5.1', 'xhigh', 'high'],
  ['gpt-5', 'none', 'minimal'],
  ['gpt-5.4-mini', 'xhigh', 'xhigh'],
  ['gpt-5-pro', 'low', 'high'],
  ['gpt-5.1-codex-max', 'none', 'low'],
  ['gpt-5.1-codex-max', 'xhigh', 'xhigh'],
  ['gpt-5-codex', 'xhigh', 'high'],
  ['o3', 'none', 'low'],
  ['openai/gpt-oss-120b', 'xhigh', 'high'],
  ['gpt-4.1', 'high', undefined],
  ['gpt-5-chat-latest', 'high', undefined],
  ['grok-4', 'high', undefined],
  ['grok-3-mini', 'medium', 'low'],
  ['something-new', 'xhigh', 'xhigh'],
] as const)('%s at level %s is asked for effort %s', ([model, level, effort]) => {
  expect(effortFor(level, listEfforts(model))).toBe(effort)
})

test.for([
  ['groq', 'xhigh', { reasoning_effort: 'high' }],
  ['openrouter', 'low', { reasoning: { effort: 'low' } }],
  ['deepseek', 'none', { thinking: { type: 'disabled' } }],
  ['zai', 'medium', { thinking: { type: 'enabled' } }],
  ['qwen', 'none', { enable_thinking: false }],
  ['mistral', 'none', { reasoning_effort: 'none' }],
  ['mistral', 'medium', { reasoning_effort: 'high' }],
] as const)('%s is told of level %s in its own words', ([id, reasoning, fields]) => {
  expect(bodyFor(id, { reasoning })).toMatchObject(fields)
})

test('a vendor that cannot be told is told nothing', () => {
  expect(Object.keys(bodyFor('nvidia', { reasoning: 'high' })).sort()).toEqual(
    ['messages', 'model', 'stream', 'stream_options'].sort(),
  )
})

test('a temperature is not sent to models that take none', () => {
  expect(bodyFor('azure-openai', { model: 'gpt-5', temperature: 0 })).not.toHaveProperty('temperature')
  expect(bodyFor('azure-openai', { model: 'gpt-4.1', temperature: 0 })).toMatchObject({ temperature: 0 })
})

test('the name of a conversation goes to those who find their cache by it', () => {
  expect(bodyFor('openai', { conversation: 'c' })).toMatchObject({ prompt_cache_key: 'c' })
  expect(bodyFor('groq', { conversation: 'c' })).not.toHaveProperty('prompt_cache_key')
})

test('options with one outer name become one object', () => {
  const options = new Map<string, unknown>([
    ['reasoning.effort', 'low'],
    ['reasoning.summary', 'auto'],
    ['temperature', 0],
  ])
  expect(nestOptions(options)).toEqual({ reasoning: { effort: 'low', summary: 'auto' }, temperature: 0 })
})

test.for([
  ['temperature', '{"error":{"message":"Unsupported value","param":"temperature"}}'],
  ['temperature', '{"error":{"message":"\'temperature\' is not supported with this model."}}'],
  ['reasoning_effort', '{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}'],
  ['thinking.type', '{"detail":[{"loc":["body","thinking"],"msg":"Extra inputs are not permitted"}]}'],
  ['reasoning.summary', '{"error":{"message":"Verify first","param":"reasoning.summary"}}'],
  ['stream_options', '{"message":"unknown field stream_options"}'],
] as const)('a complaint about %s is understood: %s', ([name, body]) => {
  const target = { server: 's', conversation: undefined }
  const options = new Map<string, unknown>([
    [name, 1],
    ['prompt_cache_key', 'k'],
    ['stream', true],
  ])
  const refusals = new Refusals()
  expect(findRefusedOptions(body, options)).toEqual([name])
  expect([...refusals.allowed(options, target, new Set([name])).keys()]).toEqual(['prompt_cache_key', 'stream'])
  expect(refusals.allowed(options, target).size, 'nothing is proved yet').toBe(3)
  refusals.remember([name], target)
  expect([...refusals.allowed(options, target).keys()]).toEqual(['prompt_cache_key', 'stream'])
  expect(refusals.allowed(options, { ...target, server: 'other' }).size).toBe(3)
})

test.for([
  '{"error":{"message":"The temperature of the discussion is too high"}}',
  '{"error":{"message":"maximum context length is 8192 tokens"}}',
  '{"error":{"message":"max_tokens is too large: 100000"}}',
  'oops',
])('a complaint about something else leaves the options as they are: %s', (body) => {
  const options = new Map<string, unknown>([
    ['temperature', 1],
    ['max_tokens', 9],
    ['stream', true],
  ])
  expect(findRefusedOptions(body, options)).toEqual([])
})

test('what a server refuses is asked without, once, and remembered', async () => {
  const refusal = { fault: { status: 400, message: "Unknown parameter: 'reasoning_effort'." } }
  const server = await serve({
    replies: (asked) => (asked.raw.includes('reasoning_effort') ? refusal : 'Without.'),
  })
  const asked = await customAt(server.url)
  expect(joinText(await ask(asked, { reasoning: 'high', temperature: 1 }))).toBe('Without.')
  expect(joinText(await ask(asked, { reasoning: 'high', temperature: 1 }))).toBe('Without.')
  expect(server.requests).toHaveLength(3)
  expect(server.requests[2]?.body).toMatchObject({ temperature: 1 })
  await ask(asked, { reasoning: 'high', model: 'another' })
  expect(server.requests[3]?.body).toMatchObject({ reasoning_effort: 'high' })
})

test.for([250, 290, 296])(
  'of a key that a server repeats in its refusal, %i characters in, nothing is logged',
  async (at) => {
    const key = 'sk-canary-q7Zr4Tn9'
    const message = `Unknown parameter: 'reasoning_effort'. ${'.'.repeat(at)}`.slice(0, at) + key
    const server = await serve({
      replies: (asked) =>
        asked.raw.includes('reasoning_effort') ? { fault: { status: 400, body: message } } : 'Without.',
    })
    const kernel = await open({ config: { model: { base_url: server.url } }, env: { OTHER_API_KEY: key } })
    expect(joinText(await ask(provider(kernel, 'custom'), { reasoning: 'high' }))).toBe('Without.')
    const log = readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
    expect(log).toContain('asking again without what was refused')
    expect(log).not.toContain(key.slice(0, 4))
  },
)

test('a field is asked for again when the call fails without it, too', async () => {
  const refusal = { fault: { status: 400, message: "Unknown parameter: 'reasoning_effort'." } }
  const replies = [refusal, { fault: { status: 429 } }, 'With.'] as const
  const server = await serve({ replies })
  const asked = await customAt(server.url)
  expect(await collectFailure(asked, { reasoning: 'high' })).toMatchObject({ kind: 'rate-limit' })
  expect(joinText(await ask(asked, { reasoning: 'high' }))).toBe('With.')
  expect(server.requests.map(({ raw }) => raw.includes('reasoning_effort'))).toEqual([true, false, true])
})

test('a server that refuses everything is believed', async () => {
  const server = await serve({ replies: () => ({ fault: { status: 400, message: 'Bad "temperature".' } }) })
  const failure = await collectFailure(await customAt(server.url), { temperature: 1 })
  expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringContaining('Bad "temperature"') })
  expect(server.requests).toHaveLength(2)
})

test('an output limit gets the name that the server asks for', async () => {
  const message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
  const server = await serve({
    replies: (asked) => (asked.raw.includes('"max_tokens"') ? { fault: { status: 400, message } } : 'ok'),
  })
  const asked = await customAt(server.url)
  await ask(asked, { maxOutputTokens: 9 })
  expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 9 })
})

test('what the user adds in extra_body is never left out', async () => {
  const server = await serve({ replies: () => ({ fault: { status: 400, message: 'Unknown field `top_k`.' } }) })
  const config = { model: { base_url: server.url }, providers: { custom: { extra_body: { top_k: 4 } } } }
  const failure = await collectFailure(await customAt(server.url, { config }))
  expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringContaining('top_k') })
  expect(server.requests).toHaveLength(1)
})

test('a tier is asked for where the service has one, stands last of what is asked, and is what the answer says', async () => {
  expect(bodyFor('openai', { serviceTier: 'priority' })).toMatchObject({ service_tier: 'priority' })
  expect(bodyFor('openrouter', { serviceTier: 'flex' })).toMatchObject({ service_tier: 'flex' })
  expect(bodyFor('openai', { serviceTier: 'default' })).toMatchObject({ service_tier: 'default' })
  expect(bodyFor('openai', {})).not.toHaveProperty('service_tier')
  for (const { id } of vendors.filter(({ tiers }) => tiers === undefined))
    expect(bodyFor(id, { serviceTier: 'priority' }), id).not.toHaveProperty('service_tier')
  const kernel = await open({ env: { OPENAI_API_KEY: 'k', GROQ_API_KEY: 'k' } })
  expect(provider(kernel, 'openai').tiers?.('gpt-5.1')).toEqual(['priority', 'flex', 'default'])
  expect(provider(kernel, 'groq').tiers?.('x')).toEqual([])
})

test('a tier that a server refuses is asked without', async () => {
  const refusal = { fault: { status: 400, message: 'Invalid service_tier argument: not for this model.' } }
  const server = await serve({ replies: (asked) => (asked.raw.includes('"service_tier"') ? refusal : 'As usual.') })
  const config = { providers: { openai: { base_url: server.url, api_mode: 'chat_completions' } } }
  const asked = provider(await open({ env: { OPENAI_API_KEY: 'openai-key' }, config }), 'openai')
  expect(joinText(await ask(asked, { serviceTier: 'priority' }))).toBe('As usual.')
  expect(server.requests.map(({ body }) => body['service_tier'])).toEqual(['priority', undefined])
})
