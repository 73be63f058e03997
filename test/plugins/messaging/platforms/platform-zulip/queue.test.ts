/** Stories of connections to a Zulip server that break, and of a server that forgets the queue of events. */
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Position } from '../../../../../plugins/messaging/platforms/platform-zulip/position.ts'
import {
  openStandIn,
  type ZulipStandIn,
} from '../../../../../plugins/messaging/platforms/platform-zulip/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage, home } = createStages('zulip', openStandIn)

const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const count = (fake: { readonly requests: readonly string[] }, call: string) =>
  fake.requests.filter((each) => each === call).length

/** A poll that is cut is made again once: the queue has what came meanwhile. Here this one is cut, too. */
async function breakConnection(fake: ZulipStandIn, ear: Ear): Promise<void> {
  await expect.poll(() => fake.hasReader()).toBe(true)
  for (let time = 0; time < 2; time++) fake.answerNext('GET /events', 'cut')
  fake.disturb('flap')
  await expect.poll(() => ear.losses.length).toBe(1)
  fake.calm()
}

describe('the queue of events', () => {
  test('a queue that the server forgot is registered again, and what was written meanwhile is read once', async () => {
    const { fake, ear } = await connected()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    await expect.poll(() => ear.texts).toEqual(['before'])
    fake.dropQueues()
    await ada.say('one')
    await bob.say('two', { mention: true })
    await expect.poll(() => ear.texts).toEqual(['before', 'one', 'two'])
    await ada.say('after')
    await expect.poll(() => ear.texts).toEqual(['before', 'one', 'two', 'after'])
    expect(ear.received[2]).toMatchObject({ chatKind: 'channel', isMention: true, chatId: bob.chatId })
    expect(count(fake, 'POST /register')).toBe(2)
    expect(ear.losses).toEqual([])
  })

  test('a cut is told as lost; the next connection reads what was missed, in order', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    await ada.say('before')
    await expect.poll(() => ear.texts).toEqual(['before'])
    await breakConnection(fake, ear)
    expect(ear.losses[0]?.final).toBeUndefined()
    await ada.say('one')
    await ada.say('two')
    await platform.connect(ear)
    await ada.say('after')
    await expect.poll(() => ear.texts).toEqual(['before', 'one', 'two', 'after'])
  })

  test('what was there before the first connection is not answered, what comes right after it is', async () => {
    const { fake, platform } = await stage()
    const ada = fake.member()
    await ada.say('long ago')
    const ear = new Ear()
    await platform.connect(ear)
    await breakConnection(fake, ear)
    await ada.say('meanwhile')
    await platform.connect(ear)
    await expect.poll(() => ear.texts).toEqual(['meanwhile'])
  })

  test('a server that forgets each queue at once is not asked in a loop', async () => {
    const { fake, platform, ear } = await connected()
    await expect.poll(() => fake.hasReader()).toBe(true)
    fake.dropQueues()
    await expect.poll(() => ear.losses.length).toBe(1)
    expect(count(fake, 'POST /register')).toBe(1)
    await platform.connect(ear)
    await fake.member().say('now')
    await expect.poll(() => ear.texts).toEqual(['now'])
  })

  test('a server that is asked too often is asked later, and its queue stays', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    const limited = {
      result: 'error',
      msg: 'API usage exceeded rate limit',
      code: 'RATE_LIMIT_HIT',
      'retry-after': 28.7,
    }
    await expect.poll(() => fake.hasReader()).toBe(true)
    fake.answerNext('GET /events', { status: 429, body: limited })
    fake.tell({ type: 'heartbeat' })
    const ada = fake.member()
    await expect.poll(() => count(fake, 'GET /events')).toBe(2)
    await ada.say('meanwhile')
    await clock.advance(28_600)
    expect(ear.texts).toEqual([])
    await clock.advance(101)
    await expect.poll(() => ear.texts).toEqual(['meanwhile'])
    expect([count(fake, 'POST /register'), ear.losses]).toEqual([1, []])
  })

  test('one that says so for ever is told as lost', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    await expect.poll(() => fake.hasReader()).toBe(true)
    for (let time = 0; time < 20; time++)
      fake.answerNext('GET /events', { status: 429, headers: { 'retry-after': '5' }, body: 'slow down' })
    fake.tell({ type: 'heartbeat' })
    for (let round = 0; round < 60 && ear.losses.length === 0; round++) {
      await clock.advance(5000)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(ear.losses).toHaveLength(1)
  })

  test('a heartbeat is a sign of life; without one for 90 seconds the connection is lost', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    const before = ear.lives
    await clock.advance(80_000)
    fake.tell({ type: 'heartbeat' })
    await expect.poll(() => ear.lives).toBeGreaterThan(before)
    await expect.poll(() => count(fake, 'GET /events')).toBe(2)
    await clock.advance(80_000)
    expect(ear.losses).toEqual([])
    fake.disturb('silence')
    await clock.advance(11_000)
    await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('90 s') }])
  })

  test('a message that is not taken is offered again before those behind it, also when the queue is gone meanwhile', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    const ada = fake.member()
    ear.refuse = 2
    await ada.say('in the end')
    await ada.say('next')
    await expect.poll(() => ear.refused).toBe(1)
    fake.dropQueues()
    await clock.advance(250)
    await expect.poll(() => ear.refused).toBe(2)
    await clock.advance(500)
    await expect.poll(() => ear.texts).toEqual(['in the end', 'next'])
    expect(ear.losses).toEqual([])
  })
})

describe('a restart of svc on Zulip', () => {
  test('what was written while svc was away is read after a restart, in order, once, past one page', async () => {
    const { fake, platform, ear, close, restart } = await home()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    await platform.send({ chatId: ada.chatId, text: 'answer', key: 'k' })
    await expect.poll(() => ear.texts).toEqual(['before'])
    await close()
    const missed = Array.from({ length: 1001 }, (_, at) => `missed ${at}`)
    for (const text of missed) await (text.endsWith('7') ? bob : ada).say(text)
    const next = await restart()
    await ada.say('after')
    await expect.poll(() => next.ear.received.length, { timeout: 10_000 }).toBe(1002)
    expect(next.ear.texts).toEqual([...missed, 'after'])
  })

  test('a message that was not taken before the process ended is taken by the next, with those behind it', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await expect.poll(() => ear.texts).toEqual(['before'])
    ear.refuse = 1000
    await ada.say('one')
    await ada.say('two')
    await expect.poll(() => ear.refuse).toBeLessThan(1000)
    await close()
    const next = await restart()
    await expect.poll(() => next.ear.texts).toEqual(['one', 'two'])
  })

  test('a message that was overtaken by a later one, and not told before the end, is read', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    fake.disturb('late')
    await ada.say('slow')
    // It takes the place of the one before, which is not told any more.
    fake.disturb('late')
    await ada.say('slower')
    await ada.say('quick')
    await expect.poll(() => ear.texts).toEqual(['quick', 'slower'])
    await close()
    const next = await restart()
    await ada.say('after')
    await expect.poll(() => next.ear.texts).toEqual(['slow', 'after'])
  })

  test('the position keeps what a slow message needs, and no more', () => {
    const position = new Position(undefined)
    position.start(10)
    for (const [id, at] of [
      [12, 100],
      [11, 100],
      [14, 105],
    ] as const)
      position.add(id, at)
    expect([10, 11, 12, 13, 14].map((id) => position.has(id))).toEqual([true, true, true, false, true])
    position.add(20, 111)
    expect(JSON.parse(position.toString())).toEqual({
      since: 12,
      taken: [
        [14, 105],
        [20, 111],
      ],
    })
    const again = new Position(position.toString())
    expect([12, 13, 14, 20, 21].map((id) => again.has(id))).toEqual([true, false, true, true, false])
    expect([new Position('{').since, new Position('7').since]).toEqual([undefined, undefined])
  })
})

describe('accounts of Zulip', () => {
  test('without an account, connecting says what to set', async () => {
    const bare = await stage({ env: { ZULIP_SITE: undefined, ZULIP_EMAIL: undefined, ZULIP_API_KEY: undefined } })
    expect(bare.platform.missing?.()).toBe('needs ZULIP_SITE and ZULIP_EMAIL and ZULIP_API_KEY')
    const error = await failing(bare.platform.connect(bare.ear))
    expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
    for (const name of ['ZULIP_SITE', 'ZULIP_EMAIL', 'ZULIP_API_KEY'])
      expect(String(error)).toContain(`svc config set ${name}`)
    const other = await stage({ env: { ZULIP_API_KEY: undefined } })
    expect(String(await failing(other.platform.connect(other.ear)))).not.toContain('ZULIP_EMAIL')
  })

  test('a key that is not accepted is refused for good, and named nowhere', async () => {
    const { platform, ear } = await stage({ env: { ZULIP_API_KEY: 'key-of-another-bot' } })
    const refused = await failing(platform.connect(ear))
    expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
    expect(String(refused)).toContain('INVALID_API_KEY')
    expect(String(refused)).not.toContain('key-of-another-bot')
    const basic = Buffer.from('svc-bot@example.zulipchat.com:key-of-another-bot').toString('base64')
    expect(String(refused)).not.toContain(basic)
  })

  test('an account that is deactivated ends the connection for good', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId } = fake.member()
    const body = { result: 'error', msg: 'Account is deactivated', code: 'USER_DEACTIVATED' }
    fake.answerNext('POST /messages', { status: 403, body })
    const failure = await failing(platform.send({ chatId, text: 'x', key: 'k' }))
    expect(failure).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
    expect(ear.losses).toMatchObject([{ final: true, code: 'zulip_unauthorized' }])
    const other = await connected()
    other.fake.disturb('logout')
    await expect.poll(() => other.ear.losses.length).toBeGreaterThan(0)
    expect(await failing(other.platform.connect(other.ear))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  })

  test('a server that cannot be reached, or that is no Zulip, is tried again later', async () => {
    const service = await StandInServer.open(() => ({ body: '<html>Sign in</html>' }))
    onTestFinished(() => service.close())
    for (const url of [service.url, 'http://127.0.0.1:1']) {
      const strange = await stage({ env: { ZULIP_SITE: url } })
      expect(classifyDeliveryError(await failing(strange.platform.connect(strange.ear))).kind).toBe('busy')
    }
  })
})
