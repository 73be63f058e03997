import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('discord', openStandIn)

describe('a session of the gateway', () => {
  test('what was written during a cut comes with the resumed session, once', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.losses[0]?.final).toBeUndefined()
    await ada.say('meanwhile')
    await platform.connect(ear)
    await ada.say('after')
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['before', 'meanwhile', 'after']))
    expect(fake.handshakes).toEqual(['identify', 'resume'])
  })

  test('a message that was not taken comes again with the resumed session', async () => {
    const { fake, platform, ear } = await connected({ clock: virtualClock() })
    ear.refuse = 1
    await fake.member().say('hard to take')
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['hard to take']))
  })

  test('a message that was not taken is tried again on the same connection, later each time', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    ear.refuse = 2
    await fake.member().say('in the end')
    await vi.waitFor(() => expect(ear.refuse).toBe(1))
    await clock.advance(250)
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    await clock.advance(250)
    expect(ear.received).toEqual([])
    await clock.advance(250)
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  })

  test('a session that is gone is refused, and the next connection begins a new one with what was not taken', async () => {
    const { fake, platform, ear } = await connected({ clock: virtualClock() })
    ear.refuse = 1
    await fake.member().say('waits')
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    fake.forgetSessions()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    const failure = await platform.connect(ear).catch((error: unknown) => error)
    expect([errorCode(failure), classifyDeliveryError(failure).kind]).toEqual(['DISCORD_GATEWAY', 'busy'])
    expect(classifyDeliveryError(failure).retryAfterMs).toBeGreaterThanOrEqual(1000)
    await platform.connect(ear)
    expect(fake.handshakes).toEqual(['identify', 'resume', 'identify'])
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['waits']))
  })

  test('what is left of a session that is gone is taken also when its follower is resumed', async () => {
    const { fake, platform, ear } = await connected({ clock: virtualClock() })
    ear.refuse = 2
    await fake.member().say('patience')
    await vi.waitFor(() => expect(ear.refuse).toBe(1))
    fake.forgetSessions()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await platform.connect(ear).catch(() => undefined)
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    fake.disturb('flap')
    await vi.waitFor(() => expect(fake.connected()).toBe(false))
    await platform.connect(ear)
    expect(fake.handshakes.at(-1)).toBe('resume')
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['patience']))
  })

  test('a connection that is closed while it is made leaves nothing behind', async () => {
    const clock = virtualClock()
    const { fake, platform } = await stage({ clock })
    fake.disturb('silence')
    const outcome = platform.connect(new Ear()).catch((error: unknown) => classifyDeliveryError(error).kind)
    await vi.waitFor(() => expect(fake.requests.map(({ call }) => call)).toContain('GET /gateway/bot'))
    await platform.close()
    expect(await outcome).not.toBe('refused')
    expect(await platform.probe()).toBe(false)
  })

  test('a connection that answers no heartbeat is given up, and said to be lost once', async () => {
    const clock = virtualClock()
    const { fake, platform, ear } = await connected({ clock })
    await clock.advance(41_250)
    await vi.waitFor(() => expect(ear.lives).toBeGreaterThan(2))
    fake.disturb('silence')
    await clock.advance(2 * 41_250)
    expect(ear.losses.map(({ reason }) => reason)).toEqual(['Discord did not answer a heartbeat.'])
    expect(await platform.probe()).toBe(false)
    await clock.advance(10 * 41_250)
    expect(ear.losses).toHaveLength(1)
  })

  test('heartbeats that are answered keep a quiet connection', async () => {
    const clock = virtualClock()
    const { ear } = await connected({ clock })
    for (let beat = 0; beat < 5; beat++) {
      const before = ear.lives
      await clock.advance(41_250)
      await vi.waitFor(() => expect(ear.lives).toBeGreaterThan(before))
    }
    expect(ear.losses).toEqual([])
  })

  test.each([
    { op: 7, d: null },
    { op: 9, d: true },
  ])('the service asks for a new connection with opcode $op, and the session is resumed', async (frame) => {
    const { fake, platform, ear } = await connected()
    fake.sendRaw(JSON.stringify(frame))
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await platform.connect(ear)
    expect(fake.handshakes).toEqual(['identify', 'resume'])
  })

  test('a service that says nothing at all is not waited for longer than twenty seconds', async () => {
    const clock = virtualClock()
    const { fake, platform } = await stage({ clock })
    fake.disturb('silence')
    const outcome = platform.connect(new Ear()).catch((error: unknown) => errorCode(error))
    for (let tries = 0; tries < 50 && fake.requests.length < 2; tries++) await new Promise((go) => setTimeout(go, 5))
    await vi.waitFor(() => expect(clock.pending()).toBeGreaterThan(0))
    await clock.advance(60_000)
    expect(await outcome).toBe('DISCORD_GATEWAY')
  })

  test.each(['{"op":', '[]', '"hello"', '{"op":0,"s":"x"}', '{"op":10,"d":{}}'])(
    'what is no event (%s) ends the connection, not the program',
    async (text) => {
      const { fake, ear } = await connected()
      fake.sendRaw(text)
      await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    },
  )

  test('a message that lacks its author is dropped, and the next one is taken', async () => {
    const { fake, ear } = await connected()
    fake.dispatch('MESSAGE_CREATE', { id: '1', content: 'nobody said this' })
    await fake.member().say('somebody said this')
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['somebody said this']))
  })
})

describe('tokens and intents', () => {
  test('a wrong token is refused for good, with what to do', async () => {
    const { platform } = await stage({ env: { DISCORD_BOT_TOKEN: 'token-of-nobody' } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect([errorCode(failure), classifyDeliveryError(failure).kind]).toEqual(['DISCORD_UNAUTHORIZED', 'refused'])
    expect(String(failure)).toContain('svc config set DISCORD_BOT_TOKEN')
    expect(String(failure)).not.toContain('token-of-nobody')
  })

  test('without a token it says what is missing and is not connected', async () => {
    const { platform } = await stage({ env: { DISCORD_BOT_TOKEN: '' } })
    expect(platform.missing?.()).toContain('DISCORD_BOT_TOKEN')
    await expect(platform.connect(new Ear())).rejects.toThrow('token')
  })

  test('an account that is logged out while it is connected is lost for good', async () => {
    const { fake, platform, ear } = await connected()
    fake.disturb('logout')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.losses[0]).toMatchObject({ final: true, code: 'discord_unauthorized' })
    const { chatId } = fake.member()
    const failure = await platform.send({ chatId, text: 'hi', key: 'k' }).catch((error: unknown) => error)
    expect(classifyDeliveryError(failure).kind).toBe('refused')
    expect(ear.losses).toHaveLength(1)
  })

  test('a bot that may not read messages is told where to switch it on', async () => {
    const { fake, ear } = await connected()
    fake.closeWith(4014, 'Disallowed intent(s).')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.losses[0]).toMatchObject({ final: true, code: 'discord_intents' })
    expect(ear.losses[0]?.reason).toContain('Message Content Intent')
  })

  test.each([4000, 4008, 4009])('an end with code %i is no reason to give up', async (code) => {
    const { fake, platform, ear } = await connected()
    fake.closeWith(code)
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.losses[0]?.final).toBeUndefined()
    await platform.connect(ear)
    expect(fake.connected()).toBe(true)
  })

  test('a bot that is too large for one connection is said to be so, for good', async () => {
    const { fake, ear } = await connected()
    fake.closeWith(4011)
    await vi.waitFor(() => expect(ear.losses[0]).toMatchObject({ final: true, code: 'discord_gateway' }))
  })

  test('no session is begun when the service allows no more of them', async () => {
    const { fake, platform } = await stage()
    const session_start_limit = { total: 1000, remaining: 0, reset_after: 60_000 }
    fake.answerNext('GET /gateway/bot', { body: { url: 'ws://127.0.0.1:1', session_start_limit } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect(classifyDeliveryError(failure)).toEqual({ kind: 'busy', retryAfterMs: 60_000 })
  })

  test('a gateway that no one can reach is tried again later', async () => {
    const { platform } = await stage({ config: { gateway_url: 'ws://127.0.0.1:1' } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect([errorCode(failure), classifyDeliveryError(failure).kind]).toEqual(['DISCORD_GATEWAY', 'busy'])
    expect(await platform.probe()).toBe(false)
  })
})
