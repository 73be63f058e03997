import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-mattermost/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('mattermost', openStandIn)

describe('the socket of Mattermost', () => {
  test('what was written during a cut is asked for with the next connection, in order', async () => {
    const { fake, platform, ear } = await connected()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await ada.say('one')
    await ada.say('two')
    await bob.say('elsewhere')
    await platform.connect(ear)
    await ada.say('after')
    await vi.waitFor(() => expect(ear.received).toHaveLength(5))
    const inChat = ear.received.filter(({ chatId }) => chatId === ada.chatId)
    expect(inChat.map(({ text }) => text)).toEqual(['before', 'one', 'two', 'after'])
    expect(ear.received.find(({ text }) => text === 'elsewhere')).toMatchObject({
      chatKind: 'channel',
      chatName: 'lab',
    })
  })

  test('a cut before anything was written loses nothing either, and nothing old is read', async () => {
    const { fake, platform } = await stage()
    const ada = fake.member()
    await ada.say('long ago')
    const ear = new Ear()
    await platform.connect(ear)
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await ada.say('meanwhile')
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['meanwhile']))
  })

  test('what cannot be asked for now is asked for the next time, whatever came in between', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await ada.say('missed')
    fake.answerNext('GET /users/me/channels', { status: 500 })
    await expect(platform.connect(ear)).rejects.toThrow('HTTP 500')
    await ada.say('later')
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['missed', 'later']))
  })

  test('an event that got lost on the way is noticed by its number and asked for', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    await ada.say('first')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    fake.disturb('silence')
    await ada.say('lost on the way')
    fake.calm()
    await ada.say('last')
    await vi.waitFor(() => {
      expect(ear.received.map(({ text }) => text)).toEqual(expect.arrayContaining(['first', 'lost on the way', 'last']))
    })
    expect(ear.losses).toEqual([])
  })

  test('a post that was not taken is tried again, later each time, those behind it wait, and a cut loses none', async () => {
    const clock = virtualClock()
    const { fake, platform, ear } = await connected({ clock })
    const ada = fake.member()
    ear.refuse = 3
    await ada.say('in the end')
    await vi.waitFor(() => expect(ear.refuse).toBe(2))
    await ada.say('next')
    await clock.advance(250)
    await vi.waitFor(() => expect(ear.refuse).toBe(1))
    await clock.advance(250)
    expect([ear.refuse, ear.texts]).toEqual([1, []])
    await clock.advance(250)
    await vi.waitFor(() => expect(ear.refuse).toBe(0))
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.texts).toEqual(['in the end', 'next']))
  })

  test('a connection that answers no ping is given up, and said to be lost once', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    for (let round = 1; round <= 3; round++) {
      const before = ear.lives
      await clock.advance(30_000)
      await vi.waitFor(() => expect(ear.lives).toBeGreaterThan(before))
      expect(fake.actions.filter(({ action }) => action === 'ping')).toHaveLength(round)
    }
    fake.disturb('silence')
    for (let round = 0; round < 5; round++) await clock.advance(30_000)
    expect(ear.losses.map(({ reason }) => reason)).toEqual(['Mattermost did not answer a ping.'])
  })

  test('a server that answers nothing is not waited for longer than twenty seconds', async () => {
    const clock = virtualClock()
    const { fake, platform } = await stage({ clock })
    fake.disturb('silence')
    const outcome = platform.connect(new Ear()).catch((error: unknown) => errorCode(error))
    await vi.waitFor(() => expect(fake.actions).toHaveLength(1))
    await clock.advance(20_000)
    expect(await outcome).toBe('MATTERMOST_SOCKET')
  })

  test.each(['{"event":', '[]', '7'])('what is no event of the server (%s) ends the connection', async (text) => {
    const { fake, ear } = await connected()
    fake.sendRaw(text)
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  })

  test('an event whose post is no post is dropped, and the next one is taken', async () => {
    const { fake, ear } = await connected()
    fake.sendEvent('posted', { post: '{"id":' })
    fake.sendEvent('posted', { post: '{}' })
    fake.sendEvent('posted', 'nothing')
    await fake.member().say('whole')
    await vi.waitFor(() => expect(ear.received.map(({ text }) => text)).toEqual(['whole']))
  })
})

describe('accounts of Mattermost', () => {
  test('a token of someone else is refused for good, with what to do', async () => {
    const { platform } = await stage({ env: { MATTERMOST_TOKEN: 'token-of-somebody' } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect([errorCode(failure), classifyDeliveryError(failure).kind]).toEqual(['MATTERMOST_UNAUTHORIZED', 'refused'])
    expect(String(failure)).toContain('svc config set MATTERMOST_TOKEN')
    expect(String(failure)).not.toContain('token-of-somebody')
  })

  test('without an address or a token it says which is missing', async () => {
    const one = await stage({ config: { base_url: '' } })
    const two = await stage({ env: { MATTERMOST_TOKEN: '' } })
    expect(one.platform.missing?.()).toContain('MATTERMOST_URL')
    expect(two.platform.missing?.()).toContain('MATTERMOST_TOKEN')
  })

  test('an account that is logged out is found out by the next probe and lost for good', async () => {
    const { fake, platform, ear } = await connected()
    fake.disturb('logout')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    const failure = await platform.connect(ear).catch((error: unknown) => error)
    expect(errorCode(failure)).toBe('MATTERMOST_UNAUTHORIZED')
  })

  test('a server that no one can reach is tried again later', async () => {
    const { platform } = await stage({ config: { base_url: 'http://127.0.0.1:1' } })
    const failure = await platform.connect(new Ear()).catch((error: unknown) => error)
    expect(classifyDeliveryError(failure).kind).toBe('busy')
  })
})
