/** Public libraries, as they are published. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { KEY, openApi } from './desk.ts'
import { notes } from './notes.ts'

const toolScript = () => {
  const script = [
    { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] },
    { text: 'Done.', usage: { input: 20, output: 4 } },
  ]
  return () => script.shift() ?? ''
}

test('the AI SDK generates a text', async () => {
  const { url } = await openApi([{ text: 'Hello there.', usage: { input: 12, output: 3 } }])
  const provider = createOpenAICompatible({ name: 'svc', baseURL: url, apiKey: KEY })
  const { text, usage, finishReason } = await generateText({ model: provider('svc'), prompt: 'Hi' })
  expect({ text, finishReason }).toEqual({ text: 'Hello there.', finishReason: 'stop' })
  expect([usage.inputTokens, usage.outputTokens]).toEqual([12, 3])
})

test('the AI SDK streams a text through the rounds of a tool, undisturbed by its progress', async () => {
  const { url } = await openApi(toolScript(), { with: [notes] })
  const provider = createOpenAICompatible({ name: 'svc', baseURL: url, apiKey: KEY, includeUsage: true })
  const errors: unknown[] = []
  const result = streamText({
    model: provider('svc'),
    prompt: 'Note: milk',
    onError: ({ error }) => void errors.push(error),
  })
  let text = ''
  for await (const piece of result.textStream) text += piece
  expect({ text, errors, reason: await result.finishReason }).toEqual({
    text: 'Let me see.\n\nDone.',
    errors: [],
    reason: 'stop',
  })
  expect((await result.usage).inputTokens).toBe(30)
})

test('LangChain invokes and streams', async () => {
  const { url } = await openApi(toolScript(), { with: [notes] })
  const chat = new ChatOpenAI({ model: 'svc', apiKey: KEY, configuration: { baseURL: url }, maxRetries: 0 })
  const messages = [new SystemMessage('Be brief.'), new HumanMessage('Note: milk')]
  const answer = await chat.invoke(messages)
  expect(answer.content).toBe('Let me see.\n\nDone.')
  expect(answer.usage_metadata).toMatchObject({ input_tokens: 30, total_tokens: 39 })
  const { url: other } = await openApi([{ pieces: ['Hel', 'lo.'], usage: { input: 5, output: 2 } }])
  const streaming = new ChatOpenAI({ model: 'svc', apiKey: KEY, configuration: { baseURL: other }, maxRetries: 0 })
  let text = ''
  let tokens = 0
  for await (const chunk of await streaming.stream(messages)) {
    text += chunk.content
    tokens += (chunk.usage_metadata as { total_tokens: number } | undefined)?.total_tokens ?? 0
  }
  expect([text, tokens]).toEqual(['Hello.', 7])
})

test('the openai library says a wrong key, a wrong request and a full server by their classes', async () => {
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { url, model } = await openApi([{ gate, text: 'Late.' }], { config: { max_concurrent_runs: 1 } })
  const messages = [{ role: 'user', content: 'Hi' }] as const
  const ask = (apiKey: string, more = {}) =>
    new OpenAI({ baseURL: url, apiKey, maxRetries: 0 }).chat.completions.create({
      model: 'svc',
      messages: [...messages],
      ...more,
    })
  await expect(ask('wrong')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  await expect(ask(KEY, { n: 2 })).rejects.toMatchObject({ status: 400, param: 'n', code: 'unsupported_parameter' })
  await expect(ask(KEY, { tool_choice: 'required' })).rejects.toMatchObject({ param: 'tool_choice' })
  await expect(ask(KEY, { response_format: { type: 'json_object' } })).rejects.toMatchObject({
    param: 'response_format',
  })
  const first = ask(KEY, { tools: [], temperature: 0.3, max_tokens: 10 })
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const refused = await ask(KEY).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OpenAI.RateLimitError)
  expect((refused as InstanceType<typeof OpenAI.RateLimitError>).headers?.get('retry-after')).toBe('1')
  goOn()
  expect((await first).choices[0]?.message.content).toBe('Late.')
  expect((await ask(KEY)).choices[0]?.message.content).toBe('Late.')
})

test('the openai library sends pictures, lists models, and asks twice with one idempotency key', async () => {
  const { url, model } = await openApi(['A dot.'], {
    config: { model_routes: { fast: { model: 'fake-1', provider: 'fake' } }, model_name: 'agent' },
  })
  const client = new OpenAI({ baseURL: url, apiKey: KEY })
  const models = await client.models.list()
  expect(models.data.map(({ id }) => id)).toEqual(['agent', 'fast'])
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const request = {
    model: 'fast',
    messages: [
      {
        role: 'user' as const,
        content: [
          { type: 'text' as const, text: 'What is it?' },
          { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      },
    ],
  }
  const options = { headers: { 'Idempotency-Key': 'once-1' } }
  const first = await client.chat.completions.create(request, options)
  const second = await client.chat.completions.create(request, options)
  expect(second).toEqual(first)
  expect(first.model).toBe('fast')
  expect(model.requests).toHaveLength(1)
  expect(model.requests[0]?.messages.at(-1)).toMatchObject({
    text: 'What is it?',
    images: [{ mediaType: 'image/png' }],
  })
})
