import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('slack', openStandIn)

describe('the socket of Slack', () => {
  test('an envelope is acknowledged after it was taken, and comes again when it was not', async () => {
    const { fake, ear } = await connected()
    ear.refuse = 1
    await fake.member().say('hard to take')
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    await fake.member().say('easy')
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(1))
    expect(ear.received.map(({ text }) => text)).toEqual(['easy'])
    fake.resend()
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(2))
    expect(ear.received.map(({ text }) => text)).toEqual(['easy', 'hard to take'])
  })

  test('what was written during a cut comes with the next connection', async () => {
    const { fake, platform, ear } = await connected()
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await fake.member().say('meanwhile')
    expect(await platform.probe()).toBe(false)
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['meanwhile']))
    expect(ear.losses[0]?.final).toBeUndefined()
  })

  test.each(['warning', 'refresh_requested'])(
    'when Slack says goodbye (%s) the next connection is there before, and nobody notices',
    async (reason) => {
      const { fake, platform, ear } = await connected()
      fake.sendRaw(JSON.stringify({ type: 'disconnect', reason }))
      await vi.waitFor(() => expect(fake.opened).toBe(2))
      await fake.member().say('still here')
      await vi.waitFor(() => expect(ear.received.at(-1)?.text).toBe('still here'))
      expect(ear.losses).toEqual([])
      await vi.waitFor(async () => expect(await platform.probe()).toBe(true))
    },
  )

  test('a goodbye after which no connection can be made is a loss', async () => {
    const { fake, ear } = await connected()
    fake.answerNext('apps.connections.open', { status: 500 })
    fake.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'warning' }))
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.losses[0]?.final).toBeUndefined()
  })

  test('socket mode that was switched off is lost for good, with what to do', async () => {
    const { fake, ear } = await connected()
    fake.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'link_disabled' }))
    await vi.waitFor(() => expect(ear.losses[0]).toMatchObject({ final: true, code: 'slack_socket_disabled' }))
  })

  test('a connection on which no ping is answered is given up, and said to be lost once', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    for (let round = 0; round < 4; round++) {
      const before = ear.lives
      await clock.advance(15_000)
      await vi.waitFor(() => expect(ear.lives).toBeGreaterThan(before))
    }
    expect(ear.losses).toEqual([])
    fake.disturb('silence')
    for (let round = 0; round < 10; round++) await clock.advance(15_000)
    expect(ear.losses.map(({ reason }) => reason)).toEqual(['Slack has gone silent.'])
  })

  test('a service that never says hello is not waited for longer than twenty seconds', async () => {
    const clock = virtualClock()
    const { fake, platform } = await stage({ clock })
    fake.disturb('silence')
    const outcome = platform.connect(new Ear()).catch((error: unknown) => errorCode(error))
    await vi.waitFor(() => expect(fake.opened).toBe(1))
    await vi.waitFor(async () => {
      await clock.advance(20_000)
      expect(await Promise.race([outcome, new Promise((go) => setImmediate(go))])).toBe('SLACK_SOCKET')
    })
  })

  test.each(['{"type":', '[]', 'null'])(
    'what is no envelope (%s) ends the connection, not the program',
    async (text) => {
      const { fake, ear } = await connected()
      fake.sendRaw(text)
      await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    },
  )

  test('an event that lacks its channel is acknowledged and dropped', async () => {
    const { fake, ear } = await connected()
    fake.sendEnvelope('events_api', { event: { type: 'message', text: 'nowhere' } })
    fake.sendEnvelope('events_api', 'not even an object')
    fake.sendEnvelope('unknown_kind', {})
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(3))
    expect(ear.received).toEqual([])
  })
})

describe('tokens of Slack', () => {
  test.each(['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'])('a wrong %s is refused for good, with what to do', async (name) => {
    const { platform } = await stage({ env: { [name]: 'xoxb-somebody-elses-token' } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect([errorCode(failure), classifyDeliveryError(failure).kind]).toEqual(['SLACK_UNAUTHORIZED', 'refused'])
    expect(String(failure)).toContain(`svc config set ${name}`)
    expect(String(failure)).not.toContain('somebody-elses')
  })

  test('without tokens it says which are missing', async () => {
    const { platform } = await stage({ env: { SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: '' } })
    expect(platform.missing?.()).toContain('SLACK_BOT_TOKEN and SLACK_APP_TOKEN')
  })

  test('an account that is logged out while it is connected is found out and lost for good', async () => {
    const { fake, platform, ear } = await connected()
    fake.disturb('logout')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    const failure = await platform.connect(ear).catch((error: unknown) => error)
    expect(errorCode(failure)).toBe('SLACK_UNAUTHORIZED')
    expect(String(failure)).toContain('account_inactive')
  })
})
