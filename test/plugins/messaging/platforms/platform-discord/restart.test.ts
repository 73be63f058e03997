import { classifyDeliveryError, type GatewayConnection, type Platform } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { Progress } from '../../../../../plugins/messaging/platforms/platform-discord/read-positions.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const stages = createStages('discord', openStandIn)
const { connected, stage } = stages
const DAY_MS = 86_400_000

/** One home, before and after a restart. The service is taken down with the test. */
async function home() {
  const first = await stages.home()
  const { fake, cursors } = first
  const restart = async (more: Parameters<typeof stage>[0] = {}) => {
    const next = await stage({ fake, cursors, ...more })
    return { ...next, open: () => connectPatiently(next.platform, next.ear) }
  }
  return { ...first, restart }
}

/** As the gateway does: what is busy is tried again. */
async function connectPatiently(platform: Platform, ear: GatewayConnection): Promise<void> {
  await platform.connect(ear).catch((error: unknown) => {
    if (classifyDeliveryError(error).kind !== 'busy') throw error
    return platform.connect(ear)
  })
}

describe('a restart of svc on Discord', () => {
  test('what was written while svc was away is answered after a restart, out of the same session', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    await ada.say('meanwhile')
    await fake.member().say('of a stranger')
    const next = await restart()
    await next.open()
    await ada.say('after')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['meanwhile', 'of a stranger', 'after']))
    expect(fake.handshakes).toEqual(['identify', 'resume'])
  })

  test('a message that was not taken before the process ended comes again in the next, with those behind it', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    ear.refuse = 1000
    await ada.say('one')
    await ada.say('two')
    await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
    await close()
    const next = await restart()
    await next.open()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['one', 'two']))
  })

  test('a button that is pressed while svc is away is told by the resumed session', async () => {
    const { fake, platform, close, restart } = await home()
    const ada = fake.member()
    await platform.send({ chatId: ada.chatId, text: 'ok?', key: 'k', buttons: [{ value: 'y', label: 'Yes' }] })
    await close()
    await ada.press?.('Yes')
    const next = await restart()
    await next.open()
    await vi.waitFor(() => expect(next.ear.received).toMatchObject([{ press: 'y' }]))
  })

  test('the menu is offered also where a session is resumed: another version may have other commands', async () => {
    const { fake, close, restart } = await home()
    await close()
    expect(fake.menu()).toEqual([])
    const next = await restart({ plugins: ['session-commands'] })
    await next.open()
    await next.showMenu()
    expect(fake.menu().map(({ name }) => name)).toContain('new')
  })

  test('a place in a session that cannot be read is no reason not to begin', async () => {
    for (const broken of ['', '{"session":', '{"session":{"id":7}}', '[]']) {
      const { fake, platform, ear } = await connected({ cursors: new Map([['100000000000000001', broken]]) })
      await fake.member().say('hi')
      await vi.waitFor(() => expect(ear.texts).toEqual(['hi']))
      await platform.close()
    }
  })

  test('where the address of a session is gone it is looked for elsewhere, and the session continues', async () => {
    const { fake, close, cursors, restart } = await home()
    const ada = fake.member()
    await close()
    const [[account, kept] = ['', '']] = [...cursors]
    cursors.set(account, kept.replace(/ws:[^"]+/, 'ws://127.0.0.1:1'))
    await ada.say('meanwhile')
    const next = await restart()
    await next.open()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['meanwhile']))
    expect(fake.handshakes).toEqual(['identify', 'resume'])
  })
})

describe('what was written while there was no session', () => {
  test('a session that Discord has forgotten is caught up over REST, in order, once', async () => {
    const { fake, platform, ear, close, restart } = await home()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    await bob.say('look', { mention: true })
    await bob.say('in a thread', { mention: true, threadId: '7000' })
    await vi.waitFor(() => expect(ear.received).toHaveLength(3))
    await platform.send({ chatId: ada.chatId, text: 'answer', key: 'k' })
    await close()
    fake.forgetSessions()
    for (const text of ['one', 'two', 'three']) await ada.say(text)
    const id = await bob.say('four', { mention: true })
    await bob.say('five', { threadId: '7000' })
    const next = await restart()
    await next.open()
    await ada.say('after')
    await vi.waitFor(() => expect(next.ear.received).toHaveLength(6))
    const of = (chatId: string) => next.ear.received.filter((each) => each.chatId === chatId).map(({ text }) => text)
    expect(of(ada.chatId)).toEqual(['one', 'two', 'three', 'after'])
    expect(of(bob.chatId)).toEqual(['four', 'five'])
    expect(next.ear.received.find(({ text }) => text === 'five')).toMatchObject({ threadId: '7000' })
    // What a role may do is known here, too.
    expect(next.ear.received.find(({ text }) => text === 'four')).toMatchObject({
      ...{ chatKind: 'channel', scopeId: fake.guildId, roleIds: ['555'], isMention: true, messageId: id },
    })
    expect(fake.requests.filter(({ call }) => call.endsWith(`/members/${bob.userId}`))).toHaveLength(1)
    expect(fake.handshakes).toEqual(['identify', 'resume', 'identify'])
  })

  test('a session that Discord has forgotten in the middle is caught up in the same process, too', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    fake.forgetSessions()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await ada.say('meanwhile')
    await connectPatiently(platform, ear)
    await vi.waitFor(() => expect(ear.texts).toEqual(['before', 'meanwhile']))
  })

  test('the very first message of a chat is not lost with its session', async () => {
    const { fake, ear, close, restart } = await home()
    ear.refuse = 1000
    await fake.member({ group: 'lab' }).say('the first', { mention: true })
    await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
    await close()
    fake.forgetSessions()
    const next = await restart()
    await next.open()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['the first']))
  })

  test('who is killed while it catches up continues where it was, before what is new', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    fake.forgetSessions()
    for (const text of ['one', 'two', 'three']) await ada.say(text)
    const second = await restart()
    await second.platform.connect(second.ear).catch(() => undefined)
    second.ear.most = 1
    await second.platform.connect(second.ear)
    await vi.waitFor(() => expect(second.ear.texts).toEqual(['one']))
    await ada.say('four')
    await second.close()
    const third = await restart()
    await third.open()
    await vi.waitFor(() => expect(third.ear.texts).toEqual(['two', 'three', 'four']))
    expect(fake.handshakes.at(-1)).toBe('resume')
  })

  test('two hundred and fifty messages come in pages, and a wait that Discord asks for is kept', async () => {
    const clock = virtualClock(Date.now())
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    fake.forgetSessions()
    const said = Array.from({ length: 250 }, (_, at) => `message ${at}`)
    for (const text of said) await ada.say(text)
    const next = await restart({ clock })
    await next.platform.connect(next.ear).catch(() => undefined)
    const limit = { message: 'You are being rate limited.', retry_after: 7, global: false }
    fake.answerNext(`GET /channels/${ada.chatId}/messages`, { status: 429, body: limit })
    await next.platform.connect(next.ear)
    const asked = () => fake.requests.filter(({ call }) => call.endsWith('/messages')).length
    await vi.waitFor(() => expect(asked()).toBe(1))
    await clock.advance(6999)
    expect([asked(), next.ear.texts]).toEqual([1, []])
    await vi.waitFor(async () => {
      await clock.advance(1)
      expect(next.ear.texts).toEqual(said)
    })
    expect(asked()).toBe(4)
  })

  test('a channel that the bot may not see any more, or that fails for long, does not stop the others', async () => {
    const clock = virtualClock(Date.now())
    const { fake, ear, close, restart } = await home()
    const people = ['gone', 'broken', 'well'].map((group) => fake.member({ group }))
    for (const each of people) await each.say('hi', { mention: true })
    await vi.waitFor(() => expect(ear.received).toHaveLength(3))
    await close()
    fake.forgetSessions()
    for (const each of people) await each.say(`to ${each.chatId}`, { mention: true })
    const [gone, broken, well] = people.map(({ chatId }) => chatId)
    const next = await restart({ clock })
    fake.answerNext(`GET /channels/${gone}/messages`, { status: 403, body: { message: 'Missing Access', code: 50001 } })
    for (let at = 0; at < 5; at++) fake.answerNext(`GET /channels/${broken}/messages`, { status: 500 })
    await next.open()
    await vi.waitFor(async () => {
      await clock.advance(1000)
      expect(next.ear.texts).toEqual([`to ${well}`])
    })
    await fake.member({ group: 'broken' }).say('live')
    await vi.waitFor(() => expect(next.ear.texts).toEqual([`to ${well}`, 'live']))
  })

  test('a channel of which Discord does not say whose it is is not taken for a direct message', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member({ group: 'lab' })
    await ada.say('hi', { mention: true })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    await close()
    fake.forgetSessions()
    await ada.say('among people')
    const next = await restart()
    fake.answerNext(`GET /channels/${ada.chatId}`, { status: 403, body: { message: 'Missing Access', code: 50001 } })
    await next.open()
    await fake.member().say('live')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['live']))
  })

  test('nothing older than a day is read, nor anything before the first start', async () => {
    const fake = await openStandIn()
    const cursors = new Map<string, string>()
    const ada = fake.member()
    await ada.say('before the first start')
    const first = await connected({ fake, cursors })
    await ada.say('before')
    await vi.waitFor(() => expect(first.ear.texts).toEqual(['before']))
    await first.close()
    fake.forgetSessions()
    await ada.say('too old')
    const next = await stage({ fake, cursors, clock: virtualClock(Date.now() + DAY_MS + 1000) })
    await connectPatiently(next.platform, next.ear)
    await ada.say('now')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['now']))
    await next.close()
    await fake.close()
  })

  test('where the bot is not spoken to nothing is caught up, and of what it reads it skips its own words', async () => {
    const { fake, platform, ear, close, restart } = await home()
    const [ada, bob] = [fake.member({ group: 'lab' }), fake.member({ group: 'talk among people' })]
    await bob.say('among us')
    await platform.send({ chatId: ada.chatId, text: 'hello there', key: 'k' })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    await close()
    fake.forgetSessions()
    await bob.say('still among us')
    await ada.say('meanwhile')
    const next = await restart()
    await next.open()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['meanwhile']))
    expect(fake.requests.some(({ call }) => call === `GET /channels/${bob.chatId}/messages`)).toBe(false)
  })
})

test('two hundred channels of Discord are known, those where someone wrote last, and a place is kept once', () => {
  let [kept, times] = ['{}', 0]
  const set = (value: string) => {
    kept = value
    times++
  }
  const progress = new Progress({ get: () => kept, set })
  progress.begin({ id: 'session' }, 1)
  for (let at = 0; at < 205; at++) progress.know(String(at), '1000')
  progress.mark('5', '2000')
  progress.mark('5', '1500')
  progress.mark('1', '2000')
  progress.wait(7)
  progress.wait(8)
  progress.taken(8)
  progress.save()
  const before = times
  progress.save()
  expect(times).toBe(before)
  const again = new Progress({ get: () => kept, set })
  expect([again.channels.size, again.resumeAt, [...again.channels].at(-1)]).toEqual([200, 6, ['5', '2000']])
  expect([again.channels.get('6'), again.channels.has('4'), again.session]).toEqual(['999', false, { id: 'session' }])
})
