/** A turn that cannot begin: what was said stays in the session, whatever front end it came from. */
import { Agent, BeforeUserMessage, type PluginContext, Sessions, type TurnEvent, type TurnRequest } from 'svc/sdk'
import { BeforeTurn } from 'svc/sdk/hooks'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const picture = { mediaType: 'image/png', data: 'iVBORw0KGgo=' }

async function open(setup: (ctx: PluginContext<undefined>) => void = () => {}) {
  const model = fakeProvider(['At last.'])
  const kernel = await testKernel({ plugins: ['agent'], with: [model.plugin, { name: 'acme', setup }] })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const ask = async (request: Partial<TurnRequest>) => {
    const events: TurnEvent[] = []
    for await (const event of kernel.use(Agent).run({ sessionId: session.id, surface: 'test', ...request }))
      events.push(event)
    return events.flatMap((event) => (event.type === 'error' ? [event.code] : []))
  }
  return { kernel, model, session, ask }
}

test('a message for which there is no model stays in the session with its picture, and the model reads it later', async () => {
  const { kernel, model, session, ask } = await open((ctx) => ctx.on(BeforeUserMessage, (text) => `${text}!`))
  expect(await ask({ text: 'hello', images: [picture], provider: 'missing' })).toEqual([expect.any(String)])
  const said = { role: 'user', text: 'hello!', images: [picture] }
  expect(session.messages()).toEqual([said])
  expect(session.events().map(({ type }) => type)).toEqual(['turn.start', 'error', 'turn.end'])
  expect(kernel.use(Sessions).summary(session.id).messageCount).toBe(1)
  expect(await ask({ text: 'again', provider: 'fake', model: 'fake-1' })).toEqual([])
  expect(model.requests[0]?.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []))).toEqual([
    'hello!',
    'again!',
  ])
})

test('a message that a guard refused does not get into the conversation', async () => {
  const { session, ask } = await open((ctx) => {
    ctx.on(BeforeTurn, () => ({ decision: 'deny', reason: 'not today' }))
  })
  expect(await ask({ text: 'hello' })).toEqual(['TURN_REFUSED'])
  expect(session.messages()).toEqual([])
})

test('a turn without a message adds none when it fails', async () => {
  const { session, ask } = await open()
  await ask({ text: 'hello', provider: 'missing' })
  expect(await ask({ provider: 'missing' })).toHaveLength(1)
  expect(session.messages()).toHaveLength(1)
})
