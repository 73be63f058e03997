/** Stories of connections to a Rocket.Chat server that break, and of a restart of svc. */
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-rocketchat/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage, home } = createStages('rocketchat', openStandIn)

const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('what was written during a cut is read with the next connection, in order, from all rooms', async () => {
  const { fake, platform, ear } = await connected()
  const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
  await ada.say('before')
  await expect.poll(() => ear.texts).toEqual(['before'])
  fake.disturb('flap')
  await expect.poll(() => ear.losses.length).toBe(1)
  await ada.say('one')
  await bob.say('two', { mention: true })
  await ada.say('three')
  await platform.connect(ear)
  await ada.say('after')
  await expect.poll(() => ear.texts).toEqual(['before', 'one', 'two', 'three', 'after'])
})

test('what was there before the first connection is not answered, what comes right after it is', async () => {
  const { fake, platform } = await stage()
  const ada = fake.member()
  await ada.say('long ago')
  const ear = new Ear()
  await platform.connect(ear)
  fake.disturb('flap')
  await expect.poll(() => ear.losses.length).toBe(1)
  await ada.say('meanwhile')
  await platform.connect(ear)
  await expect.poll(() => ear.texts).toEqual(['meanwhile'])
})

test('a restart reads what was missed once, past one page, and what was not taken before', async () => {
  const { fake, ear, close, restart } = await home()
  const ada = fake.member()
  await ada.say('before')
  await expect.poll(() => ear.texts).toEqual(['before'])
  ear.refuse = 1000
  await ada.say('not taken')
  await expect.poll(() => ear.refused).toBeGreaterThan(0)
  await close()
  const missed = Array.from({ length: 450 }, (_, at) => `missed ${at}`)
  for (const text of missed) await ada.say(text)
  const next = await restart()
  await ada.say('after')
  await expect.poll(() => next.ear.received.length, { timeout: 10_000 }).toBe(452)
  expect(next.ear.texts).toEqual(['not taken', ...missed, 'after'])
})

test('pings are answered; a server that says nothing for 90 seconds is told as lost', async () => {
  const clock = virtualClock()
  const { fake, ear } = await connected({ clock })
  const before = ear.lives
  fake.tell({ msg: 'ping' })
  await expect.poll(() => ear.lives).toBeGreaterThan(before)
  fake.disturb('silence')
  for (let round = 0; round < 4; round++) await clock.advance(25_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test('without an account, connecting says what to set; a token that is not accepted is refused for good', async () => {
  const bare = await stage({ env: { ROCKETCHAT_URL: undefined, ROCKETCHAT_TOKEN: undefined } })
  expect(bare.platform.missing?.()).toBe('needs ROCKETCHAT_URL and ROCKETCHAT_TOKEN')
  const error = await failing(bare.platform.connect(bare.ear))
  expect(String(error)).toContain('svc config set ROCKETCHAT_URL')
  expect(String(error)).toContain('svc config set ROCKETCHAT_TOKEN')
  const other = await stage({ env: { ROCKETCHAT_TOKEN: 'token-of-another' } })
  const refused = await failing(other.platform.connect(other.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('token-of-another')
})

test('an account that is logged out ends the connection for good', async () => {
  const { fake, platform, ear } = await connected()
  const { chatId } = fake.member()
  fake.disturb('logout')
  expect(await failing(platform.send({ chatId, text: 'x', key: 'k' }))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  await expect.poll(() => ear.losses.some(({ final }) => final)).toBe(true)
})

test('a server that cannot be reached, or is no Rocket.Chat, is tried again later', async () => {
  const service = await StandInServer.open(() => ({ body: '<html>Sign in</html>' }))
  onTestFinished(() => service.close())
  for (const url of [service.url, 'http://127.0.0.1:1']) {
    const strange = await stage({ env: { ROCKETCHAT_URL: url } })
    expect(classifyDeliveryError(await failing(strange.platform.connect(strange.ear))).kind).toBe('busy')
  }
})
