import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeModel } from '../../../../plugins/providers/models/model-facts.ts'
import { TABLE, TIERS } from '../../../../plugins/providers/models/model-table.ts'
import { addTierPrices, parseTable } from '../../../../plugins/providers/models/parse-table.ts'

const config = { provider: 'openai', default: 'gpt-4o' }
const about = (provider: string, model: string) => describeModel({ provider, model }, config)

test('the table knows at least 80 models, and every line of it makes sense', () => {
  const rows = [...parseTable(TABLE).values()].flatMap((each) => [...each])
  expect(rows.length).toBeGreaterThanOrEqual(80)
  for (const [id, { contextWindow, maxOutputTokens, price }] of rows) {
    expect(id).toMatch(/^[a-z0-9/_-]+$/)
    for (const tokens of [contextWindow, maxOutputTokens])
      if (tokens !== undefined) expect(tokens, id).toBeGreaterThanOrEqual(4096)
    if (!price) continue
    const { source, asOf, ...dollars } = price
    for (const each of Object.values(dollars)) expect(each, id).toBeGreaterThanOrEqual(0)
    expect(source, id).toMatch(/^https:\/\/\S+$/)
    expect(asOf, id).toMatch(/^20\d\d-(0\d|1[0-2])$/)
    expect(`${asOf}-01` <= new Date().toISOString(), id).toBe(true)
    expect(price.output, id).toBeGreaterThanOrEqual(price.input)
    if (price.cachedInput !== undefined) expect(price.cachedInput, id).toBeLessThan(price.input)
    if (price.cacheWriteInput !== undefined) expect(price.cacheWriteInput, id).toBeGreaterThan(price.input)
  }
})

test('a well-known model has its window, its prices and its abilities', () => {
  expect(about('anthropic', 'claude-sonnet-4-5-20250929')).toEqual({
    id: 'claude-sonnet-4-5-20250929',
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    price: {
      input: 3,
      output: 15,
      cachedInput: 0.3,
      cacheWriteInput: 3.75,
      source: 'https://platform.claude.com/docs/en/about-claude/pricing',
      asOf: '2026-10',
    },
    images: true,
    tools: true,
    reasoning: true,
  })
  expect(about('openai', 'gpt-4o-2024-08-06').price).toMatchObject({ input: 2.5, output: 10, cachedInput: 1.25 })
})

test.for([
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'gpt-4o-mini-tts'],
  ['openai', 'ft:gpt-4o:me::1'],
  ['mistral', 'mistral-large-2407'],
  ['gemini', 'gemini-2.5-flash-preview-tts'],
  ['custom', 'my-model'],
  ['openrouter', 'nobody/some-model:free'],
  ['openrouter', 'openai/gpt-4o:online'],
  ['', ''],
])('%s %s only looks like a known one: nothing is invented about it', ([provider = '', model = '']) => {
  expect(about(provider, model)).toEqual({ id: model })
})

test('another host has its own prices: what it costs there is not known', () => {
  const known = { contextWindow: 200_000, images: true, tools: true, reasoning: true }
  const id = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
  expect(about('bedrock', id)).toEqual({ id, ...known })
  expect(about('deepinfra', 'deepseek-ai/DeepSeek-V3.1')).toEqual({
    id: 'deepseek-ai/DeepSeek-V3.1',
    contextWindow: 131_072,
    tools: true,
    reasoning: true,
  })
})

test('OpenRouter takes what the vendor takes', () => {
  expect(about('openrouter', 'anthropic/claude-sonnet-4.5').price).toMatchObject({ input: 3, output: 15 })
  expect(about('openrouter', 'meta-llama/llama-3.3-70b-instruct').price).toBeUndefined()
})

test('a model of this machine costs nothing, one that its server only passes on is not known', () => {
  expect(about('ollama', 'gpt-oss:20b')).toEqual({ id: 'gpt-oss:20b', price: { input: 0, output: 0 } })
  expect(about('ollama', 'gpt-oss:120b-cloud')).toEqual({ id: 'gpt-oss:120b-cloud' })
})

test('what the server said an hour ago at most stands above the table, older words only fill it', () => {
  const address = { provider: 'openai', model: 'gpt-4' }
  const model = { id: 'gpt-4', label: 'GPT-4', contextWindow: 9000, price: { input: 1, output: 2 } }
  expect(describeModel(address, config, { model, fresh: true, at: Date.UTC(2026, 9, 24) })).toMatchObject({
    ...model,
    maxOutputTokens: 8192,
  })
  expect(describeModel(address, config, { model, fresh: false, at: Date.UTC(2026, 9, 24) })).toMatchObject({
    label: 'GPT-4',
    contextWindow: 8192,
    price: { input: 30, output: 60 },
  })
})

test('a price that a server lists has the day on which it was read', () => {
  const model = { id: 'm', price: { input: 1, output: 2 } }
  const listed = { model, fresh: true, at: Date.UTC(2026, 9, 24, 23) }
  expect(describeModel({ provider: 'openrouter', model: 'm' }, config, listed).price).toEqual({
    ...model.price,
    source: 'the list of openrouter',
    asOf: '2026-10-24',
  })
})

test('the newest models have the prices of their page, and one that is priced by length has none', () => {
  expect(about('anthropic', 'claude-opus-5-5').price).toMatchObject({ input: 4, output: 20, asOf: '2026-10' })
  expect(about('openai', 'gpt-5.5').price).toMatchObject({ input: 5, output: 30, cachedInput: 0.5 })
  expect(about('anthropic', 'claude-haiku-5-5')).not.toHaveProperty('price')
})

test('the config stands above everything', () => {
  const known = {
    'custom/mine': { context_length: 32_000, input_price: 1, output_price: 2, cached_input_price: 0.1, images: true },
    'openai/gpt-4': { input_price: 7 },
    'custom/half': { input_price: 7 },
  }
  const listed = { model: { id: 'mine', contextWindow: 1 }, fresh: true, at: Date.UTC(2026, 9, 24) }
  const own = { ...config, known, context_length: 64_000 }
  expect(describeModel({ provider: 'custom', model: 'mine' }, own, listed)).toEqual({
    id: 'mine',
    contextWindow: 32_000,
    price: { input: 1, output: 2, cachedInput: 0.1, source: 'model.known.custom/mine' },
    images: true,
  })
  expect(describeModel({ provider: 'openai', model: 'gpt-4' }, own).price).toEqual({
    input: 7,
    output: 60,
    source: 'model.known.openai/gpt-4',
  })
  expect(describeModel({ provider: 'custom', model: 'half' }, own)).toEqual({ id: 'half' })
  expect(describeModel({ provider: 'openai', model: 'gpt-4o' }, own).contextWindow).toBe(64_000)
  expect(describeModel({ provider: 'openai', model: 'o3' }, own).contextWindow).toBe(200_000)
})

test('model.context_length is about the model of the chat, however it was chosen', () => {
  const getWindow = (provider: string, chosen: string) =>
    describeModel({ provider: 'lmstudio', model: 'm' }, { provider, default: chosen, context_length: 9000 })
      .contextWindow
  expect([getWindow('lmstudio', 'm'), getWindow('lmstudio', ''), getWindow('auto', 'm')]).toEqual([9000, 9000, 9000])
  expect([getWindow('openai', 'm'), getWindow('lmstudio', 'n'), getWindow('auto', '')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('any address gets an answer with its own id', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (provider, model) => about(provider, model).id === model))
})

test('prices of other tiers are dearer or cheaper than the usual one, and belong to known models', () => {
  const table = addTierPrices(parseTable(TABLE), TIERS)
  const rows = [...table.values()].flatMap((each) => [...each])
  const priced = rows.filter(([, { price }]) => price?.tiers)
  expect(priced.length).toBeGreaterThanOrEqual(10)
  for (const [id, { price }] of priced) {
    const { priority, flex } = price?.tiers ?? {}
    if (priority) expect(priority.output, id).toBeGreaterThan(price?.output ?? 0)
    if (flex) expect(flex.output, id).toBeLessThan(price?.output ?? 0)
  }
  expect(about('openai', 'gpt-5.1-2025-11-13').price?.tiers?.priority).toMatchObject({ input: 2.5, output: 20 })
  expect(about('anthropic', 'claude-opus-5').price?.tiers?.priority).toMatchObject({
    output: 50,
    cacheWriteInput: 12.5,
  })
  expect(() => addTierPrices(parseTable(TABLE), '[openai] https://a 2026-01\nnothing priority 1/2')).toThrow('nothing')
  expect(() => addTierPrices(parseTable(TABLE), '[openai] https://a 2026-01\ngpt-5 faster 1/2')).toThrow('faster')
})
