/** LangChain, by chat completions and by responses. */
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { AGAIN, ASK, assert, greeting, inOneSession, KNOWS, key, ownTool, play, SAID, url } from './cases.mjs'

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const { name, description } = ownTool
const tools = [{ type: 'function', function: { name, description, parameters } }]

/** The loop that every guide shows: calls of the model are made, and their results sent back. */
async function loop(model, messages) {
  for (;;) {
    const answer = await model.invoke(messages)
    messages.push(answer)
    if (!answer.tool_calls?.length) return answer
    ownTool.calls += answer.tool_calls.length
    messages.push(...answer.tool_calls.map(({ id }) => new ToolMessage({ tool_call_id: id, content: 'mine' })))
  }
}

function modelBy(useResponsesApi) {
  return new ChatOpenAI({
    model: 'svc',
    apiKey: key,
    configuration: { baseURL: url },
    maxRetries: 0,
    useResponsesApi,
  })
}

function casesOf(way, useResponsesApi) {
  const model = modelBy(useResponsesApi)
  return {
    [`${way}: a text`]: async () => assert.match((await model.invoke([new HumanMessage(ASK)])).text, SAID),
    [`${way}: a streamed text`]: async () => {
      let text = ''
      for await (const chunk of await model.stream([new HumanMessage(ASK)])) text += chunk.text
      assert.match(text, SAID)
    },
    [`${way}: a tool of the same name in a loop`]: async () => {
      const answer = await loop(model.bindTools(tools), [new HumanMessage(ASK)])
      assert.ok(answer instanceof AIMessage)
      assert.match(answer.text, SAID)
    },
    [`${way}: several turns`]: inOneSession(async () => {
      const messages = [new HumanMessage(ASK)]
      await loop(model, messages)
      assert.match((await model.invoke([...messages, new HumanMessage(AGAIN)])).text, KNOWS)
    }),
    [`${way}: several turns, streamed`]: inOneSession(async () => {
      let first
      for await (const chunk of await model.stream([new HumanMessage(ASK)])) first = first ? first.concat(chunk) : chunk
      const answer = await model.invoke([new HumanMessage(ASK), first, new HumanMessage(AGAIN)])
      assert.match(answer.text, KNOWS)
    }),
  }
}

await play('langchain', { ...casesOf('chat', false), ...casesOf('responses', true) }, async () => {
  const { ask, said } = greeting('langchain')
  assert.match((await modelBy(true).invoke([new HumanMessage(ask)])).text, said)
})
