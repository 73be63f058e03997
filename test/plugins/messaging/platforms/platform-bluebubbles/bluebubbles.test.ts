/** Stories of people in iMessage. */
import { outboundFile } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-bluebubbles/stand-in/service.ts'
import { mp3Frames, opus } from '../../../../support/pictures.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { tellWebhookStories } from '../../../../support/webhook-stories.ts'

const { connected } = createStages('bluebubbles', openStandIn)
const getPassword = (fake: { readonly env: Readonly<Record<string, string>> }) => fake.env['BLUEBUBBLES_PASSWORD'] ?? ''

function createMessage(changes: object = {}): string {
  const chats = [{ guid: 'iMessage;-;+4912345' }]
  const data = { guid: 'G-1', text: 'hello', isFromMe: false, handle: { address: '+4912345' }, chats, ...changes }
  return JSON.stringify({ type: 'new-message', data })
}

tellWebhookStories({
  ...{ name: 'bluebubbles', path: '/webhooks/bluebubbles', open: openStandIn, maxTextLength: 4000 },
  hello: () => createMessage(),
  genuine: (fake, body) => ({ body, query: `?password=${getPassword(fake)}` }),
  forged: {
    'no password': (_, body) => ({ body }),
    'an empty password': (_, body) => ({ body, query: '?password=' }),
    'another password': (_, body) => ({ body, query: '?password=guessed' }),
    'the password in a header': (fake, body) => ({ body, headers: { password: getPassword(fake) } }),
  },
  malformed: ['null', '{}', '{"type":"new-message","data":{}}'],
  silent: [
    '{"type":"typing-indicator","data":{}}',
    createMessage({ isFromMe: true }),
    createMessage({ associatedMessageGuid: 'p:0/G-0' }),
  ],
  wrongChats: ['', '+4912345', 'iMessage;-;', 'x;-;y'],
  faults: { busy: 'busy', unavailable: 'busy', forbidden: 'refused', lost: 'unsure', unanswered: 'unsure' },
})

test('a group is a group, files come in and go out, and the sign that stands for a file is no word', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member({ group: 'lab' })
  const bytes = Buffer.from('a cat')
  await member.say('look', { files: [{ name: 'cat.jpg', mediaType: 'image/jpeg', bytes }] })
  await expect.poll(() => ear.received).toMatchObject([{ chatKind: 'group', text: 'look', userId: member.userId }])
  const [file] = ear.received[0]?.files ?? []
  const { signal } = new AbortController()
  if (!file) throw new Error('no file came')
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await platform.send({ chatId: member.chatId, text: '', key: 'k', files: [outboundFile('a.txt', 'words')] })
  expect(fake.deliveries()[0]?.files.map(({ name }) => name)).toEqual(['a.txt'])
})

test('with the private API an MP3 is a recording of Messages; other sounds are files', async () => {
  const { connected: opened } = createStages('bluebubbles', () => openStandIn({ hasPrivateApi: true }))
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  const mp3 = outboundFile('a.mp3', mp3Frames(40), { mediaType: 'audio/mpeg', isVoice: true })
  const ogg = outboundFile('b.ogg', opus([20]), { mediaType: 'audio/ogg', isVoice: true })
  const { isVoice: _, ...song } = mp3
  for (const [at, file] of [mp3, ogg, song].entries())
    await platform.send({ chatId, text: '', key: `${at}`, files: [file] })
  const files = fake.deliveries().flatMap((each) => each.files)
  expect(files.map(({ name, isVoice }) => [name, isVoice])).toEqual([
    ['a.mp3', true],
    ['b.ogg', undefined],
    ['a.mp3', undefined],
  ])
})
