/** Stories of people in the chat of a stream, and of a connection that Twitch ends. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-twitch/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('twitch', openStandIn)

const text = { chatId: '4711', text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('what people say is handed over with their ids; the name in front is how the agent is addressed', async () => {
  const { fake, ear } = await opened()
  const member = fake.member({ group: 'stream' })
  await member.say('among us')
  await member.say('what is the time?', { mention: true, quote: 'q1' })
  await expect.poll(() => ear.received.length).toBe(2)
  expect(ear.received).toMatchObject([
    { chatId: member.chatId, userId: member.userId, chatKind: 'group', text: 'among us' },
    { text: 'what is the time?', isMention: true, quote: { messageId: 'q1' } },
  ])
  expect(ear.received[0]?.isMention).toBeUndefined()
})

test('own words, actions, replies to the agent and lines without ids are known as such', async () => {
  const { fake, ear } = await opened()
  const line = (tags: string, words: string) => fake.tell(`@${tags} :ada!ada@ada.tmi.twitch.tv PRIVMSG #room :${words}`)
  line('id=1;room-id=7;user-id=1001', 'my own words')
  line('id=2;room-id=7;user-id=5', '\u0001ACTION waves\u0001')
  line('id=3;room-id=7;user-id=5;reply-parent-user-id=1001', 'indeed')
  line('room-id=7;user-id=5', 'who am I?')
  line('id=4;room-id=7;user-id=5', 'thanks @SvcBot, really')
  line('id=5;room-id=7;user-id=5', 'ask @svcbottom')
  await expect.poll(() => ear.texts).toEqual(['waves', 'indeed', 'thanks @SvcBot, really', 'ask @svcbottom'])
  expect(ear.received.map(({ isMention }) => isMention)).toEqual([undefined, true, true, undefined])
})

test('a ping is answered, and a connection on which nothing is heard is told as lost', async () => {
  const clock = virtualClock()
  const { fake, ear } = await opened({ clock })
  fake.tell('PING :tmi.twitch.tv')
  await fake.member().say('still here')
  await expect.poll(() => ear.texts).toEqual(['still here'])
  fake.disturb('silence')
  await clock.advance(151_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test('when Twitch asks to connect again, svc does; when it refuses the account, for good', async () => {
  const one = await opened()
  one.fake.tell(':tmi.twitch.tv RECONNECT')
  await expect.poll(() => one.ear.losses).toMatchObject([{ reason: 'Twitch asks to connect again.' }])
  expect(one.ear.losses[0]?.final).toBeUndefined()
  const other = await opened()
  other.fake.tell(':tmi.twitch.tv NOTICE * :Login authentication failed')
  await expect.poll(() => other.ear.losses).toMatchObject([{ final: true, code: 'twitch_unauthorized' }])
})

test('a token that expires during a send is renewed, a refresh token that is refused ends the connection', async () => {
  const { platform, fake, ear } = await opened()
  fake.expireToken()
  await platform.send(text)
  expect(fake.deliveries()).toHaveLength(1)
  fake.disturb('logout')
  expect(await failing(platform.send({ ...text, text: 'more' }))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  await expect.poll(() => ear.losses.some(({ final }) => final)).toBe(true)
  const again = await closed({ env: { TWITCH_REFRESH_TOKEN: 'of another account' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another account')
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
] as const)('a message to Twitch that meets %s fails with what is certain of it', async ([fault, failure]) => {
  const { platform, fake } = await opened()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries()).toEqual([])
})

test('the same words within half a minute wait, and what Twitch drops otherwise is refused with its reason', async () => {
  const { platform, fake } = await opened()
  fake.dropNext('msg_duplicate')
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual({ kind: 'busy', retryAfterMs: 30_000 })
  fake.dropNext('channel_settings')
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('channel_settings')
})

test('a message has one line of 500 characters; what is no channel, or longer, does not leave', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: 'one\n\n  two', replyTo: 'q1' })
  expect(fake.deliveries()).toMatchObject([{ raw: 'one⏎  two', replyTo: 'q1' }])
  expect(await failing(platform.send({ ...text, text: 'x'.repeat(501) }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  for (const chatId of ['', '#room', '../7'])
    expect(await failing(platform.send({ ...text, chatId }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  const bare = await closed({ env: { TWITCH_CLIENT_ID: undefined } })
  expect(bare.platform.missing?.()).toBe('needs TWITCH_CLIENT_ID')
})
