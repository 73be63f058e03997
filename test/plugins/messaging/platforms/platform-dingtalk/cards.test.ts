/** Interactive cards: choices, and messages that grow while they are written. */
import { classifyDeliveryError, type MessageButton } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { TEMPLATE } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/cards.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('dingtalk', openStandIn)
const withCards = (config: object = {}) => connected({ config: { card_template: TEMPLATE, ...config } })

const CREATE = '/v1.0/card/instances/createAndDeliver'
const buttons: readonly MessageButton[] = [
  { value: 'approve:7', label: 'Allow', style: 'primary' },
  { value: 'deny:7', label: 'Deny', style: 'danger' },
]

test.for([
  ['a person', undefined],
  ['a group', 'crowd'],
] as const)('a question in a card is answered by a button, to %s', async ([, group]) => {
  const { fake, platform, ear } = await withCards()
  const ada = fake.member(group === undefined ? {} : { group })
  const { messageId } = await platform.send({ chatId: ada.chatId, text: 'Shall **I**?', key: '1', buttons })
  expect(fake.deliveries()).toMatchObject([{ messageId, visible: 'Shall I?', buttons: ['Allow', 'Deny'] }])
  await ada.press?.('Deny')
  await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  expect(ear.received[0]).toMatchObject({
    chatId: ada.chatId,
    userId: ada.userId,
    chatKind: group === undefined ? 'dm' : 'group',
    text: 'Deny',
    press: 'deny:7',
    isMention: true,
  })
  await vi.waitFor(() => expect(fake.acks).toEqual([200]))
  await platform.edit?.({ chatId: ada.chatId, messageId, text: 'Denied.', isFinal: true })
  expect(fake.deliveries()).toMatchObject([{ visible: 'Denied.', buttons: [], versions: ['Shall **I**?', 'Denied.'] }])
})

test('a button that was shown before a restart is understood by its value', async () => {
  const first = await withCards()
  const ada = first.fake.member()
  await first.platform.send({ chatId: ada.chatId, text: 'Shall I?', key: '1', buttons })
  await first.close()
  const { ear } = await connected({ fake: first.fake, config: { card_template: TEMPLATE } })
  await ada.press?.('Allow')
  await vi.waitFor(() =>
    expect(ear.received).toMatchObject([{ chatId: ada.chatId, press: 'approve:7', text: 'approve:7' }]),
  )
  await first.fake.close()
})

test('a press that was not taken comes again, and two presses are two', async () => {
  const { fake, platform, ear } = await withCards()
  const ada = fake.member()
  await platform.send({ chatId: ada.chatId, text: 'Shall I?', key: '1', buttons })
  ear.refuse = 1
  await ada.press?.('Allow')
  await ada.press?.('Allow')
  await vi.waitFor(() => expect(ear.received).toHaveLength(2), { timeout: 10_000 })
  expect(new Set(ear.received.map(({ messageId }) => messageId)).size).toBe(2)
})

test('an answer grows in its card while it is written, and ends as a whole', async () => {
  const { fake, platform } = await withCards({ streaming: true })
  const { chatId } = fake.member()
  const { messageId } = await platform.send({ chatId, text: 'One', key: '1' })
  for (const text of ['One two', 'One two\nthree']) await platform.edit?.({ chatId, messageId, text, isFinal: false })
  expect(fake.asked('/v1.0/card/streaming')).toBe(2)
  expect(fake.asked('/v1.0/card/instances')).toBe(1)
  await platform.edit?.({ chatId, messageId, text: 'One two\nthree four', isFinal: true })
  expect(fake.deliveries()).toMatchObject([
    { versions: ['One', 'One two', 'One two  \nthree', 'One two  \nthree four'], buttons: [] },
  ])
})

test('only questions are cards while answers do not grow, and files never are', async () => {
  const { fake, platform } = await withCards()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'plain', key: '1' })
  const files = [outboundFile('a.pdf', 'PDF', { mediaType: 'application/pdf' })]
  await platform.send({ chatId, text: '', key: '2', files })
  expect(fake.asked(CREATE)).toBe(0)
  const { messageId } = await platform.send({ chatId, text: 'plain', key: '3' })
  expect(await catchCode(platform.edit?.({ chatId, messageId, text: 'x', isFinal: true }))).toBe('DINGTALK_FAILED')
})

test('without a template there are no buttons and no edits', async () => {
  const { platform } = await connected()
  expect([platform.limits.buttons, platform.edit]).toEqual([undefined, undefined])
})

test.for([
  [
    'the app may not send cards',
    (fake: Fake) => fake.refuseCards('Forbidden.AccessDenied.AccessTokenPermissionDenied'),
  ],
  ['the card is shown nowhere', (fake: Fake) => fake.hideCards('the robot is not in the group')],
  ['the template is another', undefined],
] as const)('a question goes out as text with numbers when %s', async ([, disturb]) => {
  const { fake, platform } = await withCards(disturb ? {} : { card_template: 'gone.schema' })
  disturb?.(fake)
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'Shall I?', key: '1', buttons })
  expect(fake.deliveries().map(({ raw }) => raw)).toEqual(['Shall I?  \n1. Allow  \n2. Deny'])
})
type Fake = Awaited<ReturnType<typeof openStandIn>>

test.for([
  ['busy', 'busy', 0],
  ['unavailable', 'busy', 0],
  ['lost', 'unsure', 0],
  ['unanswered', 'unsure', 1],
] as const)('a card that meets %s is not sent as text besides', async ([fault, kind, arrived]) => {
  const { fake, platform } = await withCards()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'first', key: '0', buttons })
  fake.failSends(fault)
  const failure: unknown = await platform
    .send({ chatId, text: 'hi', key: '1', buttons })
    .catch((error: unknown) => error)
  expect(classifyDeliveryError(failure).kind).toBe(kind)
  expect(fake.deliveries().filter(({ raw }) => raw.startsWith('hi'))).toHaveLength(arrived)
})
