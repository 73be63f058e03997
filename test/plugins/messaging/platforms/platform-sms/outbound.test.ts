import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('sms', openStandIn)

const text = { chatId: '+15550101234', text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('1,600 characters fit into a text message, emoji count as two, and one more is refused', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: '😀'.repeat(800) })
  expect(fake.deliveries()[0]?.visible).toBe('😀'.repeat(800))
  const error = await failing(platform.send({ ...text, text: `${'😀'.repeat(800)}.` }))
  expect(error).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }, 0],
  ['unavailable', { kind: 'busy' }, 0],
  ['forbidden', { kind: 'refused' }, 0],
  ['lost', { kind: 'unsure' }, 0],
  ['unanswered', { kind: 'unsure' }, 1],
] as const)('a text message that meets %s fails with what is certain of it', async ([fault, failure, arrived]) => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: 'before' })
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries().filter((each) => each.raw === 'hi')).toHaveLength(arrived)
})

test('a number that said STOP is named by its last digits only', async () => {
  const { platform } = await opened()
  const error = await failing(platform.send({ ...text, chatId: '+12333' }))
  expect(String(error)).toContain('error 21211')
  const own = await failing(platform.send({ ...text, chatId: '+15550100000' }))
  expect(String(own)).toContain('…0000')
  expect(String(own)).not.toContain('5550100000')
})

test('a chat that is no number is refused without asking Twilio', async () => {
  const { platform } = await opened()
  for (const chatId of ['', 'ada', '+0123', '+1555010123412345', '555/../Messages'])
    expect(classifyDeliveryError(await failing(platform.send({ ...text, chatId })))).toEqual({ kind: 'refused' })
})

test('nothing listens at Twilio: then the message is certain not to have left', async () => {
  const { platform, fake } = await opened()
  await fake.close()
  expect(classifyDeliveryError(await failing(platform.send(text)))).toMatchObject({ kind: 'busy' })
  expect(await platform.probe()).toBe(false)
})

test('an account that was logged out ends the connection for good and says so', async () => {
  const { platform, fake, ear } = await opened()
  fake.disturb('logout')
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'sms_unauthorized' }])
  expect(ear.losses[0]?.reason).toContain('does not accept the account')
  expect(await platform.probe()).toBe(false)
})

test.for([
  ['a wrong token', { TWILIO_AUTH_TOKEN: 'e'.repeat(32) }, {}, 'PLATFORM_UNAUTHORIZED'],
  ['another account', { TWILIO_ACCOUNT_SID: `AC${'9'.repeat(32)}` }, {}, 'PLATFORM_UNAUTHORIZED'],
  ['no number', { TWILIO_PHONE_NUMBER: undefined }, {}, 'SMS_MISSING_PHONE_NUMBER'],
  ['no public address', {}, { webhook_url: '' }, 'SMS_MISSING_WEBHOOK_URL'],
  [
    'no signatures where others can reach it',
    { SMS_INSECURE_NO_SIGNATURE: '1' },
    { webhook_host: '0.0.0.0' },
    'SMS_OPEN_DOOR',
  ],
] as const)('text messages with %s are not connected, for good', async ([, env, config, code]) => {
  const { platform, ear } = await closed({ env, config })
  const error = await failing(platform.connect(ear))
  expect(error).toMatchObject({ code })
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).not.toContain('e'.repeat(32))
})

test('without an account the platform says what it needs, and is not connected', async () => {
  const { platform } = await closed({ env: { TWILIO_ACCOUNT_SID: undefined, TWILIO_AUTH_TOKEN: undefined } })
  expect(platform.missing?.()).toBe('needs TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN')
  const whole = await closed()
  expect(whole.platform.missing?.()).toBeUndefined()
})

test('unsigned text messages are taken on this machine when that is asked for', async () => {
  const { ear, url } = await opened({ env: { SMS_INSECURE_NO_SIGNATURE: 'true' }, config: { webhook_url: '' } })
  const body = new URLSearchParams({ From: '+15550109999', To: '+15550100000', MessageSid: 'SM1', Body: 'hello' })
  expect((await fetch(`${url}/webhooks/twilio`, { method: 'POST', body })).status).toBe(200)
  expect(ear.received).toHaveLength(1)
})

test.for([
  ['malformed JSON', { status: 200, body: '{"sid":' }],
  ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
  ['JSON of something else', { status: 200, body: { status: 7 } }],
  ['a fault of the server', { status: 500, body: 'oops' }],
] as const)('a service that answers with %s is not taken for Twilio', async ([, answer]) => {
  const service = await StandInServer.open(() => answer)
  onTestFinished(() => service.close())
  const { platform, ear } = await closed({ config: { base_url: service.url } })
  const error = await failing(platform.connect(ear))
  expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(classifyDeliveryError(error).kind).not.toBe('refused')
})

test('a message that was taken with a strange answer may have been sent', async () => {
  const account = { status: 'active' }
  const service = await StandInServer.open(({ method }) => ({ body: method === 'GET' ? account : 'thanks' }))
  onTestFinished(() => service.close())
  const { platform, ear } = await closed({ config: { base_url: service.url } })
  await platform.connect(ear)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual({ kind: 'unsure' })
})
