import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { type ServedChat, ServedChats } from '../../../../../plugins/messaging/platforms/platform-slack/served-chats.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { home, stage } = createStages('slack', openStandIn)
const DAY_MS = 86_400_000

describe('a restart of svc on Slack', () => {
  test('what was written just before is sent again by Slack, and what it gave up is read from the history', async () => {
    const { fake, platform, ear, close, restart } = await home()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    const thread = await bob.say('look', { mention: true })
    await vi.waitFor(() => expect(new Set(ear.texts)).toEqual(new Set(['before', 'look'])))
    await platform.send({ chatId: ada.chatId, text: 'answer', key: 'k' })
    await platform.send({ chatId: bob.chatId, threadId: thread, text: 'looked', key: 'l' })
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(5))
    await close()
    await ada.say('one')
    await ada.say('two')
    await bob.say('in the thread', { threadId: thread })
    const id = await bob.say('again', { mention: true })
    fake.giveUp()
    await ada.say('three')
    const next = await restart()
    await ada.say('after')
    await vi.waitFor(() => expect(next.ear.received).toHaveLength(6))
    const of = (chatId: string) => next.ear.received.filter((each) => each.chatId === chatId)
    expect(of(ada.chatId).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'after'])
    expect(of(bob.chatId).map(({ text }) => text)).toEqual(expect.arrayContaining(['in the thread', 'again']))
    expect(next.ear.received.find(({ text }) => text === 'again')).toMatchObject({
      ...{ chatKind: 'channel', scopeId: 'T1', isMention: true, messageId: id, threadId: id, userName: 'Ada' },
    })
    expect(next.ear.received.find(({ text }) => text === 'in the thread')).toMatchObject({ threadId: thread })
    // What was read is acknowledged when Slack sends it again.
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(7))
  })

  test('over HTTP, too, what Slack gave up is read from the history', async () => {
    const { fake, ear, close, restart } = await home({ config: { mode: 'events', http_port: 0 } })
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    await ada.say('meanwhile')
    const next = await restart()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['meanwhile']))
  })

  test('a message that was refused, and that Slack gives up, is found by the next process, with those behind it', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    // The very first one of its chat.
    ear.refuse = 1
    await ada.say('refused')
    await ada.say('taken')
    await vi.waitFor(() => expect(ear.texts).toEqual(['taken']))
    await close()
    fake.giveUp()
    const next = await restart()
    // What was taken comes again with it; the gateway knows it by its id.
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['refused', 'taken']))
  })

  test('who is killed while it reads the history continues where it was', async () => {
    const { fake, cursors, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    for (const text of ['one', 'two', 'three']) await ada.say(text)
    fake.giveUp()
    const second = await stage({ fake, cursors })
    second.ear.most = 1
    await second.platform.connect(second.ear)
    await vi.waitFor(() => expect(second.ear.texts).toEqual(['one']))
    await ada.say('four')
    await second.close()
    fake.giveUp()
    const third = await restart()
    await vi.waitFor(() => expect(third.ear.texts).toEqual(['two', 'three', 'four']))
  })

  test('three hundred messages come in pages, and a wait that Slack asks for is kept', async () => {
    const clock = virtualClock(Date.now())
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    const said = Array.from({ length: 300 }, (_, at) => `message ${at}`)
    for (const text of said) await ada.say(text)
    fake.giveUp()
    const busy = { status: 429, headers: { 'retry-after': '7' }, body: { ok: false, error: 'ratelimited' } }
    fake.answerNext('conversations.history', busy)
    const asked = () => fake.calls.filter(({ method }) => method === 'conversations.history').length
    const next = await restart({ clock })
    await vi.waitFor(() => expect(asked()).toBe(1))
    await clock.advance(6999)
    expect([asked(), next.ear.texts]).toEqual([1, []])
    await vi.waitFor(async () => {
      await clock.advance(1)
      expect(next.ear.texts).toEqual(said)
    })
    expect(asked()).toBe(3)
  })

  test('a channel that the app may not read any more, or that fails for long, does not stop the others', async () => {
    const clock = virtualClock(Date.now())
    const { fake, ear, close, restart } = await home()
    const people = ['gone', 'broken', 'well'].map((group) => fake.member({ group }))
    for (const each of people) {
      await each.say('hi', { mention: true })
      await vi.waitFor(() => expect(ear.texts.at(-1)).toBe('hi'))
    }
    await vi.waitFor(() => expect(ear.received).toHaveLength(6))
    await close()
    for (const each of people) await each.say(`to ${each.chatId}`, { mention: true })
    fake.giveUp()
    fake.answerNext('conversations.history', { body: { ok: false, error: 'missing_scope', needed: 'groups:history' } })
    for (let at = 0; at < 5; at++) fake.answerNext('conversations.history', { status: 500 })
    const next = await restart({ clock })
    await vi.waitFor(async () => {
      await clock.advance(1000)
      expect(next.ear.texts).toEqual([`to ${people[2]?.chatId}`])
    })
  })

  test('nothing older than a day is read, and nothing at all where the app is not spoken to in Slack', async () => {
    const { fake, ear, close, restart } = await home()
    const [ada, bob] = [fake.member(), fake.member({ group: 'talk among people' })]
    await ada.say('before')
    await bob.say('among us')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before', 'among us']))
    await close()
    await ada.say('too old')
    await bob.say('still among us')
    fake.giveUp()
    const next = await restart({ clock: virtualClock(Date.now() + DAY_MS + 2000) })
    await ada.say('now')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['now']))
    const asked = fake.calls.filter(({ method }) => method === 'conversations.history')
    expect(asked.map(({ form }) => form['channel'])).toEqual([ada.chatId])
  })

  test('a place in a workspace that cannot be read is no reason not to begin', async () => {
    const { fake, cursors, close, restart } = await home()
    await close()
    for (const broken of ['', '[["D1"', '[["D1",7]]', '{}']) {
      cursors.set('T1 UBOT', broken)
      const { ear, close: end } = await restart()
      await fake.member().say('hi')
      await vi.waitFor(() => expect(ear.texts).toEqual(['hi']))
      await end()
    }
  })
})

test('forty channels and forty threads are known, those where someone wrote last, and what was not taken stays missing', () => {
  const cursor = new Ear().cursor('account')
  const served = new ServedChats(cursor)
  const take = (place: ServedChat, ts: string, isServed = true) => {
    served.came(place, ts, isServed)
    served.taken(place, ts)
  }
  for (let at = 0; at < 45; at++) take({ channel: `D${at}` }, `${at + 1}.000001`)
  for (let at = 0; at < 45; at++) take({ channel: 'C1', thread: `${at}.000001` }, `${at + 1}.000002`)
  take({ channel: 'C2' }, '99.000001', false)
  take({ channel: 'D5' }, '100.000001', false)
  served.came({ channel: 'D44' }, '101.000001', false)
  take({ channel: 'D44' }, '102.000001', false)
  const again = new ServedChats(cursor).all()
  const channels = again.filter(({ place }) => place.thread === undefined).map(({ place }) => place.channel)
  expect([channels.length, again.length]).toEqual([40, 80])
  expect(channels.slice(-2)).toEqual(['D5', 'D44'])
  expect(channels).not.toContain('D4')
  expect(again.find(({ place }) => place.channel === 'D44')?.after).toBe('101.000000')
  served.taken({ channel: 'D44' }, '101.000001')
  expect(new ServedChats(cursor).all().find(({ place }) => place.channel === 'D44')?.after).toBe('102.000001')
})
