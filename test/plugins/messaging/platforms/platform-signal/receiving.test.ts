import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { streamEvents } from '../../../../../plugins/messaging/platforms/platform-signal/event-stream.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('signal', openStandIn)

const ADA = '5f3c9a10-0000-4000-8000-000000000001'
const BOB = '5f3c9a10-0000-4000-8000-000000000002'
const SELF = '5f3c9a10-0000-4000-8000-0000000000aa'

const from = (userId: string, more: object) => ({ sourceUuid: userId, sourceNumber: '+15550111', ...more })
const said = (more: object) => from(ADA, { dataMessage: { timestamp: 1000, message: 'hi', ...more } })

test('a person is known by the account id, not by the number, and a group by its own', async () => {
  const { fake, ear } = await connected()
  fake.event(said({}))
  fake.event(said({ timestamp: 2000, groupInfo: { groupId: 'Z3JvdXA=', groupName: 'Friends' } }))
  fake.event({
    source: '+15550123',
    sourceNumber: '+15550123',
    dataMessage: { timestamp: 3000, message: 'old client' },
  })
  await vi.waitFor(() => expect(ear.received).toHaveLength(3))
  expect(ear.received).toMatchObject([
    { userId: ADA, chatId: ADA, chatKind: 'dm', messageId: `1000-${ADA}`, at: 1000 },
    { userId: ADA, chatId: 'Z3JvdXA=', chatKind: 'group', chatName: 'Friends' },
    { userId: '+15550123', chatId: '+15550123' },
  ])
})

test('a mention of the agent addresses it and is left out; those of others become names', async () => {
  const { fake, ear } = await connected()
  const mention = (uuid: string, start: number, name: string) => ({ uuid, number: null, name, start, length: 1 })
  const mentions = [mention(SELF, 0, '+15550100'), mention(BOB, 11, 'Bob')]
  fake.event(said({ message: '\ufffc please ask \ufffc!', mentions: [mentions[0], mention(BOB, 13, 'Bob')] }))
  await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  expect(ear.received[0]).toMatchObject({ text: 'please ask @Bob!', isMention: true })
  fake.event(said({ timestamp: 2, message: 'out of range', mentions }))
  await vi.waitFor(() => expect(ear.received[1]).toMatchObject({ text: 'out of range' }))
})

test('an answer to what the agent said on Signal addresses it, and one to others does not', async () => {
  const { fake, ear } = await connected()
  const quote = { id: 500, author: '+15550100', authorNumber: '+15550100', authorUuid: SELF, text: 'my words' }
  fake.event(said({ quote }))
  fake.event(said({ timestamp: 1001, quote: { ...quote, author: ADA, authorNumber: null, authorUuid: ADA } }))
  await vi.waitFor(() => expect(ear.received).toHaveLength(2))
  expect(ear.received[0]).toMatchObject({ isMention: true, quote: { messageId: `500-${SELF}`, text: 'my words' } })
  expect(ear.received[1]).toMatchObject({ isMention: false, quote: { messageId: `500-${ADA}` } })
})

test('receipts, typing, stories, reactions, edits, deletions, own words and nonsense are not answered', async () => {
  const { fake, ear } = await connected()
  const sentMessage = { timestamp: 1, message: 'note', destinationUuid: SELF, destinationNumber: '+15550100' }
  const odd: (object | string)[] = [
    from(ADA, { receiptMessage: { when: 1, isDelivery: true, timestamps: [1] } }),
    from(ADA, { typingMessage: { action: 'STARTED', timestamp: 1 } }),
    from(ADA, { storyMessage: { textAttachment: { text: 'story' } } }),
    from(ADA, { editMessage: { targetSentTimestamp: 1, dataMessage: { timestamp: 2, message: 'edited' } } }),
    said({ reaction: { emoji: '👍', targetSentTimestamp: 1 }, message: null }),
    said({ remoteDelete: { timestamp: 1 }, message: null }),
    said({ storyContext: { sentTimestamp: 1 } }),
    said({ message: null }),
    said({ message: ' \n\t ' }),
    said({ message: 7 }),
    from(SELF, { syncMessage: { sentMessage } }),
    from(SELF, { dataMessage: { timestamp: 9, message: 'echo' } }),
    {},
    'not json {',
    '[]',
    'null',
  ]
  for (const event of odd) fake.event(event)
  fake.event(said({ timestamp: 5000, message: 'real' }))
  await vi.waitFor(() => expect(ear.texts).toEqual(['real']))
})

test('a note to oneself is a message only when the owner wants it so', async () => {
  const { fake, ear } = await connected({ config: { note_to_self: true } })
  const sent = (more: object) =>
    from(SELF, { syncMessage: { sentMessage: { timestamp: 1, message: 'note', ...more } } })
  fake.event(sent({ destinationUuid: ADA }))
  fake.event(sent({ destinationUuid: SELF }))
  await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  expect(ear.received[0]).toMatchObject({ chatId: SELF, userId: SELF, text: 'note', chatKind: 'dm' })
})

test('an event in the frame of JSON-RPC is understood as well', async () => {
  const { fake, ear } = await connected()
  fake.event(JSON.stringify({ jsonrpc: '2.0', method: 'receive', params: { envelope: said({}) } }))
  const result = { envelope: said({ timestamp: 2 }) }
  fake.event(JSON.stringify({ jsonrpc: '2.0', method: 'receive', params: { subscription: 0, result } }))
  await vi.waitFor(() => expect(ear.texts).toEqual(['hi', 'hi']))
})

test('a file of Signal comes with its kind and size, is fetched, and too large ones are not', async () => {
  const { fake, platform, ear } = await connected()
  const crowd = fake.member({ group: 'crowd' })
  const bytes = Buffer.from('hello '.repeat(2000))
  await crowd.say('', { files: [{ name: 'a.txt', mediaType: 'text/plain', bytes }] })
  await crowd.say('', { files: [{ name: '', mediaType: 'audio/aac', bytes }] })
  await vi.waitFor(() => expect(ear.received).toHaveLength(2))
  const [file] = ear.received[0]?.files ?? []
  expect(file).toMatchObject({ name: 'a.txt', mediaType: 'text/plain', size: 12_000 })
  expect(ear.received[1]?.files).toMatchObject([{ isVoice: true }])
  if (!file) throw new Error('no file came')
  const { signal } = ear
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 12_000, signal })) ?? [])).toEqual(bytes)
  const { size: _, ...unsized } = file
  for (const each of [file, unsized])
    await expect(platform.fetch?.(each, { maxBytes: 5000, signal })).rejects.toMatchObject({
      code: 'PLATFORM_FILE_LARGE',
    })
  await expect(platform.fetch?.({ ref: 'x', name: 'x' }, { maxBytes: 0, signal })).rejects.toMatchObject({
    code: 'SIGNAL_FAILED',
  })
})

test('what was said on Signal while svc was away is handed over when it is back, and nothing twice', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  const ada = fake.member()
  await ada.say('one')
  await vi.waitFor(() => expect(ear.texts).toEqual(['one']))
  await platform.close()
  await ada.say('two')
  await ada.say('three')
  const again = new Ear(cursors)
  await platform.connect(again)
  await vi.waitFor(() => expect(again.texts).toEqual(['two', 'three']))
})

test('the first message of all is not lost when the line breaks before it, and older ones are not answered', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await stage({ cursors })
  fake.event({ ...said({ message: 'long ago' }), serverDeliveredTimestamp: Date.now() - 60_000 })
  await platform.connect(ear)
  fake.disturb('flap')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  await fake.member().say('one')
  const again = new Ear(cursors)
  await platform.connect(again)
  await fake.member().say('two')
  await vi.waitFor(() => expect(again.texts).toEqual(['one', 'two']))
  expect(ear.texts).toEqual([])
})

test('a daemon that was started again has other ids, and nothing new is passed over', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  const ada = fake.member()
  for (const text of ['one', 'two', 'three']) await ada.say(text)
  await vi.waitFor(() => expect(ear.texts).toHaveLength(3))
  fake.forget()
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  await ada.say('after')
  const again = new Ear(cursors)
  await platform.connect(again)
  await vi.waitFor(() => expect(again.texts).toEqual(['after']))
})

test('a message of Signal that could not be taken comes again before the one behind it', async () => {
  const { fake, ear } = await connected()
  ear.refuse = 2
  await fake.member().say('one')
  await fake.member().say('two')
  await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']), 6000)
})

test('a message of Signal that is delivered twice, or late, keeps its id', async () => {
  const { fake, ear } = await connected()
  const ada = fake.member()
  fake.disturb('twice')
  const id = await ada.say('again')
  await vi.waitFor(() => expect(ear.received.map(({ messageId }) => messageId)).toEqual([id, id]))
  fake.disturb('late')
  await ada.say('slow')
  await ada.say('quick')
  await vi.waitFor(() => expect(ear.texts.slice(-2)).toEqual(['quick', 'slow']))
})

test('a cut stream of Signal is told once, and can be made again', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  fake.disturb('flap')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]?.final).toBeUndefined()
  expect(await platform.probe()).toBe(false)
  await fake.member().say('in between')
  const again = new Ear(cursors)
  await platform.connect(again)
  expect(await platform.probe()).toBe(true)
  await fake.member().say('and after')
  await vi.waitFor(() => expect(again.texts.at(-1)).toBe('and after'))
  expect(ear.losses).toHaveLength(1)
})

test('events are read whole however their bytes are cut, and one without an end is left', async () => {
  const text = ':\n\nid:1\nevent:receive\ndata: {"a":"ü😀"}\n\r\nid: 2\r\ndata:x\r\ndata:y\r\n\r\ndata:cut off'
  const all = Buffer.from(text)
  for (let size = 1; size < 9; size++) {
    async function* body() {
      for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
    }
    const events = []
    for await (const event of streamEvents(body(), () => {})) events.push(event)
    expect(events).toEqual([
      { id: '1', type: 'receive', data: '{"a":"ü😀"}' },
      { id: '2', type: 'message', data: 'x\ny' },
    ])
  }
})

test('a server of Signal that hangs fails its probe, and is heard again when it is back', async () => {
  const clock = virtualClock()
  const cursors = new Map<string, string>()
  const { fake, platform } = await connected({ clock, cursors })
  expect(await platform.probe()).toBe(true)
  fake.disturb('silence')
  const probe = platform.probe()
  await clock.advance(11_000)
  expect(await probe).toBe(false)
  await platform.close()
  fake.calm()
  const again = new Ear(cursors)
  await platform.connect(again)
  await fake.member().say('back')
  await vi.waitFor(() => expect(again.texts).toEqual(['back']))
})
