/** Stories of Feishu over a long connection: frames, acknowledgements, pings, and connections that end. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { decodeFrame, encodeFrame } from '../../../../../plugins/messaging/platforms/platform-feishu/frame.ts'
import {
  createEvent,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-feishu/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage, home, contract } = createStages('feishu', () => openStandIn('connection'))
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
/** As the SDK of the vendor encodes it: the greatest numbers, a negative one, and fields that svc does not read. */
const ENCODED =
  '0881808080808080808001100718ffffffffffffffffff0120012a0d0a047479706512056576656e742a080a0373756d1201313204677a69703a0178420568656c6c6f4a03616263'

describe('Feishu keeps the contract of platforms over a long connection', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

test('a frame is read and written as the SDK of the vendor does, and what is no frame is nothing', () => {
  const bytes = Buffer.from(ENCODED, 'hex')
  const frame = decodeFrame(bytes)
  expect(frame).toMatchObject({ sequence: 2n ** 63n + 1n, logId: 7n, service: -1, method: 1 })
  expect(frame?.headers).toEqual([
    ['type', 'event'],
    ['sum', '1'],
  ])
  expect(Buffer.from(frame?.payload ?? []).toString()).toBe('hello')
  if (!frame) throw new Error('no frame')
  expect(decodeFrame(encodeFrame(frame))).toEqual({ ...frame, rest: frame.rest })
  expect(Buffer.from(encodeFrame(frame)).toString('hex')).toHaveLength(ENCODED.length)
  for (const odd of ['08', '0f', '4205ab', '42ffffffffffffffffff01', `${'ff'.repeat(11)}`])
    expect(decodeFrame(Buffer.from(odd, 'hex'))).toBeUndefined()
  expect(decodeFrame(Buffer.from('0900000000000000002100000000000000002d00000000', 'hex'))).toMatchObject({ method: 0 })
})

test('an event in many parts is one message, and is acknowledged once it is stored', async () => {
  const { fake, ear } = await connected()
  const member = fake.member({ group: 'team' })
  const long = 'a long question '.repeat(100)
  ear.refuse = 1
  await member.say(long, { mention: true })
  await expect.poll(() => ear.refused).toBe(1)
  expect(fake.connections.acknowledged).toEqual([])
  await expect.poll(() => ear.texts).toEqual([long.trim()])
  await expect.poll(() => fake.connections.acknowledged).toHaveLength(1)
  expect(ear.received).toMatchObject([{ chatKind: 'group', isMention: true, chatId: member.chatId }])
})

test('what was not stored before the connection ended comes again on the next one', async () => {
  const { fake, ear, platform, restart } = await home()
  await fake.member().say('one')
  await expect.poll(() => ear.texts).toEqual(['one'])
  ear.most = 1
  await fake.member().say('two')
  await expect.poll(() => ear.refused).toBeGreaterThan(0)
  await platform.close()
  await fake.member().say('three')
  const next = await restart()
  await expect.poll(() => next.ear.texts).toEqual(['two', 'three'])
})

test('frames that are malformed, of no event or of another app are no messages, and do not end the connection', async () => {
  const { fake, ear } = await connected()
  const { connections } = fake
  const frame = (headers: Record<string, string>, payload: object | string) =>
    encodeFrame({
      ...{ sequence: 1n, logId: 1n, service: 33_554_678, method: 1 },
      headers: Object.entries({ type: 'event', message_id: 'm', sum: '1', seq: '0', ...headers }),
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    })
  const sender = { sender_id: { open_id: 'ou_ada' }, sender_type: 'user' }
  const message = {
    message_id: 'om_x',
    chat_id: 'oc_x',
    chat_type: 'p2p',
    message_type: 'text',
    content: '{"text":"no"}',
  }
  const said = createEvent('im.message.receive_v1', { sender, message })
  for (const bytes of [
    Buffer.from('ff', 'hex'),
    frame({}, 'no JSON'),
    frame({}, { schema: '1.0' }),
    frame({ type: 'other' }, said),
    frame({ sum: '0' }, said),
    frame({ sum: '1000000000' }, said),
    frame({ sum: '2', seq: '2' }, said),
    frame({ sum: 'x' }, said),
    frame({ sum: '2', seq: '0', message_id: 'half' }, said),
    frame({}, createEvent('im.message.receive_v1', { sender, message }, { app_id: 'cli_other' })),
  ])
    connections.send(bytes)
  await fake.member().say('end')
  await expect.poll(() => ear.texts).toEqual(['end'])
  expect(ear.losses).toEqual([])
})

test('a choice of a card comes over the connection, and no verification token is needed', async () => {
  const { fake, ear, platform } = await connected({ env: { FEISHU_VERIFICATION_TOKEN: undefined } })
  const member = fake.member()
  await member.say('go on')
  await expect.poll(() => ear.texts).toEqual(['go on'])
  await platform.send({ chatId: member.chatId, text: 'sure?', key: 'k1', buttons: [{ value: 'yes:1', label: 'Yes' }] })
  await member.press?.('Yes')
  await expect.poll(() => ear.received.at(-1)).toMatchObject({ press: 'yes:1', text: 'Yes' })
})

test('pings are sent as often as Feishu asks, and a service that answers none is left', async () => {
  const clock = virtualClock(Date.now())
  const { fake, ear } = await connected({ clock })
  await expect.poll(() => fake.connections.pings).toBe(1)
  await clock.advance(90_000)
  await expect.poll(() => fake.connections.pings).toBe(2)
  fake.disturb('silence')
  await clock.advance(170_000)
  expect(ear.losses).toEqual([])
  await clock.advance(100_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test('a connection that breaks is opened again with another ticket; a secret that is refused ends it', async () => {
  const { fake, ear, platform } = await connected()
  fake.disturb('flap')
  await expect.poll(() => ear.losses).toHaveLength(1)
  expect(ear.losses[0]?.final).toBeUndefined()
  expect(ear.losses[0]?.reason).not.toContain('ticket')
  await platform.connect(ear)
  await fake.member().say('again')
  await expect.poll(() => ear.texts).toEqual(['again'])
  const wrong = await stage({ env: { FEISHU_APP_SECRET: 'of another app' } })
  expect(classifyDeliveryError(await failing(wrong.platform.connect(wrong.ear)))).toEqual({ kind: 'refused' })
})

test('an app whose events go by webhook is told so when it asks for a connection', async () => {
  const fake = await openStandIn()
  const { platform, ear } = await stage({
    fake: fake as Awaited<ReturnType<typeof openStandIn>>,
    config: { events: 'connection' },
  })
  expect(String(await failing(platform.connect(ear)))).toContain('by webhook')
  await fake.close()
})
