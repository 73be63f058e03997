/** Stories of people in Google Chat, and of calls that it did not make. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-googlechat/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected, stage } = createStages('googlechat', openStandIn)
type Fake = Awaited<ReturnType<typeof openStandIn>>
const now = () => Math.floor(Date.now() / 1000)

function createEvent(changes: object = {}): string {
  return JSON.stringify({
    ...{ type: 'MESSAGE', space: { name: 'spaces/A', spaceType: 'DIRECT_MESSAGE' }, user: { name: 'users/1' } },
    message: { name: 'spaces/A/messages/1', text: 'hello' },
    ...changes,
  })
}

async function withToken(fake: Fake, body: string, claims: object = {}) {
  return { body, headers: { authorization: `Bearer ${await fake.sign(claims)}` } }
}

tellWebhookStories({
  ...{ name: 'googlechat', path: '/webhooks/googlechat', open: openStandIn, maxTextLength: 4000, isIdempotent: true },
  hello: () => createEvent(),
  genuine: withToken,
  forged: {
    'no token': (_, body) => ({ body }),
    'a token for another project': (fake, body) => withToken(fake, body, { aud: '999' }),
    'a token of another account': (fake, body) => withToken(fake, body, { iss: 'me@project.iam.gserviceaccount.com' }),
    'a token that has expired': (fake, body) => withToken(fake, body, { exp: now() - 600 }),
    'a token without an end': (fake, body) => withToken(fake, body, { exp: undefined }),
    'no token, but a cookie': (_, body) => ({ body, headers: { cookie: 'a=b' } }),
  },
  malformed: ['null', '{}', '{"type":"MESSAGE"}'],
  silent: [createEvent({ type: 'ADDED_TO_SPACE', message: undefined }), createEvent({ type: 'REMOVED_FROM_SPACE' })],
  wrongChats: ['', 'A', 'spaces/', 'spaces/../users'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('an app with the address as audience takes tokens of Google that say that Chat asked, and no others', async () => {
  const audience = 'https://svc.example.com/webhooks/googlechat'
  const one = await connected({ env: { GOOGLE_CHAT_AUDIENCE: audience } })
  const email = 'chat@system.gserviceaccount.com'
  const usual = { iss: 'https://accounts.google.com', aud: audience, email, email_verified: true }
  const post = async (claims: object) => {
    const { body, headers } = await withToken(one.fake, createEvent(), claims)
    return (await fetch(`${one.url}/webhooks/googlechat`, { method: 'POST', headers, body })).status
  }
  expect(await post({ ...usual, email: 'someone@gmail.com' })).toBe(401)
  expect(await post({ ...usual, email_verified: false })).toBe(401)
  expect(await post({ ...usual, aud: 'https://other.example.com' })).toBe(401)
  expect(await post({})).toBe(401)
  expect(await post(usual)).toBe(200)
  expect(await post({ ...usual, email: 'service-12@gcp-sa-gsuiteaddons.iam.gserviceaccount.com' })).toBe(200)
})

test('in a space the app is addressed, is answered in the thread, and its name is no part of what was said', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member({ group: 'lab' })
  await member.say('what is up?', { mention: true, threadId: 'T1' })
  await expect
    .poll(() => ear.received)
    .toMatchObject([{ chatKind: 'group', isMention: true, threadId: 'T1', text: 'what is up?', userId: member.userId }])
  await platform.send({ chatId: member.chatId, threadId: 'T1', text: 'not much', key: 'k' })
  expect(fake.deliveries()).toMatchObject([{ threadId: 'T1', visible: 'not much' }])
})

test('a token that expires between two messages is renewed, and the message is sent once', async () => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'one', key: 'k1' })
  fake.expireTokens()
  await platform.send({ chatId, text: 'two', key: 'k2' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['one', 'two'])
})

test('a message is edited, a choice comes back, and a file is fetched', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member()
  const { messageId } = await platform.send({ chatId: member.chatId, text: '*so*', key: 'k' })
  await platform.edit?.({ chatId: member.chatId, messageId, text: 'so _be_ it', isFinal: true })
  expect(fake.deliveries()).toMatchObject([{ visible: 'so be it', versions: ['*so*', 'so _be_ it'] }])
  await platform.send({ chatId: member.chatId, text: 'Really?', key: 'q', buttons: [{ value: 'yes:1', label: 'Yes' }] })
  await member.press?.('Yes')
  await expect.poll(() => ear.received).toMatchObject([{ press: 'yes:1', text: 'Yes', userId: member.userId }])
  const bytes = Buffer.from('a cat')
  await member.say('look', { files: [{ name: 'cat.png', mediaType: 'image/png', bytes }] })
  await expect.poll(() => ear.received.length).toBe(2)
  const [file] = ear.received[1]?.files ?? []
  const { signal } = new AbortController()
  expect(file && Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
})

test('what is no key of a service account is refused, and not repeated', async () => {
  for (const key of ['a secret', '{"client_email":"x","private_key":"a secret"}']) {
    const { platform, ear } = await stage({ env: { GOOGLE_CHAT_SERVICE_ACCOUNT: key } })
    const error = await platform.connect(ear).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
    expect(String(error)).not.toContain('a secret')
  }
})
