import { type InboundMessage, type Platform, Platforms } from 'svc/sdk/platform'
import { type FakePlatform, fakePlatform, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Ear } from '../support/platform-stage.ts'

/** What a gateway would do, as little of it as possible: take messages and say `echo: ...`. */
async function echo(fake: FakePlatform) {
  const kernel = await testKernel({ with: [fake.plugin] })
  const platform = getPlatform(kernel)
  const taken: InboundMessage[] = []
  const ear = new Ear()
  ear.receive = async (message) => {
    taken.push(message)
    void platform
      .send({ chatId: message.chatId, text: `echo: ${message.text}`, key: message.messageId })
      .catch(() => {})
    return { outcome: 'taken' }
  }
  await platform.connect(ear)
  return { kernel, platform, taken, losses: ear.losses }
}

function getPlatform(kernel: TestKernel): Platform {
  const platform = kernel.all(Platforms).all()[0]
  if (!platform) throw new Error('no platform is contributed')
  return platform
}

test('someone says something and is answered in the same chat', async () => {
  const fake = fakePlatform()
  const { kernel, taken } = await echo(fake)
  await using _ = kernel
  await fake.say('ada', 'hi')
  expect(await fake.next()).toMatchObject({ chatId: 'ada', text: 'echo: hi' })
  await fake.say('ada', 'all of you', { chatId: 'room' })
  expect(await fake.next()).toMatchObject({ chatId: 'room' })
  expect(taken.map(({ userId }) => userId)).toEqual(['ada', 'ada'])
  expect(fake.sent).toHaveLength(2)
})

test('an answer that is not there yet can be waited for', async () => {
  const fake = fakePlatform()
  const { kernel } = await echo(fake)
  await using _ = kernel
  const answers = [fake.next(), fake.next()]
  await fake.say('ada', 'one')
  await fake.say('ada', 'two')
  expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['echo: one', 'echo: two'])
})

test('a delivery can be repeated under the same id', async () => {
  const fake = fakePlatform()
  const { kernel, taken } = await echo(fake)
  await using _ = kernel
  await fake.say('ada', 'hi')
  await fake.repeat()
  expect(taken).toHaveLength(2)
  expect(taken[1]).toEqual(taken[0])
})

test('sends fail as often as the test says, and then work again', async () => {
  const fake = fakePlatform()
  const { kernel, platform } = await echo(fake)
  await using _ = kernel
  fake.failSends(new Error('503'), new Error('504'))
  const send = () => platform.send({ chatId: 'ada', text: 'hi', key: 'k' })
  await expect(send()).rejects.toThrow('503')
  await expect(send()).rejects.toThrow('504')
  expect(await send()).toEqual({ messageId: fake.sent[0]?.messageId })
})

test('a lost connection is told, and nothing passes until it is made again', async () => {
  const fake = fakePlatform()
  const { kernel, platform, losses } = await echo(fake)
  await using _ = kernel
  expect(fake.connected).toBe(true)
  fake.lose('the token was revoked', { final: true })
  expect({ losses, connected: fake.connected }).toEqual({
    losses: [{ reason: 'the token was revoked', final: true }],
    connected: false,
  })
  await expect(fake.say('ada', 'hi')).rejects.toThrow('not connected')
  await platform.connect(new Ear())
  await fake.say('ada', 'hi')
})

test('two fake platforms stand side by side under their own names', async () => {
  const [one, two] = [fakePlatform({ name: 'one' }), fakePlatform({ name: 'two' })]
  await using kernel = await testKernel({ with: [one.plugin, two.plugin] })
  expect(
    kernel
      .all(Platforms)
      .all()
      .map(({ name }) => name),
  ).toEqual(['one', 'two'])
  expect(kernel.problems()).toEqual([])
})
