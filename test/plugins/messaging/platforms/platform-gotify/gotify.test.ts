/** Stories of programs that publish to Gotify, and of a stream that breaks. */
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-gotify/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed, home } = createStages('gotify', openStandIn)

const text = { chatId: 'inbox', text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('what an application publishes is handed over in order, and own answers are not', async () => {
  const { platform, fake, ear } = await opened()
  const [one, two] = [fake.member(), fake.member()]
  await one.say('first')
  await platform.send(text)
  await two.say('second')
  await expect.poll(() => ear.texts).toEqual(['first', 'second'])
  expect(ear.received.map(({ chatId, userId }) => [chatId, userId])).toEqual([
    ['inbox', one.userId],
    ['inbox', two.userId],
  ])
  expect(one.userId).not.toBe(two.userId)
})

test('what was there before the first connection is not answered; what was published in a pause is, once', async () => {
  const { fake, ear, platform, restart } = await home()
  const member = fake.member()
  await member.say('before the pause')
  await expect.poll(() => ear.texts).toEqual(['before the pause'])
  await platform.close()
  await Promise.all(Array.from({ length: 250 }, (_, at) => member.say(`missed ${at}`)))
  const again = await restart()
  await expect.poll(() => again.ear.received.length).toBe(250)
  expect(again.ear.texts.slice(0, 2)).toEqual(['missed 0', 'missed 1'])
  const fresh = await createStages('gotify', async () => fake).connected({ fake })
  await member.say('now')
  await expect.poll(() => fresh.ear.texts).toEqual(['now'])
})

test('a stream that is cut is told as lost, and one that is silent, too', async () => {
  const clock = virtualClock()
  const { fake, ear } = await opened({ clock })
  fake.disturb('silence')
  await clock.advance(119_000)
  expect(ear.losses).toEqual([])
  await clock.advance(2000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
  const other = await opened()
  other.fake.disturb('flap')
  await expect.poll(() => other.ear.losses.length).toBe(1)
  expect(other.ear.losses[0]?.final).toBeUndefined()
})

test('a message that was stored too late is offered again before those behind it', async () => {
  const clock = virtualClock()
  const { fake, ear } = await opened({ clock })
  ear.refuse = 2
  const member = fake.member()
  await member.say('first')
  await member.say('second')
  await expect.poll(() => ear.refused).toBe(1)
  for (let count = 0; count < 20 && ear.received.length < 2; count++) {
    await clock.advance(60_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(ear.texts).toEqual(['first', 'second'])
})

test('a message whose answer was lost is found by its key, also behind 150 others', async () => {
  const { platform, fake } = await opened()
  fake.failSends('unanswered')
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual({ kind: 'unsure' })
  const member = fake.member()
  await Promise.all(Array.from({ length: 150 }, (_, at) => member.say(`noise ${at}`)))
  expect(await platform.find?.(text)).toEqual({ messageId: fake.deliveries()[0]?.messageId })
  expect(await platform.find?.({ ...text, key: 'other' })).toBeUndefined()
})

test('a title of a publisher is part of what was said', async () => {
  const service = await openStandIn()
  onTestFinished(() => service.close())
  const { ear, fake } = await opened({ fake: service })
  const { GOTIFY_URL: url = '', GOTIFY_APP_TOKEN: key = '' } = fake.env
  const body = JSON.stringify({ title: 'disk', message: 'is full' })
  await fetch(`${url}/message`, { method: 'POST', headers: { 'x-gotify-key': key }, body })
  await expect.poll(() => ear.texts).toEqual(['disk\nis full'])
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
] as const)('a message to Gotify that meets %s fails with what is certain of it', async ([fault, failure]) => {
  const { platform, fake } = await opened()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries()).toEqual([])
})

test('a token of Gotify that was removed ends the connection for good, and is named nowhere', async () => {
  const { platform, fake, ear } = await opened()
  fake.disturb('logout')
  expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  await expect.poll(() => ear.losses.some(({ final }) => final)).toBe(true)
  const again = await closed({ env: { GOTIFY_CLIENT_TOKEN: 'Cof-another-account' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('Cof-another-account')
})

test('what answers like no Gotify is asked again later; another chat than the inbox is refused', async () => {
  const service = await StandInServer.open(() => ({ body: '<html>Sign in</html>' }))
  onTestFinished(() => service.close())
  const strange = await closed({ env: { GOTIFY_URL: service.url } })
  expect(classifyDeliveryError(await failing(strange.platform.connect(strange.ear))).kind).toBe('busy')
  const { platform } = await opened()
  expect(await failing(platform.send({ ...text, chatId: 'phone' }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  const bare = await closed({ env: { GOTIFY_URL: undefined, GOTIFY_APP_TOKEN: undefined } })
  expect(bare.platform.missing?.()).toBe('needs GOTIFY_URL and GOTIFY_APP_TOKEN')
})
