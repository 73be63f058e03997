import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

test('somebody writes in a chat and is answered there', async () => {
  const { fake, gateway, said } = await stage(['Hello Ada.'])
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said()).toEqual(['Hello Ada.'])
  expect(fake.sent[0]).toMatchObject({ chatId: 'ada' })
  expect(gateway.status()).toMatchObject({ state: 'running', inbox: { waiting: 0, running: 0 } })
})

test('a message that the platform delivers twice is answered once', async () => {
  const { fake, gateway, said, model } = await stage(['once'])
  await fake.say('ada', 'hi')
  await fake.repeat()
  await gateway.idle()
  expect(said()).toEqual(['once'])
  expect(model.requests).toHaveLength(1)
})

test('every chat has a conversation alone, and it goes on', async () => {
  const { fake, gateway, model } = await stage(['one', 'two', 'three'])
  await fake.say('ada', 'I am Ada')
  await gateway.idle()
  await fake.say('bob', 'I am Bob')
  await gateway.idle()
  await fake.say('ada', 'who am I?')
  await gateway.idle()
  const texts = model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'user').map(({ text }) => text))
  expect(texts).toEqual([['I am Ada'], ['I am Bob'], ['I am Ada', 'who am I?']])
})

test('a slash command is run and answered, and is no message', async () => {
  const { fake, gateway, said, model } = await stage([])
  await fake.say('ada', '/platform')
  await gateway.idle()
  await vi.waitFor(() => expect(said()[0]).toMatch(/fake.*connected/))
  expect(model.requests).toHaveLength(0)
})
