import { classifyDeliveryError, type Platform } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-signal/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('signal', openStandIn)

const SELF = '5f3c9a10-0000-4000-8000-0000000000aa'

const catchFailure = (platform: Platform, chatId: string) =>
  platform.send({ chatId, text: 'hi', key: 'key' }).then(
    () => undefined,
    (error) => ({ ...classifyDeliveryError(error), code: error.code }),
  )

test('an answer goes to a person or to a group, as a reply, with its styles', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const text = `${markup.bold?.[0]}done${markup.bold?.[1]}: ${markup.escape?.('1 \ufdd0< 2')}`
  const { messageId } = await platform.send({ chatId, text, key: '1', replyTo: `777-${chatId}` })
  expect(messageId).toMatch(new RegExp(`^\\d+-${SELF}$`))
  expect(fake.lastSend()).toEqual({
    account: '+15550100',
    recipient: [chatId],
    message: 'done: 1 < 2',
    textStyle: ['0:4:BOLD'],
    quoteTimestamp: 777,
    quoteAuthor: chatId,
  })
  const crowd = fake.member({ group: 'crowd' })
  await platform.send({ chatId: crowd.chatId, text: 'hi all', key: '2', replyTo: 'of another platform' })
  expect(fake.lastSend()).toEqual({ account: '+15550100', groupId: crowd.chatId, message: 'hi all' })
})

test('a file goes out as an address of data, whatever it is called', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const file = outboundFile('Übersicht; v=2, "neu".pdf', '%PDF', { mediaType: 'application/pdf' })
  await platform.send({ chatId, text: '', key: '1', files: [file] })
  expect(fake.deliveries()[0]?.files).toEqual([{ name: 'Übersicht__v_2___neu_.pdf', bytes: Buffer.from('%PDF') }])
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000, code: 'SIGNAL_LIMITED' }],
  ['unavailable', { kind: 'busy', code: 'SIGNAL_FAILED' }],
  ['lost', { kind: 'unsure', code: 'SIGNAL_FAILED' }],
  ['unanswered', { kind: 'unsure', code: 'SIGNAL_FAILED' }],
  ['forbidden', { kind: 'refused', code: 'SIGNAL_FAILED' }],
] as const)('a send to Signal that goes wrong as "%s" is judged as it deserves', async ([fault, expected]) => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  fake.failSends(fault)
  expect(await catchFailure(platform, chatId)).toEqual(expected)
  expect(fake.deliveries()).toHaveLength(fault === 'unanswered' ? 1 : 0)
  expect(await catchFailure(platform, chatId)).toBeUndefined()
})

test.for([
  ['RATE_LIMIT_FAILURE', 'busy'],
  ['NETWORK_FAILURE', 'unsure'],
  ['UNREGISTERED_FAILURE', 'refused'],
  ['IDENTITY_FAILURE', 'refused'],
  ['SOMETHING_NEW', 'unsure'],
] as const)('a recipient that ended as %s makes the send %s', async ([type, kind]) => {
  const { fake, platform } = await connected()
  fake.answerNext({ timestamp: 1, results: [{ type, retryAfterSeconds: 7 }] })
  expect(await catchFailure(platform, fake.member().chatId)).toMatchObject({ kind })
})

test('a message to a group counts as sent when someone has it', async () => {
  const { fake, platform } = await connected()
  const results = [{ type: 'NETWORK_FAILURE' }, { type: 'SUCCESS' }]
  fake.answerNext({ timestamp: 42, results })
  const { chatId } = fake.member({ group: 'crowd' })
  expect(await platform.send({ chatId, text: 'hi', key: '1' })).toEqual({ messageId: `42-${SELF}` })
})

test.for([
  [{ code: -3, message: 'Failed to send: connection closed' }, 'unsure'],
  [{ code: -4, message: 'Untrusted identity' }, 'refused'],
  [{ code: -5, message: 'Rate limited', data: { response: { results: [{ retryAfterSeconds: 86_400 }] } } }, 'busy'],
  [{ code: -1, message: 'Unknown group' }, 'refused'],
  [{ code: -32_603, message: 'Internal error' }, 'unsure'],
] as const)('signal-cli says %o, which makes the send %s', async ([error, kind]) => {
  const { fake, platform, ear } = await connected()
  fake.failNext(error)
  expect(await catchFailure(platform, fake.member().chatId)).toMatchObject({ kind })
  expect(ear.losses).toEqual([])
})

test('a result that says nothing is not taken for a success', async () => {
  const { fake, platform } = await connected()
  fake.answerNext({})
  expect(await catchFailure(platform, fake.member().chatId)).toMatchObject({ kind: 'unsure' })
})

test('ten thousand emoji are one message of Signal, blanks and bytes that are none are not lost', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const text = '😀'.repeat(10_000)
  await platform.send({ chatId, text, key: '1' })
  expect(fake.deliveries()[0]?.visible).toBe(text)
  await expect(platform.send({ chatId, text: '👩‍👩‍👧‍👦'.repeat(10_000), key: '2' })).rejects.toThrow('too long')
})

test('an account that the daemon does not have is said at once and not tried again', async () => {
  const { platform, ear } = await stage({ env: { SIGNAL_ACCOUNT: '+15559999' } })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'SIGNAL_UNAUTHORIZED' })
  expect(classifyDeliveryError(failure).kind).toBe('refused')
  expect(failure.message).toContain('signal-cli link')
})

test('an account of Signal that is logged out is told once and for good, by a send or by a probe', async () => {
  const { fake, platform, ear } = await connected()
  fake.disturb('logout')
  expect(await catchFailure(platform, fake.member().chatId)).toMatchObject({
    kind: 'refused',
    code: 'SIGNAL_UNAUTHORIZED',
  })
  expect(ear.losses).toHaveLength(1)
  expect(ear.losses[0]).toMatchObject({ final: true, code: 'signal_unauthorized' })
  const other = await connected()
  other.fake.disturb('logout')
  expect(await other.platform.probe()).toBe(false)
  expect(other.ear.losses).toMatchObject([{ final: true }])
  await expect(other.platform.connect(other.ear)).rejects.toMatchObject({ code: 'SIGNAL_UNAUTHORIZED' })
})

test('a daemon for one account lists none and is used all the same', async () => {
  const fake = await openStandIn()
  fake.isMulti = false
  const { platform, ear } = await connected({ fake })
  await fake.member().say('hi')
  await vi.waitFor(() => expect(ear.texts).toEqual(['hi']))
  const { messageId } = await platform.send({ chatId: fake.member().chatId, text: 'hi', key: '1' })
  expect(messageId).toMatch(/-\+15550100$/)
  await fake.close()
})

test('a daemon that is not there, and what is no signal-cli, are said', async () => {
  const fake = await openStandIn()
  const { platform, ear } = await stage({ fake })
  await fake.close()
  const failure = await platform.connect(ear).catch((error) => error)
  expect(classifyDeliveryError(failure).kind).toBe('busy')
  expect(failure.message).toContain('signal-cli')
  expect(await platform.probe()).toBe(false)
})

test('what is missing to connect to Signal is said as a sentence', async () => {
  const missing = async (env: Record<string, string>, config = {}) =>
    (await stage({ env: { SIGNAL_ACCOUNT: undefined, ...env }, config })).platform.missing?.()
  expect(await missing({})).toContain('SIGNAL_ACCOUNT')
  expect(await missing({ SIGNAL_ACCOUNT: '+15550100' }, { http_url: 'localhost:8080' })).toContain('http://')
  expect(await missing({}, { account: 15550100 })).toBeUndefined()
})
