/** Stories of people in Nextcloud Talk. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-nextcloud/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected } = createStages('nextcloud', openStandIn)
const RANDOM = 'a'.repeat(64)

function createSignature(secret: string, body: string, random = RANDOM): string {
  return createHmac('sha256', secret).update(random).update(body).digest('hex')
}

function createEvent(message: string, changes: object = {}, parameters: object = {}): string {
  return JSON.stringify({
    type: 'Create',
    actor: { type: 'Person', id: 'users/ada', name: 'Ada' },
    object: { type: 'Note', id: 7, name: 'message', content: JSON.stringify({ message, parameters }) },
    target: { type: 'Collection', id: 'abcd1234', name: 'Lab' },
    ...changes,
  })
}

const headers = (random: string, signature: string) => ({
  'x-nextcloud-talk-random': random,
  'x-nextcloud-talk-signature': signature,
})
const getSecret = (fake: { readonly env: Readonly<Record<string, string>> }) => fake.env['NEXTCLOUD_BOT_SECRET'] ?? ''

tellWebhookStories({
  ...{ name: 'nextcloud', path: '/webhooks/nextcloud', open: openStandIn, maxTextLength: 32_000 },
  hello: () => createEvent('hello'),
  genuine: (fake, body) => ({ body, headers: headers(RANDOM, createSignature(getSecret(fake), body)) }),
  forged: {
    'no signature': (_, body) => ({ body }),
    'a signature of the body alone': (fake, body) => ({
      body,
      headers: headers(RANDOM, createSignature(getSecret(fake), body, '')),
    }),
    'a signature with another random text': (fake, body) => ({
      body,
      headers: headers('b'.repeat(64), createSignature(getSecret(fake), body)),
    }),
    'another secret': (_, body) => ({ body, headers: headers(RANDOM, createSignature('guessed', body)) }),
  },
  malformed: ['null', '[]', '{"type":"Create"}'],
  silent: [
    createEvent('x', { type: 'Like' }),
    createEvent('x', { object: { type: 'Note', id: 1, name: 'user_added', content: '{}' } }),
    createEvent('x', { type: 'Join', object: { type: 'Application', id: 'bots/svc', name: 'svc' } }),
  ],
  wrongChats: ['', '../message', 'Abcd', 'a/b'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('in a group the bot is addressed by its name; people stand in the text by theirs, and programs say that they are', async () => {
  const one = await connected({ config: { direct_chats: [] } })
  const post = async (body: string) =>
    fetch(`${one.url}/webhooks/nextcloud`, {
      ...{ method: 'POST', body, headers: headers(RANDOM, createSignature(getSecret(one.fake), body)) },
    })
  const parameters = { 'mention-user1': { type: 'user', id: 'bob', name: 'Bob' } }
  await post(createEvent('ask {mention-user1}, @svc!', {}, parameters))
  await post(createEvent('me@svc.example is no mention', { actor: { type: 'Application', id: 'bots/x', name: 'X' } }))
  expect(one.ear.received).toMatchObject([
    { chatId: 'abcd1234', userId: 'ada', chatKind: 'group', text: 'ask @Bob, !', isMention: true },
    { userId: 'bots/x', isBot: true },
  ])
  expect(one.ear.received[1]?.isMention).toBeUndefined()
})

test('a Nextcloud without bots, and one in maintenance, are told apart', async () => {
  const { StandInServer } = await import('svc/sdk/kit/stand-in')
  const { stage } = createStages('nextcloud', openStandIn)
  const answers = [
    [{ status: 503, body: '<html>Maintenance</html>' }, 'PLATFORM_UNREACHABLE'],
    [{ body: { ocs: { data: { capabilities: { spreed: { features: [] } } } } } }, 'PLATFORM_REFUSED'],
  ] as const
  for (const [answer, code] of answers) {
    const service = await StandInServer.open(() => answer)
    const { platform, ear } = await stage({ env: { NEXTCLOUD_URL: service.url } })
    await expect(platform.connect(ear)).rejects.toMatchObject({ code })
    await service.close()
  }
})
