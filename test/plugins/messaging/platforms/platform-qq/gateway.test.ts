/** Stories of QQ over its gateway: sessions that begin, are taken up and end, and heartbeats. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-qq/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage, home, contract } = createStages('qq', () => openStandIn('gateway'))
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('QQ keeps the contract of platforms over its gateway', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

test('a session begins with the events of private chats and groups, and answers name the question', async () => {
  const { fake, ear, platform } = await connected()
  expect(fake.gateway.heard).toEqual([{ op: 2, d: expect.objectContaining({ intents: 2 ** 25, shard: [0, 1] }) }])
  const member = fake.member({ group: 'friends' })
  const id = await member.say('what is the time?', { mention: true })
  await expect
    .poll(() => ear.received)
    .toMatchObject([{ chatKind: 'group', text: 'what is the time?', isMention: true }])
  await platform.send({ chatId: member.chatId, text: 'noon', key: 'k1' })
  expect(fake.deliveries()).toMatchObject([{ replyTo: id }])
})

test('the next process takes the session up behind the last message that was stored', async () => {
  const { fake, ear, platform, restart } = await home()
  const member = fake.member()
  await member.say('one')
  await expect.poll(() => ear.texts).toEqual(['one'])
  ear.most = 1
  await member.say('two')
  await expect.poll(() => ear.refused).toBeGreaterThan(0)
  await platform.close()
  await member.say('three')
  const next = await restart()
  await expect.poll(() => next.ear.texts).toEqual(['two', 'three'])
  expect(fake.gateway.heard.map(({ op }) => op)).toEqual([2, 6])
  expect(fake.gateway.heard[1]?.d).toMatchObject({ seq: 2 })
})

test('a session that QQ does not know any more is followed by a new one', async () => {
  for (const end of ['forget', 'code'] as const) {
    const { fake, platform, restart } = await home()
    await platform.close()
    fake.gateway.forget()
    const next = await restart()
    if (end === 'code') fake.gateway.end(4006)
    await expect.poll(() => next.ear.losses).toHaveLength(1)
    expect(next.ear.losses[0]?.final).toBeUndefined()
    await next.platform.connect(next.ear)
    await fake.member().say('again')
    await expect.poll(() => next.ear.texts).toEqual(['again'])
    expect(fake.gateway.heard.at(-1)?.op).toBe(2)
  }
})

test.for([
  [4009, false, 6],
  [4900, false, 2],
  [4914, true, 6],
  [4915, true, 6],
  [4014, true, 6],
] as const)(
  'a connection that QQ closes with %i is lost for good: %s, else the next one begins with %i',
  async ([code, isFinal, op]) => {
    const { fake, ear, platform } = await connected()
    fake.gateway.end(code)
    await expect.poll(() => ear.losses).toHaveLength(1)
    expect(ear.losses[0]?.final ?? false).toBe(isFinal)
    if (isFinal) return
    await platform.connect(ear)
    expect(fake.gateway.heard.at(-1)?.op).toBe(op)
  },
)

test('a connection that QQ asks to renew is renewed, and nothing is lost meanwhile', async () => {
  const { fake, ear, platform } = await connected()
  fake.gateway.tell({ op: 7 })
  await expect.poll(() => ear.losses).toHaveLength(1)
  await fake.member().say('meanwhile')
  await platform.connect(ear)
  await expect.poll(() => ear.texts).toEqual(['meanwhile'])
  expect(fake.gateway.heard.map(({ op }) => op)).toEqual([2, 6])
})

test('heartbeats carry the number of the last event, and a gateway that answers none is left', async () => {
  const clock = virtualClock(Date.now())
  const { fake, ear } = await connected({ clock })
  await fake.member().say('one')
  await expect.poll(() => ear.texts).toEqual(['one'])
  await clock.advance(42_000)
  await expect.poll(() => fake.gateway.heard.at(-1)).toEqual({ op: 1, d: 2 })
  fake.disturb('silence')
  await clock.advance(90_000)
  expect(ear.losses).toEqual([])
  await clock.advance(60_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test('operations that are malformed or unknown are no messages, and do not end the connection', async () => {
  const { fake, ear } = await connected()
  for (const odd of [
    {},
    { op: 'x' },
    { op: 99, d: 1 },
    { op: 0, t: 'FRIEND_ADD', s: 2, d: {} },
    { op: 0, t: 'C2C_MESSAGE_CREATE', d: 7 },
  ])
    fake.gateway.tell(odd)
  await fake.member().say('end')
  await expect.poll(() => ear.texts).toEqual(['end'])
  expect(ear.losses).toEqual([])
})

test('a secret that is refused ends it, and a bot whose events go by webhook has no gateway', async () => {
  const wrong = await stage({ env: { QQ_CLIENT_SECRET: 'of another bot' } })
  expect(classifyDeliveryError(await failing(wrong.platform.connect(wrong.ear)))).toEqual({ kind: 'refused' })
  const fake = await openStandIn()
  const { platform, ear } = await stage({ fake, config: { events: 'gateway' } })
  expect(classifyDeliveryError(await failing(platform.connect(ear)))).toEqual({ kind: 'refused' })
  await fake.close()
})
