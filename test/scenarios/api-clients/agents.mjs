/** The Agents SDK of OpenAI, by chat completions and by responses. */
import { Agent, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { AGAIN, ASK, assert, greeting, inOneSession, KNOWS, key, ownTool, play, SAID, url } from './cases.mjs'

setTracingDisabled(true)
const own = tool({
  name: ownTool.name,
  description: ownTool.description,
  parameters: z.object({ path: z.string() }),
  execute: async () => {
    ownTool.calls++
    return 'mine'
  },
})

/** The last message is the answer; what was said before a tool stands in another one. */
const END = /It says milk\.$/

const agent = new Agent({ name: 'a', instructions: 'Be brief.', model: 'svc' })

function runnerBy(useResponses) {
  const modelProvider = new OpenAIProvider({ baseURL: url, apiKey: key, useResponses })
  return new Runner({ modelProvider, tracingDisabled: true })
}

function casesOf(way, useResponses) {
  const runner = runnerBy(useResponses)
  return {
    [`${way}: a run`]: async () => assert.match((await runner.run(agent, ASK)).finalOutput, END),
    [`${way}: a streamed run`]: async () => {
      const result = await runner.run(agent, ASK, { stream: true })
      let text = ''
      for await (const piece of result.toTextStream()) text += piece
      await result.completed
      assert.match(text, SAID)
    },
    [`${way}: a tool of the same name`]: async () => {
      const result = await runner.run(agent.clone({ tools: [own] }), ASK)
      assert.match(result.finalOutput, END)
    },
    [`${way}: a tool of the same name, streamed`]: async () => {
      const result = await runner.run(agent.clone({ tools: [own] }), ASK, { stream: true })
      await result.completed
      assert.match(result.finalOutput, END)
    },
    [`${way}: several turns, by the history`]: inOneSession(async () => {
      const first = await runner.run(agent, ASK)
      const second = await runner.run(agent, [...first.history, { role: 'user', content: AGAIN }])
      assert.match(second.finalOutput, KNOWS)
    }),
    [`${way}: several turns, by a session`]: inOneSession(async () => {
      const session = new MemorySession()
      await runner.run(agent, ASK, { session })
      assert.match((await runner.run(agent, AGAIN, { session })).finalOutput, KNOWS)
    }),
    ...(useResponses && {
      [`${way}: several turns, by the id`]: inOneSession(async () => {
        const first = await runner.run(agent, ASK)
        const second = await runner.run(agent, AGAIN, { previousResponseId: first.lastResponseId })
        assert.match(second.finalOutput, KNOWS)
      }),
    }),
  }
}

await play('agents', { ...casesOf('chat', false), ...casesOf('responses', true) }, async () => {
  const { ask, said } = greeting('agents')
  assert.match((await runnerBy(true).run(agent, ask)).finalOutput, said)
})
