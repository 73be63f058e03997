/** The AI SDK of Vercel with its providers for servers of this kind; the major version comes as an argument. */
import { z } from 'zod'
import { AGAIN, ASK, args, assert, greeting, inOneSession, KNOWS, key, ownTool, play, SAID, url } from './cases.mjs'

const [major] = args
const { generateText, stepCountIs, streamText, tool } = await import(`ai-${major}`)
const { createOpenAI } = await import(`ai-${major}-openai`)
const { createOpenAICompatible } = await import(`ai-${major}-openai-compatible`)
const openai = createOpenAI({ baseURL: url, apiKey: key })
const compatible = createOpenAICompatible({ name: 'svc', baseURL: url, apiKey: key, includeUsage: true })
const tools = {
  [ownTool.name]: tool({
    description: ownTool.description,
    inputSchema: z.object({ path: z.string() }),
    execute: async () => {
      ownTool.calls++
      return 'mine'
    },
  }),
}
const plain = { maxRetries: 0 }

async function streamed(options) {
  const problems = []
  const result = streamText({ ...plain, ...options, onError: ({ error }) => void problems.push(error) })
  let text = ''
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'tool-error') problems.push(part.error)
  }
  if (problems.length > 0) throw problems[0]
  return { text, messages: (await result.response).messages }
}

function casesOf(name, model) {
  return {
    [`${name}: a text`]: async () => {
      const { steps } = await generateText({ ...plain, model, prompt: ASK })
      assert.match(steps.map(({ text }) => text).join(''), SAID)
    },
    [`${name}: a streamed text`]: async () => assert.match((await streamed({ model, prompt: ASK })).text, SAID),
    [`${name}: a tool of the same name`]: async () => {
      const { text } = await generateText({ ...plain, model, prompt: ASK, tools, stopWhen: stepCountIs(5) })
      assert.match(text, SAID)
    },
    [`${name}: a tool of the same name, streamed`]: async () =>
      assert.match((await streamed({ model, prompt: ASK, tools, stopWhen: stepCountIs(5) })).text, SAID),
    [`${name}: several turns`]: inOneSession(async () => {
      const messages = [{ role: 'user', content: ASK }]
      const first = await generateText({ ...plain, model, messages })
      messages.push(...first.response.messages, { role: 'user', content: AGAIN })
      assert.match((await generateText({ ...plain, model, messages })).text, KNOWS)
    }),
    [`${name}: several turns, streamed`]: inOneSession(async () => {
      const messages = [{ role: 'user', content: ASK }]
      const first = await streamed({ model, messages })
      messages.push(...first.messages, { role: 'user', content: AGAIN })
      assert.match((await streamed({ model, messages })).text, KNOWS)
    }),
  }
}

const cases = {
  ...casesOf('responses', openai('svc')),
  ...casesOf('responses of a model with reasoning', openai('gpt-5')),
  ...casesOf('chat', openai.chat('svc')),
  ...casesOf('compatible', compatible('svc')),
  ...(await openResponses()),
}

/** A provider of its own, since 7. */
async function openResponses() {
  if (major === '6') return {}
  const { createOpenResponses } = await import(`ai-${major}-open-responses`)
  const provider = createOpenResponses({ name: 'svc', url: `${url}/responses`, apiKey: key })
  return casesOf('open responses', provider('svc'))
}

await play(`ai ${major}`, cases, async () => {
  const { ask, said } = greeting(`ai ${major}`)
  assert.match((await streamed({ model: openai('svc'), prompt: ask })).text, said)
})
