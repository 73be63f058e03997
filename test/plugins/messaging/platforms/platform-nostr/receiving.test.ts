/** Stories of people on Nostr, of letters that are not what they seem, and of relays that end. */
import * as nip04 from 'nostr-tools/nip04'
import { npubEncode } from 'nostr-tools/nip19'
import { finalizeEvent } from 'nostr-tools/pure'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { createStages } from '../../../../support/platform-stage.ts'
import {
  createWords,
  getEventHash,
  getPublicKey,
  openRelay,
  openStandIn,
  PUBLIC_KEY,
  SECRET_KEY,
  seal,
  seconds,
  wrap,
  wrapSeal,
} from './support.ts'

const { connected, stage, home } = createStages('nostr', openStandIn)
const DAY = 86_400
const failing = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a message has the keys of its author and its own id, also when it answers another', async () => {
  const { fake, ear } = await connected()
  const key = fake.keyOf('ada')
  const name = { kind: 0, created_at: 1, tags: [], content: JSON.stringify({ name: 'Ada', bot: true }) }
  fake.relay.put(finalizeEvent(name, key))
  const words = createWords(key, 'hello', {
    tags: [
      ['p', PUBLIC_KEY],
      ['e', 'a'.repeat(64)],
    ],
  })
  fake.relay.put(wrap(key, words))
  await expect.poll(() => ear.received.length).toBe(1)
  const id = npubEncode(getPublicKey(key))
  expect(ear.received).toEqual([
    {
      ...{
        platform: 'nostr',
        chatId: id,
        userId: id,
        userName: 'Ada',
        isBot: true,
        messageId: words.id,
        text: 'hello',
      },
      quote: { messageId: 'a'.repeat(64) },
    },
  ])
})

test('letters that are forged, malformed or for others are not read', async () => {
  const { fake, ear } = await connected()
  const [ada, eve] = [fake.keyOf('ada'), fake.keyOf('eve')]
  const words = createWords(ada, 'from ada')
  const right = seal(ada, words)
  const genuine = wrap(ada, createWords(ada, 'changed'))
  const group = [
    ['p', PUBLIC_KEY],
    ['p', getPublicKey(fake.keyOf('bob'))],
  ]
  for (const event of [
    // In the name of another.
    wrapSeal(seal(eve, words)),
    wrapSeal({ ...right, pubkey: getPublicKey(eve) }),
    wrapSeal({ ...right, sig: 'ab'.repeat(64) }),
    wrapSeal({ ...right, content: seal(ada, createWords(ada, 'other words')).content }),
    wrapSeal(seal(ada, { ...words, content: 'other words' })),
    wrapSeal(seal(ada, { ...words, id: 'ab'.repeat(32) })),
    // Malformed.
    wrapSeal(seal(ada, words, [['p', PUBLIC_KEY]])),
    wrapSeal({ ...right, kind: 14, id: getEventHash({ ...right, kind: 14 }) }),
    wrapSeal(words),
    wrapSeal(seal(ada, { text: 'hello' })),
    wrapSeal(seal(ada, { ...words, tags: 'none' })),
    { ...genuine, content: 'AAAA' },
    { ...genuine, sig: 'cd'.repeat(64) },
    { ...genuine, created_at: genuine.created_at + 1 },
    // No words to this account.
    wrap(ada, createWords(ada, 'a reaction', { kind: 7 })),
    wrap(ada, createWords(ada, 'https://a.file', { kind: 15 })),
    wrap(ada, createWords(ada, 'to several', { tags: group })),
    wrap(ada, createWords(ada, '  ')),
    wrap(SECRET_KEY, createWords(SECRET_KEY, 'own words on another device')),
  ])
    fake.relay.put(event)
  await fake.member({ userId: 'last' }).say('end')
  await expect.poll(() => ear.texts).toContain('end')
  expect(ear.texts).toEqual(['end'])
})

test('a message that several relays bring, in one wrap or in two, is handed over once', async () => {
  const other = await openRelay()
  const fake = await openStandIn()
  const { ear } = await connected({ fake, config: { relays: [fake.relay.url, other.url] } })
  const ada = fake.keyOf('ada')
  await expect.poll(() => other.isRead(PUBLIC_KEY)).toBe(true)
  const words = createWords(ada, 'hello')
  const one = wrap(ada, words)
  for (const relay of [fake.relay, other]) relay.put(one)
  other.put(wrap(ada, words))
  other.put(wrap(ada, createWords(ada, 'end', { at: seconds() + 1 })))
  await expect.poll(() => ear.texts).toContain('end')
  expect(ear.texts).toEqual(['hello', 'end'])
  await fake.close()
})

test('what was written while svc was away is read in order, however old its wraps are, and nothing twice', async () => {
  const { fake, ear, platform, restart } = await home()
  const ada = fake.keyOf('ada')
  const write = (text: string, at: number, wrapped: number) =>
    fake.relay.put(wrap(ada, createWords(ada, text, { at }), wrapped))
  await fake.member({ userId: 'bob' }).say('one')
  await expect.poll(() => ear.texts).toEqual(['one'])
  await platform.close()
  const now = seconds()
  write('two', now + 2, now - 2 * DAY + 60)
  write('four', now + 4, now - DAY)
  write('three', now + 3, now)
  const next = await restart()
  await expect.poll(() => next.ear.texts).toEqual(['two', 'three', 'four'])
  await next.platform.close()
  const last = await restart()
  write('five', now + 5, now)
  await expect.poll(() => last.ear.texts).toEqual(['five'])
})

test('many missed messages are read page by page', async () => {
  const small = await openRelay({ page: 3 })
  const { fake, platform, restart } = await home({ config: { relays: [small.url] } })
  await platform.close()
  const ada = fake.keyOf('ada')
  const now = seconds()
  const texts = Array.from({ length: 10 }, (_, at) => `message ${at}`)
  for (const [at, text] of texts.entries())
    small.put(wrap(ada, createWords(ada, text, { at: now + at }), now - at * 100))
  const next = await restart()
  await expect.poll(() => next.ear.texts).toEqual(texts)
})

test('messages from before the account was first read are not answered, also later', async () => {
  const fake = await openStandIn()
  const ada = fake.keyOf('ada')
  fake.relay.put(wrap(ada, createWords(ada, 'long ago', { at: seconds() - 3600 })))
  const cursors = new Map<string, string>()
  for (const text of ['first', 'second']) {
    const { ear, platform } = await connected({ fake, cursors })
    await fake.member({ userId: 'bob' }).say(text)
    await expect.poll(() => ear.texts).toEqual([text])
    await platform.close()
  }
  await fake.close()
})

test('what was not taken before the connection ended is read again by the next one', async () => {
  const { fake, ear, platform, restart } = await home()
  const member = fake.member()
  await member.say('one')
  await expect.poll(() => ear.texts).toEqual(['one'])
  ear.most = 1
  await member.say('two')
  await member.say('three')
  await expect.poll(() => ear.refused).toBeGreaterThan(0)
  await platform.close()
  const next = await restart()
  await expect.poll(() => next.ear.texts).toEqual(['two', 'three'])
})

test('messages of the older kind are read only if that is set', async () => {
  for (const isRead of [false, true]) {
    const { fake, ear } = await connected({ config: { read_nip04: isRead } })
    const ada = fake.keyOf('ada')
    const content = nip04.encrypt(ada, PUBLIC_KEY, 'in the old way')
    const old = finalizeEvent({ kind: 4, created_at: seconds(), tags: [['p', PUBLIC_KEY]], content }, ada)
    fake.relay.put({ ...old, sig: 'ab'.repeat(64), id: 'ab'.repeat(32) })
    fake.relay.put(old)
    await fake.member({ userId: 'bob' }).say('end')
    await expect.poll(() => ear.texts).toContain('end')
    expect(ear.texts).toEqual(isRead ? ['in the old way', 'end'] : ['end'])
  }
})

test('one relay that ends is opened again meanwhile; the connection is lost with the last one', async () => {
  const clock = virtualClock(Date.now())
  const other = await openRelay()
  const fake = await openStandIn()
  const { ear, platform } = await connected({ fake, clock, config: { relays: [fake.relay.url, other.url] } })
  await expect.poll(() => other.isRead(PUBLIC_KEY)).toBe(true)
  fake.relay.cut()
  await expect.poll(() => fake.relay.isRead(PUBLIC_KEY)).toBe(false)
  await platform.send({ chatId: fake.member().chatId, text: 'over the other', key: 'k1' })
  expect(other.events.filter(({ kind }) => kind === 1059)).toHaveLength(1)
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return fake.relay.isRead(PUBLIC_KEY)
    })
    .toBe(true)
  expect(ear.losses).toEqual([])
  await other.close()
  fake.relay.cut()
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining(other.url) }])
  expect(ear.losses[0]?.final).toBeUndefined()
  expect(await platform.probe()).toBe(false)
  await fake.close()
})

test('a relay of which nothing is heard any more is left', async () => {
  const clock = virtualClock(Date.now())
  const { ear, fake } = await connected({ clock })
  await clock.advance(30_000)
  fake.disturb('silence')
  await clock.advance(40_000)
  expect(ear.losses).toEqual([])
  await clock.advance(80_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard of it') }])
})

test('an account that no relay lets in is told so, and is not tried again', async () => {
  const { ear, fake, platform } = await connected()
  fake.disturb('logout')
  await expect.poll(() => ear.losses).toMatchObject([{ final: true, code: 'nostr_unauthorized' }])
  expect(classifyDeliveryError(await failing(platform.connect(ear)))).toEqual({ kind: 'refused' })
  const down = await stage({ config: { relays: ['ws://127.0.0.1:9'] } })
  const error = await failing(down.platform.connect(down.ear))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'busy' })
  expect(String(error)).toContain('ws://127.0.0.1:9')
})

test('a subscription that a relay ends for its own reasons is begun again', async () => {
  const { ear, fake, platform } = await connected()
  fake.relay.endSubscriptions('error: shutting down idle subscription')
  await expect.poll(() => ear.losses).toHaveLength(1)
  expect(ear.losses[0]?.final).toBeUndefined()
  await platform.connect(ear)
  await fake.member().say('again')
  await expect.poll(() => ear.texts).toEqual(['again'])
})

test('a relay that asks for a proof only when it refuses gets it, and is asked again', async () => {
  const late = await openRelay({ challengesLate: true })
  const fake = await openStandIn()
  const { ear, platform } = await connected({ fake, config: { relays: [late.url], publish_relay_list: false } })
  const ada = fake.keyOf('ada')
  late.put(wrap(ada, createWords(ada, 'hello')))
  await expect.poll(() => ear.texts).toEqual(['hello'])
  await platform.send({ chatId: npubEncode(getPublicKey(ada)), text: 'hi', key: 'k1' })
  expect(late.events.filter(({ kind }) => kind === 1059)).toHaveLength(2)
  await fake.close()
})
