/** Stories of people in Microsoft Teams, and of calls that the Bot Framework did not make. */
import { expect, test } from 'vitest'
import {
  FOREIGN_KEY_ID,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-teams/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected } = createStages('teams', openStandIn)
type Fake = Awaited<ReturnType<typeof openStandIn>>
const getUrl = ({ config }: Fake) => String(config['base_url'])
const now = () => Math.floor(Date.now() / 1000)

function createActivity(fake: Fake, changes: object = {}): string {
  return JSON.stringify({
    ...{ type: 'message', id: 'A-1', channelId: 'msteams', serviceUrl: getUrl(fake), text: 'hello' },
    ...{ from: { id: '29:ada', name: 'Ada' }, conversation: { id: '19:lab@thread.tacv2;messageid=7' } },
    ...changes,
  })
}

async function withToken(fake: Fake, body: string, claims: object = {}, head: object = {}) {
  return { body, headers: { authorization: `Bearer ${await fake.sign(claims, head)}` } }
}

tellWebhookStories({
  ...{ name: 'teams', path: '/api/messages', open: openStandIn, maxTextLength: 28_000 },
  hello: (fake) => createActivity(fake),
  genuine: (fake, body) =>
    withToken(fake, JSON.stringify({ ...JSON.parse(body), channelId: 'msteams', serviceUrl: getUrl(fake) })),
  forged: {
    'no token': (_, body) => ({ body }),
    'a token for another bot': (fake, body) => withToken(fake, body, { aud: 'another' }),
    'a token of another issuer': (fake, body) => withToken(fake, body, { iss: 'https://sts.windows.net/x/' }),
    'a token that has expired': (fake, body) => withToken(fake, body, { exp: now() - 600 }),
    'a token that is not valid yet': (fake, body) => withToken(fake, body, { nbf: now() + 600 }),
    'a token of an unknown key': (fake, body) => withToken(fake, body, {}, { kid: 'x' }),
    'a token of a key that vouches for another channel': (fake, body) =>
      withToken(fake, body, {}, { kid: FOREIGN_KEY_ID }),
    'a token for another service address': (fake, body) =>
      withToken(fake, body, { serviceurl: 'https://evil.example' }),
    'a service address that is not of Teams': (fake) =>
      withToken(fake, createActivity(fake, { serviceUrl: 'https://evil.example/' }), {
        serviceurl: 'https://evil.example/',
      }),
    'another channel': (fake) => withToken(fake, createActivity(fake, { channelId: 'directline' })),
    'a token without a signature': (_, body) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return { body, headers: { authorization: `Bearer ${part({ alg: 'none' })}.${part({})}.` } }
    },
  },
  malformed: ['{}', '{"type":"message","text":"x"}'],
  silent: ['{"type":"conversationUpdate","from":{"id":"29:a"},"conversation":{"id":"19:lab"}}'],
  wrongChats: ['', '../x', 'a b', 'x/y'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('a channel is a channel with threads; the name of the bot is no part of what was said', async () => {
  const one = await connected()
  const entity = { type: 'mention', text: '<at>svc</at>', mentioned: { id: `28:${one.fake.env['TEAMS_APP_ID']}` } }
  const conversation = { id: '19:lab@thread.tacv2;messageid=7', conversationType: 'channel' }
  const body = createActivity(one.fake, { text: '<at>svc</at> what is up?', entities: [entity], conversation })
  const { headers } = await withToken(one.fake, body)
  await fetch(`${one.url}/api/messages`, { method: 'POST', headers, body })
  expect(one.ear.received).toMatchObject([
    { chatId: '19:lab@thread.tacv2', threadId: '7', chatKind: 'channel', isMention: true, text: 'what is up?' },
  ])
  await one.platform.send({ chatId: '19:lab@thread.tacv2', threadId: '7', text: 'not much', key: 'k' })
  expect(one.fake.deliveries()).toMatchObject([{ chatId: '19:lab@thread.tacv2', threadId: '7', visible: 'not much' }])
})

test('a token of Teams that expires between two messages is renewed, and the message is sent once', async () => {
  const { platform, fake, ear } = await connected()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'one', key: 'k1' })
  fake.expireTokens()
  await platform.send({ chatId, text: 'two', key: 'k2' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['one', 'two'])
  expect(ear.losses).toEqual([])
})

test('a message is edited, and a choice comes back', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member()
  const { messageId } = await platform.send({ chatId: member.chatId, text: '**so**', key: 'k' })
  await platform.edit?.({ chatId: member.chatId, messageId, text: 'so *be* it', isFinal: true })
  expect(fake.deliveries()).toMatchObject([{ visible: 'so be it', versions: ['**so**', 'so *be* it'] }])
  await platform.send({ chatId: member.chatId, text: 'Really?', key: 'q', buttons: [{ value: 'yes:1', label: 'Yes' }] })
  await member.press?.('Yes')
  await expect.poll(() => ear.received).toMatchObject([{ press: 'yes:1', text: 'Yes', userId: member.userId }])
})

test('a picture is fetched with the token of the bot, and never from an address outside of Teams', async () => {
  const { platform, fake, ear } = await connected()
  const bytes = Buffer.from('a cat')
  await fake.member().say('look', { files: [{ name: 'cat.png', mediaType: 'image/png', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const [file] = ear.received[0]?.files ?? []
  const { signal } = new AbortController()
  if (!file) throw new Error('no file came')
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  for (const ref of ['https://evil.example/x', 'http://smba.trafficmanager.net/x', 'https://xsharepoint.com/x', 'x'])
    await expect(platform.fetch?.({ ...file, ref }, { maxBytes: 9, signal })).rejects.toMatchObject({
      code: 'PLATFORM_MEDIA',
    })
})

test('a wrong client secret is refused with what Microsoft says of it', async () => {
  const { stage } = createStages('teams', openStandIn)
  const { platform, ear } = await stage({ env: { TEAMS_APP_PASSWORD: 'an old one' } })
  const error = await platform.connect(ear).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(String(error)).toMatch(/AADSTS7000215: Invalid client secret provided\.\.?$/)
})
