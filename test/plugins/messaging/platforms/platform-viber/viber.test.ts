/** Stories of people in Viber. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-viber/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected } = createStages('viber', openStandIn)
const sign = (key: string, body: string) => createHmac('sha256', key).update(body).digest('hex')
const getToken = (fake: { readonly env: Readonly<Record<string, string>> }) => fake.env['VIBER_AUTH_TOKEN'] ?? ''
const ADA = 'MDEyMzQ1Njc4OWFiY2RlZg=='
const say = (token: string, text: string) =>
  `{"event":"message","message_token":${token},"sender":{"id":"${ADA}"},"message":{"type":"text","text":"${text}"}}`

tellWebhookStories({
  ...{ name: 'viber', path: '/webhooks/viber', open: openStandIn, maxTextLength: 7000 },
  hello: () => say('5741311803571721087', 'hello'),
  genuine: (fake, body) => ({ body, headers: { 'x-viber-content-signature': sign(getToken(fake), body) } }),
  forged: {
    'no signature': (_, body) => ({ body }),
    'a signature with another key': (_, body) => ({ body, headers: { 'x-viber-content-signature': sign('x', body) } }),
    'the signature of another body': (fake, body) => ({
      body,
      headers: { 'x-viber-content-signature': sign(getToken(fake), `${body} `) },
    }),
    'a signature that is cut': (fake, body) => ({
      body,
      headers: { 'x-viber-content-signature': sign(getToken(fake), body).slice(0, 62) },
    }),
  },
  malformed: ['null', '{}', `{"event":"message","sender":{"id":"${ADA}"},"message":{"type":"text","text":"x"}}`],
  silent: ['{"event":"webhook","timestamp":1}', `{"event":"seen","message_token":1,"user_id":"${ADA}"}`],
  wrongChats: ['', 'ada', '../x', '+4912345'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('two messages whose numbers JavaScript takes for one are two messages', async () => {
  const one = await connected()
  for (const token of ['5741311803571721087', '5741311803571721088']) {
    const body = say(token, `\\"message_token\\":7`)
    const headers = { 'x-viber-content-signature': sign(getToken(one.fake), body) }
    await fetch(`${one.url}/webhooks/viber`, { method: 'POST', headers, body })
  }
  expect(one.ear.received.map(({ messageId }) => messageId)).toEqual(['5741311803571721087', '5741311803571721088'])
})

test('a choice comes back, and a file is fetched from Viber only', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member()
  await platform.send({ chatId: member.chatId, text: 'Really?', key: 'k', buttons: [{ value: 'no:1', label: 'No' }] })
  await member.press?.('No')
  await expect.poll(() => ear.received).toMatchObject([{ press: 'no:1', text: 'No' }])
  const bytes = Buffer.from('a cat')
  await member.say('look', { files: [{ name: 'cat.jpg', mediaType: 'image/jpeg', bytes }] })
  await expect.poll(() => ear.received.length).toBe(2)
  const [file] = ear.received[1]?.files ?? []
  if (!file) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  for (const ref of ['http://10.0.0.1/x', 'https://viber.com.example.com/x', 'file:///etc/passwd', 'x'])
    await expect(platform.fetch?.({ ...file, ref }, { maxBytes: 9, signal })).rejects.toMatchObject({
      code: 'PLATFORM_MEDIA',
    })
})
