/** Structured output, in the way of each client, in turns in which the agent uses a tool. */
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { z } from 'zod'
import { ASK, assert, key, play, url } from './cases.mjs'

setTracingDisabled(true)
const schema = z.object({ says: z.string() })
const said = { says: 'milk' }
const plain = { maxRetries: 0 }
const jsonSchema = {
  type: 'object',
  properties: { says: { type: 'string' } },
  required: ['says'],
  additionalProperties: false,
}

/** The helpers for zod of the older versions want an older zod. */
async function openaiCases(major) {
  const { default: OpenAI } = await import(`openai-${major}`)
  const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 })
  const helpers = client.chat.completions.parse ? client.chat.completions : client.beta.chat.completions
  const named = { name: 'note', strict: true, schema: jsonSchema }
  return {
    [`openai ${major}: a chat that is parsed`]: async () => {
      const wish = { messages: [{ role: 'user', content: ASK }], model: 'svc' }
      const format = { type: 'json_schema', json_schema: named }
      const parseable = { ...format, $brand: 'auto-parseable-response-format', $parseRaw: JSON.parse }
      const { choices } = await helpers.parse({ ...wish, response_format: hidden(parseable) })
      assert.deepEqual(choices[0].message.parsed, said)
    },
    [`openai ${major}: a response that is parsed`]: async () => {
      const format = { type: 'json_schema', ...named }
      const parseable = { ...format, $brand: 'auto-parseable-response-format', $parseRaw: JSON.parse }
      const response = await client.responses.parse({ model: 'svc', input: ASK, text: { format: hidden(parseable) } })
      assert.deepEqual(response.output_parsed, said)
    },
  }
}

/** As the helpers mark a format: their marks are not sent. */
function hidden({ $brand, $parseRaw, ...format }) {
  return Object.defineProperties(format, {
    $brand: { value: $brand, enumerable: false },
    $parseRaw: { value: $parseRaw, enumerable: false },
  })
}

async function aiCases(major) {
  const { generateObject, generateText, Output, streamObject } = await import(`ai-${major}`)
  const { createOpenAI } = await import(`ai-${major}-openai`)
  const { createOpenAICompatible } = await import(`ai-${major}-openai-compatible`)
  const openai = createOpenAI({ baseURL: url, apiKey: key })
  const named = { name: 'svc', baseURL: url, apiKey: key }
  const compatible = createOpenAICompatible({ ...named, supportsStructuredOutputs: true })
  const models = {
    responses: openai('svc'),
    chat: openai.chat('svc'),
    compatible: compatible('svc'),
    'compatible without schemas': createOpenAICompatible(named)('svc'),
  }
  const casesOf = ([way, model]) => ({
    [`ai ${major}, ${way}: an object`]: async () => {
      const { object } = await generateObject({ ...plain, model, schema, prompt: ASK })
      assert.deepEqual(object, said)
    },
    [`ai ${major}, ${way}: a streamed object`]: async () => {
      const { partialObjectStream, object } = streamObject({ ...plain, model, schema, prompt: ASK })
      let last
      for await (const part of partialObjectStream) last = part
      assert.deepEqual([last, await object], [said, said])
    },
    [`ai ${major}, ${way}: a text with an output`]: async () => {
      const { output } = await generateText({ ...plain, model, prompt: ASK, output: Output.object({ schema }) })
      assert.deepEqual(output, said)
    },
  })
  return Object.assign({}, ...Object.entries(models).map(casesOf))
}

function langchainCases(way, useResponsesApi) {
  const configuration = { baseURL: url }
  const chat = new ChatOpenAI({ model: 'svc', apiKey: key, configuration, maxRetries: 0, useResponsesApi })
  return {
    [`langchain, ${way}: structured output`]: async () => {
      assert.deepEqual(await chat.withStructuredOutput(schema, { name: 'note' }).invoke(ASK), said)
    },
  }
}

function agentsCases(way, useResponses) {
  const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: key, useResponses })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const agent = new Agent({ name: 'a', instructions: 'Be brief.', model: 'svc', outputType: schema })
  return {
    [`agents, ${way}: an output type`]: async () => {
      assert.deepEqual((await runner.run(agent, ASK)).finalOutput, said)
    },
    [`agents, ${way}: an output type, streamed`]: async () => {
      const result = await runner.run(agent, ASK, { stream: true })
      await result.completed
      assert.deepEqual(result.finalOutput, said)
    },
  }
}

await play('structured output', {
  ...(await openaiCases('5')),
  ...(await openaiCases('6')),
  ...(await openaiCases('7')),
  ...(await aiCases('6')),
  ...(await aiCases('7')),
  ...langchainCases('chat', false),
  ...langchainCases('responses', true),
  ...agentsCases('chat', false),
  ...agentsCases('responses', true),
})
