/** Stories of people in Synology Chat. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-synology/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected } = createStages('synology', openStandIn)
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const getToken = (fake: { readonly env: Readonly<Record<string, string>> }) => fake.env['SYNOLOGY_CHAT_TOKEN'] ?? ''

tellWebhookStories({
  ...{ name: 'synology', path: '/webhooks/synology', open: openStandIn, maxTextLength: 2000 },
  hello: () => 'user_id=5&username=ada&post_id=9&text=hello',
  genuine: (fake, body) => ({ body: `${body}&token=${getToken(fake)}`, headers: form }),
  forged: {
    'no token': (_, body) => ({ body, headers: form }),
    'an empty token': (_, body) => ({ body: `${body}&token=`, headers: form }),
    'another token': (_, body) => ({ body: `${body}&token=guessed`, headers: form }),
    'the token in JSON': (fake) => ({ body: JSON.stringify({ token: getToken(fake), user_id: 5, text: 'x' }) }),
    'a press without a token': () => ({ body: 'payload={"actions":[{"value":"x"}]}', headers: form }),
  },
  malformed: ['user_id=5', 'user_id=ada&post_id=1&text=x', 'text=x'],
  wrongChats: ['', 'ada', '-5', '5,6'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('a choice comes back with its value and its label', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member()
  const buttons = [{ value: 'approve:1', label: 'Yes, go on', style: 'primary' as const }]
  await platform.send({ chatId: member.chatId, text: 'Really?', key: 'k', buttons })
  await member.press?.('Yes, go on')
  await expect
    .poll(() => ear.received)
    .toMatchObject([{ press: 'approve:1', text: 'Yes, go on', userId: member.userId }])
})
