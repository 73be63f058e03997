import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { connectedBooth, Ear, openBooth } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const PATIENCE = { timeout: 10_000 }

async function provider() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const { config, env } = await fake.tokens.open()
  return { fake, place: { config: { ...fake.config, ...config }, env } }
}

const catchFailure = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { code: errorCode(error), kind: classifyDeliveryError(error).kind, text: String(error) }
}

test('a refresh token opens both servers, with one access token', async () => {
  const { fake, place } = await provider()
  const { platform, ear } = await connectedBooth('email', place)
  const ann = fake.member()
  await ann.say('hello')
  await vi.waitFor(() => expect(ear.texts).toEqual(['hello']), PATIENCE)
  await platform.send({ chatId: ann.chatId, text: 'hi', key: 'k' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['hi'])
  expect(fake.tokens.asked).toBe(1)
})

test('an access token that has ended or was withdrawn is replaced during the send', async () => {
  const { fake, place } = await provider()
  const clock = virtualClock()
  const { platform } = await connectedBooth('email', { ...place, clock })
  const { chatId } = fake.member()
  fake.tokens.withdraw()
  await platform.send({ chatId, text: 'withdrawn', key: '1' })
  expect(fake.tokens.asked).toBe(2)
  await clock.advance(3_540_001)
  await platform.send({ chatId, text: 'ended', key: '2' })
  expect(fake.tokens.asked).toBe(3)
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['withdrawn', 'ended'])
})

test('an access token that only the mailbox refuses is replaced, too', async () => {
  const { fake, place } = await provider()
  fake.tokens.refusedByImap = 1
  const { platform } = await connectedBooth('email', place)
  expect(await platform.probe()).toBe(true)
  expect(fake.tokens.asked).toBe(2)
})

test('a refresh token that the service has replaced is known after a restart, and only to the user', async () => {
  const { place } = await provider()
  const home = temporaryFolder()
  const first = await connectedBooth('email', { ...place, home })
  await first.close()
  const second = await connectedBooth('email', { ...place, home })
  expect(await second.platform.probe()).toBe(true)
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('oauth.json'))
  expect(found.map((name) => statSync(join(home, name)).mode & 0o777)).toEqual([0o600])
})

test('another configured refresh token takes the place of a stored one', async () => {
  const { fake, place } = await provider()
  const home = temporaryFolder()
  const first = await connectedBooth('email', { ...place, home })
  await first.close()
  fake.tokens.refresh = 'from-a-new-sign-in'
  const env = { ...place.env, EMAIL_OAUTH_REFRESH_TOKEN: 'from-a-new-sign-in' }
  const second = await connectedBooth('email', { ...place, env, home })
  expect(await second.platform.probe()).toBe(true)
})

test('a grant that was withdrawn ends it until a person signs in again', async () => {
  const { fake, place } = await provider()
  fake.tokens.refresh = 'another'
  const { platform } = await openBooth('email', place)
  const failure = await catchFailure(platform.connect(new Ear()))
  expect(failure).toMatchObject({ code: 'EMAIL_UNAUTHORIZED', kind: 'refused' })
  expect(failure.text).toContain('EMAIL_OAUTH_REFRESH_TOKEN')
  expect(failure.text).not.toContain(place.env['EMAIL_OAUTH_REFRESH_TOKEN'])
})

test('a token endpoint under maintenance is asked again, and no message is lost or in doubt', async () => {
  const { fake, place } = await provider()
  const { platform } = await connectedBooth('email', place)
  fake.tokens.withdraw()
  fake.tokens.broken = 503
  const { chatId } = fake.member()
  const send = () => platform.send({ chatId, text: 'later', key: 'k' })
  expect(await catchFailure(send())).toMatchObject({ code: 'EMAIL_TOKEN', kind: 'busy' })
  fake.tokens.broken = undefined
  await send()
  expect(fake.deliveries()).toHaveLength(1)
})

test('a server that accepts no token says what to check, after a second one', async () => {
  const { fake, place } = await provider()
  const config = { ...place.config, login: 'another-account@fake.example' }
  const { platform } = await openBooth('email', { ...place, config })
  const failure = await catchFailure(platform.connect(new Ear()))
  expect(failure).toMatchObject({ code: 'EMAIL_UNAUTHORIZED', kind: 'refused' })
  expect(failure.text).toContain('platforms.email.login')
  expect(fake.tokens.asked).toBe(2)
})

test('a program of the owner gives tokens, and is asked again when one is refused', async () => {
  const { fake, place } = await provider()
  const first = fake.tokens.issue()
  const script = `process.stdout.write(require('node:fs').readFileSync(process.argv[1]))`
  const file = join(temporaryFolder(), 'token')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, `${first}\n`)
  const env = { EMAIL_PASSWORD: undefined, EMAIL_OAUTH_REFRESH_TOKEN: undefined }
  const config = { ...place.config, oauth_command: [process.execPath, '-e', script, file] }
  const { platform } = await connectedBooth('email', { config, env })
  fake.tokens.withdraw()
  writeFileSync(file, fake.tokens.issue())
  await platform.send({ chatId: fake.member().chatId, text: 'hi', key: 'k' })
  expect(fake.deliveries()).toHaveLength(1)
  fake.tokens.withdraw()
  writeFileSync(file, 'Please sign in first')
  expect(await catchFailure(platform.send({ chatId: 'a@b.example', text: 'hi', key: 'l' }))).toMatchObject({
    code: 'EMAIL_TOKEN',
    kind: 'busy',
  })
})

test.for([
  [{ oauth_token_url: '' }, {}, 'oauth_token_url'],
  [{ oauth_token_url: 'http://login.example/token' }, {}, 'unencrypted'],
  [{}, { EMAIL_OAUTH_CLIENT_ID: undefined }, 'EMAIL_OAUTH_CLIENT_ID'],
  [{ reply_to: 'no address' }, {}, 'reply_to'],
] as const)('what is missing is said before anything is opened: %o', async ([more, variables, said]) => {
  const { place } = await provider()
  const { platform } = await openBooth('email', {
    config: { ...place.config, ...more },
    env: { ...place.env, ...variables },
  })
  expect(platform.missing?.()).toContain(said)
})
