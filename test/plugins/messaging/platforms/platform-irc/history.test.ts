import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type IrcStandIn,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-irc/stand-in/service.ts'
import { connectedBooth, type Place } from '../../../../support/platform-stage.ts'

const OLD = ['message-tags', 'account-tag', 'server-time', 'echo-message', 'sasl']

async function network(): Promise<IrcStandIn> {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}

/** When the newest message that was read was said. Who was seen is kept apart. */
function readUpTo(cursors: ReadonlyMap<string, string>): number {
  return Date.parse([...cursors].flatMap(([account, value]) => (account.endsWith(' people') ? [] : [value])).join())
}

/** Was there, heard something, and is away. */
async function leftAfter(text: string, fake: IrcStandIn): Promise<Place> {
  const place = { ...fake, cursors: new Map<string, string>() }
  const { ear, close } = await connectedBooth('irc', place)
  await fake.member({ group: 'lobby' }).say(text)
  await vi.waitFor(() => expect(ear.texts).toEqual([text]))
  await vi.waitFor(() => expect(readUpTo(place.cursors)).toBe(ear.received[0]?.at))
  await close()
  await vi.waitFor(() => expect(fake.connected()).toBe(false))
  return place
}

/** Without what the gateway knows already. */
function unheard(texts: readonly string[], ...known: readonly string[]): readonly string[] {
  return texts.filter((text) => !known.includes(text))
}

test('what was said on IRC while svc was away is read where the server keeps it, in channels and in private', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  const [alice, bob] = [fake.member({ userId: 'alice' }), fake.member({ userId: 'bob', group: 'lobby' })]
  await bob.say('one', { mention: true })
  await later()
  await alice.say('two')
  await later()
  await bob.say('three')
  const { ear } = await connectedBooth('irc', place)
  await vi.waitFor(() => expect(unheard(ear.texts, 'before')).toEqual(['one', 'two', 'three']))
  const two = ear.received.find(({ text }) => text === 'two')
  expect(two).toMatchObject({ chatKind: 'dm', userId: 'account:alice', chatId: 'account:alice' })
  expect(ear.received.find(({ text }) => text === 'one')).toMatchObject({ chatKind: 'channel', isMention: true })
})

test('the first time of all, nothing that was said on IRC before is answered', async () => {
  const fake = await network()
  await fake.member({ group: 'lobby' }).say('long ago')
  const { ear } = await connectedBooth('irc', { ...fake, cursors: new Map() })
  await fake.member({ group: 'lobby' }).say('now')
  await vi.waitFor(() => expect(ear.texts).toEqual(['now']))
})

test('more than a page of IRC is read back without a gap, before what comes in meanwhile', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  const texts = Array.from({ length: 50 }, (_, at) => `message ${at}`)
  for (const text of texts) await fake.member({ userId: 'bob', group: 'lobby' }).say(text)
  const { ear } = await connectedBooth('irc', place)
  await fake.member({ userId: 'alice' }).say('meanwhile')
  await vi.waitFor(() => expect(unheard(ear.texts, 'before')).toEqual([...texts, 'meanwhile']))
  expect(new Set(ear.received.map(({ messageId }) => messageId)).size).toBe(ear.received.length)
})

test('a message of IRC that was not safe when the connection ended is read again with the next', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  const { platform, ear, close } = await connectedBooth('irc', place)
  expect(await platform.probe()).toBe(true)
  ear.refuse = 1000
  await fake.member().say('one')
  await fake.member().say('two')
  await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
  await close()
  const again = await connectedBooth('irc', place)
  await vi.waitFor(() => expect(unheard(again.ear.texts, 'before')).toEqual(['one', 'two']))
})

test('what was said in private on IRC is not answered again where no one has an account', async () => {
  const fake = await network()
  fake.offer('message-tags', 'server-time', 'batch', 'draft/chathistory')
  const place = { ...fake, cursors: new Map<string, string>() }
  const { ear, close } = await connectedBooth('irc', place)
  await fake.member({ userId: 'alice' }).say('a question')
  await vi.waitFor(() => expect(ear.texts).toEqual(['a question']))
  await vi.waitFor(() => expect(readUpTo(place.cursors)).toBe(ear.received[0]?.at))
  await close()
  await later()
  await fake.member({ userId: 'alice' }).say('another')
  const again = await connectedBooth('irc', place)
  await vi.waitFor(() => expect(again.ear.texts).toEqual(['another']))
  expect(again.ear.received[0]?.userId).toBe('alice!alice@people.fake.example')
})

test('own words, notices and questions of programs in the history of IRC are not answered', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  const first = await connectedBooth('irc', place)
  await first.platform.send({ chatId: '#lobby', text: 'my own words', key: 'k' })
  await first.platform.send({ chatId: 'account:alice', text: 'my own words in private', key: 'l' })
  await first.close()
  await fake.member({ userId: 'eve' }).say('\x01VERSION\x01')
  await fake.member({ userId: 'eve' }).say('a question')
  fake.occupy('svc')
  const { ear } = await connectedBooth('irc', place)
  expect(fake.nick()).toBe('svc_')
  await fake.member({ userId: 'bob', group: 'lobby' }).say('the end')
  await vi.waitFor(() => expect(unheard(ear.texts, 'before')).toEqual(['a question', 'the end']))
  expect(fake.lines().filter((line) => line.includes('VERSION'))).toEqual([])
})

test('someone in the history of IRC may be gone: who has the nickname now is asked before an answer goes there', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  await fake.member({ userId: 'alice' }).say('my secret question')
  const { platform, ear } = await connectedBooth('irc', place)
  await vi.waitFor(() => expect(ear.texts).toContain('my secret question'))
  fake.occupy('alice')
  const answer = platform.send({ chatId: 'account:alice', text: 'your secret', key: 'k' })
  await expect(answer).rejects.toMatchObject({ code: 'IRC_ABSENT' })
})

test('a server of IRC that keeps nothing, or gives no ids with it, is asked for nothing', async () => {
  for (const offered of [OLD, ['batch', 'draft/chathistory', 'server-time'], []]) {
    const fake = await network()
    fake.offer(...offered)
    const place = { ...fake, cursors: new Map<string, string>() }
    const { ear } = await connectedBooth('irc', place)
    await fake.member().say('hello')
    await vi.waitFor(() => expect(ear.texts).toEqual(['hello']))
    expect(fake.lines().filter((line) => /CHATHISTORY|batch/.test(line))).toEqual([])
    expect(readUpTo(place.cursors)).toBeNaN()
  }
})

test('a channel whose history IRC does not give keeps no one from being heard', async () => {
  const fake = await network()
  const place = await leftAfter('before', fake)
  await fake.member({ group: 'lobby' }).say('meanwhile')
  const config = { ...fake.config, join: ['#closed', '#lobby'] }
  const { ear } = await connectedBooth('irc', { ...place, config })
  await vi.waitFor(() => expect(unheard(ear.texts, 'before')).toEqual(['meanwhile']))
  expect(fake.lines().filter((line) => line.startsWith('CHATHISTORY AFTER #closed'))).toHaveLength(1)
})

/** Lines that were said in one millisecond have no order across channels. */
function later(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3))
}
