/** Two windows on one session: what is said in the one appears in the other. */
import { Agent, Conversations, Sessions } from 'svc/sdk'
import type { ConversationChange, FrontEndHandlers } from 'svc/sdk/sessions'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function window() {
  const clock = virtualClock()
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const kernel = await testKernel({
    plugins: ['conversation'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    clock,
  })
  onTestFinished(() => kernel.stop())
  const changes: ConversationChange[] = []
  const front = (waits: boolean): FrontEndHandlers => ({
    surface: 'cli',
    commands: 'cli',
    ...(waits && { waits }),
    show: () => {},
    say: () => {},
    changed: (change) => void changes.push(change),
  })
  const open = (waits = true) => kernel.use(Conversations).start(front(waits), { cwd: '/' })
  const seen = () => changes.filter((change) => change === 'messages').length
  const elsewhere = async (sessionId: string) => {
    for await (const _ of kernel.use(Agent).run({ sessionId, text: 'from the other window', surface: 'cli' }));
  }
  return { kernel, clock, open, seen, elsewhere, sessions: kernel.use(Sessions) }
}

test('an answer that another process completed is shown, once', async () => {
  const { clock, open, seen, elsewhere } = await window()
  const { sessionId } = open()
  await elsewhere(sessionId)
  await clock.advance(2000)
  expect(seen()).toBe(1)
  await clock.advance(10_000)
  expect(seen()).toBe(1)
})

test('a turn of this window changes nothing that it does not show already', async () => {
  const { clock, open, seen } = await window()
  const conversation = open()
  await conversation.type('hello')
  await conversation.idle()
  await clock.advance(10_000)
  expect(seen()).toBe(0)
})

test('a question that has no answer yet is not shown', async () => {
  const { clock, open, seen, sessions } = await window()
  const { sessionId } = open()
  const turnId = 'turn_elsewhere'
  const session = sessions.open(sessionId)
  session.record({ turnId, events: [], messages: [{ role: 'user', text: 'and?' }] })
  await clock.advance(5000)
  expect(seen()).toBe(0)
  session.record({ turnId, events: [], messages: [{ role: 'assistant', text: 'done' }] })
  await clock.advance(5000)
  expect(seen()).toBe(1)
})

test('after the conversation went to another session that one is watched; a closed one is not', async () => {
  const { clock, open, seen, elsewhere, sessions } = await window()
  const conversation = open()
  const first = conversation.sessionId
  await conversation.type('hello')
  await conversation.idle()
  const other = sessions.create({ surface: 'cli', cwd: '/' })
  await conversation.switchTo(other.id)
  await elsewhere(first)
  await clock.advance(5000)
  expect(seen()).toBe(0)
  await elsewhere(other.id)
  await clock.advance(5000)
  expect(seen()).toBe(1)
  await conversation.close()
  await elsewhere(other.id)
  await clock.advance(5000)
  expect(seen()).toBe(1)
})

test('a front end without a person is told nothing', async () => {
  const { clock, open, seen, elsewhere } = await window()
  const { sessionId } = open(false)
  await elsewhere(sessionId)
  await clock.advance(5000)
  expect(seen()).toBe(0)
})
