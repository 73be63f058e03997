/** Stories of programs that write to an account of Pushover, and of the device that svc is. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-pushover/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed, home } = createStages('pushover', openStandIn)

const text = { chatId: 'inbox', text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('what comes to the account is handed over in order, and own answers, which come back, are not', async () => {
  const { platform, fake, ear } = await opened()
  const member = fake.member()
  await member.say('first')
  await expect.poll(() => ear.texts).toEqual(['first'])
  await platform.send(text)
  await member.say('second')
  await expect.poll(() => ear.texts).toEqual(['first', 'second'])
  expect(ear.received[0]).toMatchObject({ chatId: 'inbox', userId: member.userId })
})

test('what came while svc was away is read when it is back, once, and then deleted from the device', async () => {
  const { fake, platform, restart } = await home()
  await platform.close()
  await fake.member().say('missed')
  const again = await restart()
  await expect.poll(() => again.ear.texts).toEqual(['missed'])
  await fake.member().say('now')
  await expect.poll(() => again.ear.texts).toEqual(['missed', 'now'])
  await again.platform.close()
  const third = await restart()
  await fake.member().say('later')
  await expect.poll(() => third.ear.texts.at(-1)).toBe('later')
  expect(third.ear.texts).not.toContain('missed')
})

test('what could not be stored stays on the device', async () => {
  const { fake, platform, ear, restart } = await home()
  ear.refuse = Number.POSITIVE_INFINITY
  await fake.member().say('please')
  await expect.poll(() => ear.refused).toBeGreaterThan(0)
  await platform.close()
  const again = await restart()
  await expect.poll(() => again.ear.texts).toEqual(['please'])
})

test.for([
  ['E', 'Register it again'],
  ['A', 'another program'],
] as const)('the signal %s of the stream ends the connection for good and says what to do', async ([letter, words]) => {
  const { fake, ear } = await opened()
  fake.signal(letter)
  await expect.poll(() => ear.losses).toMatchObject([{ final: true, reason: expect.stringContaining(words) }])
})

test('keepalives keep a connection, and silence ends it', async () => {
  const clock = virtualClock()
  const { fake, ear } = await opened({ clock })
  await clock.advance(170_000)
  const before = ear.lives
  fake.signal('#')
  await expect.poll(() => ear.lives).toBeGreaterThan(before)
  await clock.advance(170_000)
  expect(ear.losses).toEqual([])
  await clock.advance(11_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
] as const)('a message to Pushover that meets %s fails with what is certain of it', async ([fault, failure]) => {
  const { platform, fake } = await opened()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries()).toEqual([])
})

test('messages of Pushover for a month that are used up are no reason to wait', async () => {
  const { platform, fake } = await opened()
  fake.useUp()
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('over its quota')
})

test('1,024 characters fit into a message, whatever they are, and no more', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: '😀'.repeat(1024) })
  expect(await failing(platform.send({ ...text, text: '😀'.repeat(1025) }))).toMatchObject({
    code: 'PLATFORM_TOO_LONG',
  })
  expect(await failing(platform.send({ ...text, chatId: 'phone' }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(fake.deliveries()).toHaveLength(1)
})

test('a token of Pushover that was removed ends the connection for good, and is named nowhere', async () => {
  const { platform, fake, ear } = await opened()
  fake.disturb('logout')
  expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  await expect.poll(() => ear.losses.some(({ final }) => final)).toBe(true)
  const again = await closed({ env: { PUSHOVER_TOKEN: 'of another application' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another application')
  const bare = await closed({ env: { PUSHOVER_USER: undefined, PUSHOVER_SECRET: undefined } })
  expect(bare.platform.missing?.()).toBe('needs PUSHOVER_USER and PUSHOVER_SECRET')
})
