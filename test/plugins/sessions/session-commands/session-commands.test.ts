import { Sessions } from 'svc/sdk'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start() {
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, sessions: kernel.use(Sessions) }
}

test('/new begins another conversation, with the rest as its title; the old one stays', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  await talk.type('hello')
  const old = talk.conversation.sessionId
  expect(await talk.type('/new now Holiday plans')).toBe('New conversation: Holiday plans')
  expect(talk.conversation.sessionId).not.toBe(old)
  expect(sessions.summary(talk.conversation.sessionId).title).toBe('Holiday plans')
  expect(sessions.open(old).messages()).toHaveLength(2)
  await talk.type('/reset', '/clear')
  expect(talk.changes.filter((change) => change === 'session')).toHaveLength(3)
})

test('/undo takes back the last exchanges, /redo brings them back, and neither surprises', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  const messages = () =>
    sessions
      .open(talk.conversation.sessionId)
      .messages()
      .map(({ text }) => text)
  expect(await talk.type('/undo')).toMatch(/Nothing to undo/)
  await talk.type('one', 'two', 'three')
  expect(await talk.type('/undo 2')).toMatch(/Taken back: two/)
  expect(messages()).toEqual(['one', 'answer 0'])
  expect(await talk.type('/redo')).toBe('4 messages are back.')
  expect(messages()).toHaveLength(6)
  expect(await talk.type('/undo 99')).toMatch(/Taken back: one/)
  expect(messages()).toEqual([])
  await talk.type('afresh')
  expect(await talk.type('/redo')).toMatch(/Nothing to redo/)
  expect(await talk.type('/undo many')).toMatch(/how many/)
})

test('/branch continues in a copy, /resume finds the way back by id, title, number and choice', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('the beginning', '/title Trunk')
  const trunk = talk.conversation.sessionId
  expect(await talk.type('/branch Twig')).toContain(`/resume ${trunk}`)
  const twig = talk.conversation.sessionId
  expect(sessions.summary(twig)).toMatchObject({ parent: trunk, title: 'Twig' })
  await talk.type(`/resume ${trunk}`)
  expect(talk.conversation.sessionId).toBe(trunk)
  await talk.type('/resume twi')
  expect(talk.conversation.sessionId).toBe(twig)
  expect(await talk.type('/resume Twig')).toBe('You are in it.')
  expect(await talk.type('/resume')).toMatch(/1\. Twig/)
  expect(await talk.type('/resume nobody')).toMatch(/No conversation is called "nobody"/)
  expect(await talk.type('/resume 99')).toMatch(/No conversation/)
  const chooser = fakeTalk(kernel, { person: { choose: trunk } })
  await chooser.type('/resume')
  expect(chooser.conversation.sessionId).toBe(trunk)
  expect((await chooser.conversation.complete('/resume tw')).map(({ text }) => text)).toEqual([twig])
})

test('/status, /title and /history say where one is', async () => {
  const { kernel } = await start()
  const talk = fakeTalk(kernel)
  expect(await talk.type('/history')).toBe('No messages yet.')
  await talk.type('hello there')
  expect(await talk.type('/title')).toBe('hello there')
  expect(await talk.type('/title Greetings')).toBe('It is called "Greetings" now.')
  expect(await talk.type('/status')).toMatch(/Greetings[\s\S]*fake-1[\s\S]*Messages: 2/)
  expect(await talk.type('/history')).toBe('> hello there\n\nanswer 0')
})
