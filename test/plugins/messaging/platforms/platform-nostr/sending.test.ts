/** Stories of messages that leave for Nostr: which event they are, and which relays take them. */
import { npubEncode, nsecEncode } from 'nostr-tools/nip19'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { WRAP } from '../../../../../plugins/messaging/platforms/platform-nostr/kinds.ts'
import { createRelayList } from '../../../../../plugins/messaging/platforms/platform-nostr/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { getPublicKey, openRelay, openStandIn, PUBLIC_KEY, SECRET_KEY, seconds } from './support.ts'

const { connected, stage, home } = createStages('nostr', openStandIn)
const failing = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => undefined,
    (error: unknown) => error,
  )
const wraps = (relay: { readonly events: readonly { readonly id: string; readonly kind: number }[] }) =>
  relay.events.flatMap(({ kind, id }) => (kind === WRAP ? id : []))
/** A relay at which nothing listens. */
const DOWN = 'ws://127.0.0.1:9'

test.for([
  ['busy', 'busy'],
  ['unavailable', 'busy'],
  ['forbidden', 'refused'],
  ['lost', 'unsure'],
  ['unanswered', 'unsure'],
] as const)('a message to Nostr that meets %s fails as %s', async ([fault, kind]) => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k1' })))).toMatchObject({ kind })
  expect(fake.deliveries()).toHaveLength(fault === 'unanswered' ? 1 : 0)
})

test('a message that is sent again by the next process is the same event, so that people have it once', async () => {
  const { platform, fake, restart } = await home()
  const { chatId } = fake.member()
  const notes: string[] = []
  const message = { chatId, text: 'only once', key: 'k1', writeNote: (note: string) => void notes.push(note) }
  fake.failSends('unanswered')
  expect(classifyDeliveryError(await failing(platform.send(message)))).toEqual({ kind: 'unsure' })
  await platform.close()
  const next = await restart()
  const [note = ''] = notes
  expect(note.length).toBeLessThan(2000)
  const { messageId } = await next.platform.send({ ...message, note })
  expect(notes[1]).toBe(note)
  expect(fake.deliveries()).toMatchObject([{ messageId, visible: 'only once' }])
  expect(wraps(fake.relay)).toHaveLength(1)
  // Other words under one key are another event, and no nonce is used for both.
  await next.platform.send({ ...message, text: 'other words', note })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['only once', 'other words'])
  const made = fake.relay.events.filter(({ kind }) => kind === WRAP)
  const nonces = made.map(({ content }) => Buffer.from(content, 'base64').subarray(1, 33).toString('hex'))
  expect([new Set(nonces).size, new Set(made.map(({ pubkey }) => pubkey)).size]).toEqual([2, 2])
})

test('the note is on disk before a byte leaves, and nothing leaves when it cannot be written', async () => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  const writeNote = () => {
    throw new Error('the disk is full')
  }
  expect(String(await failing(platform.send({ chatId, text: 'hi', key: 'k1', writeNote })))).toContain(
    'the disk is full',
  )
  expect(wraps(fake.relay)).toEqual([])
})

test('relays see neither who writes nor when, and each message is by another key', async () => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  const parts = ['one', 'two', 'three']
  for (const text of parts) await platform.send({ chatId, text, key: text })
  const events = fake.relay.events.filter(({ kind }) => kind === WRAP)
  expect(new Set(events.map(({ pubkey }) => pubkey)).size).toBe(3)
  expect(JSON.stringify(events)).not.toContain(PUBLIC_KEY)
  for (const { created_at: at } of events) {
    expect(at).toBeLessThanOrEqual(seconds() + 3)
    expect(at).toBeGreaterThan(seconds() - 172_801)
  }
  expect(new Set(events.map(({ created_at: at }) => at)).size).toBeGreaterThan(1)
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(parts)
})

test('parts of one answer have times one after another, by which apps sort them', async () => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  const times: number[] = []
  for (const key of ['k1', 'k2', 'k3'])
    await platform.send({
      ...{ chatId, text: 'same words', key },
      writeNote: (note: string) => void times.push((JSON.parse(note) as { at: number }).at),
    })
  expect(new Set(times).size).toBe(3)
  expect(times).toEqual([...times].sort())
  expect(new Set(fake.deliveries().map(({ messageId }) => messageId)).size).toBe(3)
})

test('a relay that is down, refuses or says nothing does not keep a message from the others', async () => {
  const refusing = await openRelay({ meet: ({ kind }) => (kind === WRAP ? 'blocked: not you' : undefined) })
  const silent = await openRelay({ meet: ({ kind }) => (kind === WRAP ? 'cut' : undefined) })
  const fake = await openStandIn()
  const relays = [DOWN, refusing.url, silent.url, fake.relay.url]
  const { platform, ear } = await connected({ fake, config: { relays } })
  await platform.send({ chatId: fake.member().chatId, text: 'hi', key: 'k1' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['hi'])
  expect(ear.losses).toEqual([])
  await fake.close()
})

test('what only one relay was unsure of is unsure, however many refused it', async () => {
  const refusing = await openRelay({ meet: ({ kind }) => (kind === WRAP ? 'blocked: not you' : undefined) })
  const fake = await openStandIn()
  const { platform } = await connected({ fake, config: { relays: [refusing.url, fake.relay.url] } })
  const { chatId } = fake.member()
  fake.failSends('lost')
  expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k1' })))).toEqual({
    kind: 'unsure',
  })
  await fake.close()
})

test('a person who names relays for direct messages is written to there, and not at private addresses', async () => {
  const other = await openRelay()
  const foreign = await openRelay()
  const { platform, fake } = await connected().then(async (first) => {
    await first.platform.close()
    return connected({ fake: first.fake, config: { relays: [first.fake.relay.url, other.url] } })
  })
  const [ada, bob] = [fake.keyOf('ada'), fake.keyOf('bob')]
  fake.relay.put(createRelayList(ada, [foreign.url, other.url, 'https://no.relay', 'nonsense']))
  fake.relay.put(createRelayList(bob, [foreign.url, 'wss://127.0.0.1:9/']))
  await platform.send({ chatId: npubEncode(getPublicKey(ada)), text: 'to the one that is named', key: 'k1' })
  expect([wraps(fake.relay).length, wraps(other).length]).toEqual([0, 1])
  await platform.send({ chatId: npubEncode(getPublicKey(bob)), text: 'to our own', key: 'k2' })
  await expect.poll(() => [wraps(fake.relay).length, wraps(other).length]).toEqual([1, 2])
  expect(foreign.events).toEqual([])
})

test('the account says where it reads, and its profile keeps what others put there', async () => {
  const fake = await openStandIn()
  const config = { name: 'svc', about: 'an agent' }
  const first = await connected({ fake, config })
  const own = () => fake.relay.events.filter(({ pubkey }) => pubkey === PUBLIC_KEY)
  await expect.poll(() => own().length).toBe(2)
  expect(own().find(({ kind }) => kind === 10050)?.tags).toEqual([['relay', fake.relay.url]])
  expect(JSON.parse(own().find(({ kind }) => kind === 0)?.content ?? '')).toEqual({ ...config, bot: true })
  const ids = own().map(({ id }) => id)
  await first.platform.close()
  const second = await connected({ fake, config })
  await second.platform.send({ chatId: fake.member().chatId, text: 'hi', key: 'k1' })
  expect(own().map(({ id }) => id)).toEqual(ids)
  await second.platform.close()
  await connected({ fake, config: { name: 'other', publish_relay_list: false } })
  await expect
    .poll(() => JSON.parse(own().find(({ kind }) => kind === 0)?.content ?? '') as unknown)
    .toEqual({ name: 'other', about: 'an agent', bot: true })
  await fake.close()
})

test('what is no key, or too long, does not leave', async () => {
  const { platform, fake } = await connected()
  const { chatId } = fake.member()
  for (const odd of ['', 'ada', 'npub1', `${chatId}x`, nsecEncode(SECRET_KEY)])
    expect(await failing(platform.send({ chatId: odd, text: 'hi', key: 'k' }))).toMatchObject({
      code: 'PLATFORM_REFUSED',
    })
  for (const text of ['é'.repeat(4001), 'x'.repeat(8001)])
    expect(await failing(platform.send({ chatId, text, key: 'k' }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  expect(fake.relay.events.filter(({ kind }) => kind === WRAP)).toEqual([])
  // Each of these signs takes six bytes in each of two layers.
  const control = await failing(platform.send({ chatId, text: '\u0001'.repeat(8000), key: 'k' }))
  expect(control).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
})

test('what is missing or malformed is named before anything is opened, and no error repeats the key', async () => {
  const problem = async (env: Record<string, string | undefined>, config = {}) =>
    (await stage({ env, config })).platform.missing?.()
  expect(await problem({ NOSTR_SECRET_KEY: undefined })).toBe('needs NOSTR_SECRET_KEY')
  expect(await problem({ NOSTR_SECRET_KEY: 'nsec1short' })).toContain('neither nsec1')
  expect(await problem({}, { relays: [] })).toContain('needs relays')
  expect(await problem({}, { relays: ['https://relay.example.com'] })).toContain('"https://relay.example.com"')
  expect(
    await problem({}, { relays: Array.from({ length: 11 }, (_, at) => `wss://relay-${at}.example.com`) }),
  ).toContain('11')
  const nsec = nsecEncode(SECRET_KEY)
  const wrong = `${nsec.slice(0, -1)}${nsec.endsWith('q') ? 'p' : 'q'}`
  const one = await stage({ env: { NOSTR_SECRET_KEY: wrong } })
  const error = await failing(one.platform.connect(one.ear))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).not.toContain(wrong)
  const hex = await stage({ env: { NOSTR_SECRET_KEY: Buffer.from(SECRET_KEY).toString('hex') } })
  await hex.platform.connect(hex.ear)
  expect(await hex.platform.probe()).toBe(true)
})
