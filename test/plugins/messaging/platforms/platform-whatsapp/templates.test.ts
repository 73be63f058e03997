/** Messages after 24 hours, and groups. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('whatsapp', openStandIn)
const TEMPLATE = { template_name: 'svc_news' }

test('a message after 24 hours goes out in the approved template', async () => {
  const { fake, platform } = await connected({ config: TEMPLATE })
  const { chatId } = fake.member()
  fake.silence(chatId)
  await platform.send({ chatId, text: 'The build\n\n\tis      *done*.', key: '1' })
  const buttons = [
    { value: 'a', label: 'Go on' },
    { value: 'b', label: 'Stop' },
  ]
  await platform.send({ chatId, text: 'And now?', key: '2', buttons })
  await platform.send({ chatId, text: '😀'.repeat(600), key: '3' })
  expect(fake.types()).toEqual(['template', 'template', 'template'])
  const [first, second, third] = fake.deliveries().map(({ raw }) => raw)
  expect([first, second]).toEqual([
    'A message for you: The build · is *done*.',
    'A message for you: And now? (Go on / Stop)',
  ])
  expect(third).toMatch(/^A message for you: (😀){400,450}…$/u)
})

test('within 24 hours the template is not used, also not after other refusals', async () => {
  const { fake, platform } = await connected({ config: TEMPLATE })
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'hi', key: '1' })
  fake.failSends('unavailable')
  await platform.send({ chatId, text: 'hi', key: '2' }).catch(() => undefined)
  expect(fake.types()).toEqual(['text'])
})

test('when it is known that the 24 hours are over, the template is sent at once', async () => {
  const clock = virtualClock()
  const { fake, platform, ear } = await connected({ config: TEMPLATE, clock })
  const ada = fake.member()
  await ada.say('hi')
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(1)
  await clock.advance(86_400_001)
  // The stand-in would take a text: its own clock has not moved.
  await platform.send({ chatId: ada.chatId, text: 'news', key: '1' })
  expect(fake.types()).toEqual(['template'])
})

test('a file has no place in the template, and without a template the reason says what to set', async () => {
  const { fake, platform } = await connected({ config: TEMPLATE })
  const { chatId } = fake.member()
  fake.silence(chatId)
  const files = [outboundFile('a.pdf', 'PDF', { mediaType: 'application/pdf' })]
  expect(await catchCode(platform.send({ chatId, text: '', key: '1', files }))).toBe('WHATSAPP_WINDOW')
  const plain = await connected()
  const other = plain.fake.member()
  plain.fake.silence(other.chatId)
  const failure = await plain.platform
    .send({ chatId: other.chatId, text: 'hi', key: '1' })
    .catch((error: Error) => error)
  expect(classifyDeliveryError(failure)).toEqual({ kind: 'refused' })
  expect(String(failure)).toContain('template_name')
})

test.for([
  ['another name', { template_name: 'not_approved' }],
  ['another language', { ...TEMPLATE, template_language: 'de' }],
] as const)('a template that Meta does not know is refused for good: %s', async ([, config]) => {
  const { fake, platform } = await connected({ config })
  const { chatId } = fake.member()
  fake.silence(chatId)
  const failure: unknown = await platform.send({ chatId, text: 'hi', key: '1' }).catch((error: unknown) => error)
  expect(classifyDeliveryError(failure).kind).toBe('refused')
  expect(String(failure)).toContain('does not exist')
})

test('in a group the number is addressed by an answer and by its name, and people keep their ids', async () => {
  const { fake, platform, ear } = await connected()
  const [ada, bob] = ['15550100001', '15550100002'].map((userId) => fake.member({ userId, group: 'lab' }))
  if (!ada || !bob) throw new Error('the members are missing')
  const { messageId } = await platform.send({ chatId: ada.chatId, text: 'I am here', key: '1' })
  await ada.say('just talking')
  await bob.say('what is new?', { mention: true })
  await ada.say('and then?', { quote: messageId })
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(3)
  expect(
    ear.received.map(({ chatId, userId, text, isMention, chatKind }) => [chatId, userId, text, isMention, chatKind]),
  ).toEqual([
    [ada.chatId, '15550100001', 'just talking', false, 'group'],
    [ada.chatId, '15550100002', 'what is new?', true, 'group'],
    [ada.chatId, '15550100001', 'and then?', true, 'group'],
  ])
  expect(fake.deliveries()[0]?.chatId).toBe(ada.chatId)
})

test('groups take no buttons, no typing and no receipts: choices are numbered', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member({ group: 'lab' })
  await ada.say('hi', { mention: true })
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(1)
  const buttons = [
    { value: 'a', label: 'Yes' },
    { value: 'b', label: 'No' },
  ]
  await platform.send({ chatId: ada.chatId, text: 'Shall I?', key: '1', buttons })
  await platform.typing?.(ada.chatId)
  expect(fake.deliveries().map(({ raw, buttons: shown }) => [raw, shown])).toEqual([['Shall I?\n1. Yes\n2. No', []]])
  expect(fake.reads()).toBe(0)
  fake.silence(ada.chatId)
  const old = await connected({ fake, config: TEMPLATE })
  await old.platform.send({ chatId: ada.chatId, text: 'later', key: '2' })
  expect(fake.types()).toEqual(['text', 'template'])
})
