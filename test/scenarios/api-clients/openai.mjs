/** The library of OpenAI for Node; the major version comes as an argument. */
import { AGAIN, ASK, args, assert, greeting, inOneSession, KNOWS, key, ownTool, play, SAID, url } from './cases.mjs'

const [major] = args
const { default: OpenAI } = await import(`openai-${major}`)
const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 })
const helpers = client.chat.completions.stream ? client.chat.completions : client.beta.chat.completions
const user = (content) => ({ role: 'user', content })

/** Since 6. What is not stored is continued on the same connection. */
async function overWebSocket() {
  if (Number(major) < 6) return {}
  const { ResponsesWS } = await import(`openai-${major}/resources/responses/ws`)
  return {
    'responses over a WebSocket': inOneSession(async () => {
      const socket = new ResponsesWS(client)
      const create = (input, more) =>
        socket.send({ type: 'response.create', model: 'svc', store: false, input, ...more })
      const finished = []
      create(ASK)
      for await (const event of socket.stream()) {
        if (event.type === 'error') throw event.error
        if (event.type !== 'message' || event.message.type !== 'response.completed') continue
        finished.push(event.message.response)
        if (finished.length === 2) break
        create(AGAIN, { previous_response_id: finished[0].id })
      }
      socket.close()
      const [first, second] = finished.map(({ output }) => output.map(({ content = [] }) => content[0]?.text).join(' '))
      assert.match(first, /It says milk\.$/)
      assert.match(second, KNOWS)
    }),
  }
}

const cases = {
  'a chat': async () => {
    const { choices } = await client.chat.completions.create({ model: 'svc', messages: [user(ASK)] })
    assert.match(choices[0].message.content, SAID)
    assert.equal(choices[0].finish_reason, 'stop')
  },
  'a streamed chat, read in a plain loop': async () => {
    const stream = await client.chat.completions.create({ model: 'svc', stream: true, messages: [user(ASK)] })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0].delta.content ?? ''
    assert.match(text, SAID)
  },
  'a streamed chat by the helper': async () => {
    const stream = helpers.stream({ model: 'svc', messages: [user(ASK)] })
    assert.match(await stream.finalContent(), SAID)
  },
  'a chat with a tool of the same name': async () => {
    const run = async () => {
      ownTool.calls++
      return 'mine'
    }
    const { name, description } = ownTool
    const parameters = { type: 'object', properties: {} }
    const tools = [{ type: 'function', function: { name, description, parameters, function: run, parse: JSON.parse } }]
    const runner = helpers.runTools({ model: 'svc', messages: [user(ASK)], tools })
    assert.match(await runner.finalContent(), SAID)
    const streamed = helpers.runTools({ model: 'svc', stream: true, messages: [user(ASK)], tools })
    assert.match(await streamed.finalContent(), SAID)
  },
  'a chat of several turns': inOneSession(async () => {
    const messages = [user(ASK)]
    const first = await client.chat.completions.create({ model: 'svc', messages })
    messages.push(first.choices[0].message, user(AGAIN))
    const second = await client.chat.completions.create({ model: 'svc', messages })
    assert.match(second.choices[0].message.content, KNOWS)
    messages.push(second.choices[0].message, user(AGAIN))
    const third = await client.chat.completions.create({ model: 'svc', messages })
    assert.match(third.choices[0].message.content, KNOWS)
  }),
  'a response': async () => {
    const response = await client.responses.create({ model: 'svc', input: ASK })
    assert.match(response.output_text, SAID)
    assert.deepEqual(
      response.output.map(({ type }) => type),
      ['message', 'mcp_call', 'message'],
    )
  },
  'a streamed response': async () => {
    const stream = await client.responses.create({ model: 'svc', stream: true, input: ASK })
    let [text, last] = ['', '']
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') text += event.delta
      last = event.type
    }
    assert.match(text, SAID)
    assert.equal(last, 'response.completed')
  },
  'a streamed response by the helper': async () => {
    const { output } = await client.responses.stream({ model: 'svc', input: ASK }).finalResponse()
    const parts = output.flatMap(({ type, content }) => (type === 'message' ? content : []))
    assert.match(parts.map(({ text }) => text).join(''), SAID)
  },
  'responses of several turns, by the id': inOneSession(async () => {
    const first = await client.responses.create({ model: 'svc', input: ASK })
    const second = await client.responses.create({ model: 'svc', input: AGAIN, previous_response_id: first.id })
    assert.match(second.output_text, KNOWS)
  }),
  'responses of several turns, with the full history': inOneSession(async () => {
    const input = [user(ASK)]
    for (let turn = 0; turn < 2; turn++) {
      const { output } = await client.responses.create({ model: 'svc', input })
      input.push(...output, user(AGAIN))
    }
    assert.match((await client.responses.create({ model: 'svc', input })).output_text, KNOWS)
  }),
  'a stored response': async () => {
    const made = await client.responses.create({ model: 'svc', input: ASK, metadata: { order: '42' } })
    const found = await client.responses.retrieve(made.id)
    assert.deepEqual(found.metadata, { order: '42' })
    const items = await client.responses.inputItems.list(made.id)
    assert.equal(items.data[0].content[0].text, ASK)
    await client.responses[client.responses.delete ? 'delete' : 'del'](made.id)
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError)
  },
  'a response in the background': async () => {
    const begun = await client.responses.create({ model: 'svc', input: ASK, background: true })
    let text = ''
    const follow = () => client.get(`/responses/${begun.id}`, { query: { stream: true }, stream: true })
    for await (const event of await follow()) if (event.type === 'response.output_text.delta') text += event.delta
    assert.match(text, SAID)
    assert.equal((await client.responses.retrieve(begun.id)).status, 'completed')
  },
  ...(await overWebSocket()),
  'a model': async () => {
    const [first] = (await client.models.list()).data
    assert.equal((await client.models.retrieve(first.id)).id, first.id)
  },
  'failures by their classes': async () => {
    const wrong = new OpenAI({ baseURL: url, apiKey: 'wrong', maxRetries: 0 })
    await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError)
    const failure = await client.responses.create({ model: 'svc', input: '' }).catch((error) => error)
    assert.ok(failure instanceof OpenAI.BadRequestError)
    assert.match(failure.request_id ?? failure.requestID, /^req_/)
  },
}

await play(`openai ${major}`, cases, async () => {
  const { ask, said } = greeting(`openai ${major}`)
  const stream = await client.chat.completions.create({ model: 'svc', stream: true, messages: [user(ask)] })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0].delta.content ?? ''
  assert.match(text, said)
})
