/** Encrypted rooms, end to end: the other side is a crypto machine of its own. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const { connected } = createStages('matrix', () => openStandIn({ isEncrypted: true }))
/** Another device than that of the token. */
const LOGIN = { MATRIX_ACCESS_TOKEN: undefined, MATRIX_USER_ID: '@svc:example.org', MATRIX_PASSWORD: 'correct horse' }
const heard = (ear: { readonly texts: readonly string[] }, texts: readonly string[]) =>
  vi.waitFor(() => expect(ear.texts).toEqual(texts), 10_000)
const readLog = (home: string) => readFileSync(join(home, 'logs', 'svc.log'), 'utf8')

test('what a person encrypts is read, and what is answered only their devices can read', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member()
  await ada.say('what is the secret?')
  await heard(ear, ['what is the secret?'])
  const { messageId } = await platform.send({ chatId: ada.chatId, text: 'forty', key: '1', threadId: '$root' })
  await platform.edit?.({ chatId: ada.chatId, messageId, text: '<strong>forty-two</strong>', isFinal: true })
  expect(fake.deliveries()).toMatchObject([
    { visible: 'forty-two', threadId: '$root', versions: ['forty', expect.anything()] },
  ])
  expect(fake.sentTypes()).toEqual(['m.room.encrypted', 'm.room.encrypted'])
  expect(JSON.stringify(fake.sentEvents())).not.toMatch(/forty/)
  expect(new Set(fake.keys.claimed).size).toBe(fake.keys.claimed.length)
})

test('files go both ways encrypted, without their names and kinds, and one that was changed is refused', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member()
  const bytes = Buffer.from('%PDF-1.7 secret')
  await ada.say('please read', { files: [{ name: 'plan.pdf', mediaType: 'application/pdf', bytes }] })
  await heard(ear, ['please read'])
  const [file] = ear.received[0]?.files ?? []
  if (!file) throw new Error('no file came')
  expect(file).toMatchObject({ name: 'plan.pdf', mediaType: 'application/pdf', size: bytes.length })
  const { signal } = ear
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 0, signal })) ?? [])).toEqual(bytes)
  fake.media.spoil()
  await expect(platform.fetch?.(file, { maxBytes: 0, signal })).rejects.toMatchObject({ code: 'MATRIX_FAILED' })
  const cat = outboundFile('cat.png', 'png', { mediaType: 'image/png' })
  await platform.send({ chatId: ada.chatId, text: 'a cat', key: '1', files: [cat] })
  expect(fake.deliveries()).toMatchObject([
    { visible: 'a cat', files: [{ name: 'cat.png', bytes: Buffer.from('png') }] },
  ])
  expect(fake.media.last).toMatchObject({ mediaType: 'application/octet-stream', fileName: null })
  expect(fake.media.last?.bytes).not.toEqual(Buffer.from('png'))
})

test('the same device goes on after a restart: keys are on the disk, only its owner can read them, and none is published twice', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const ada = fake.member()
  const first = await connected({ fake, home, cursors })
  await ada.say('one')
  await heard(first.ear, ['one'])
  await first.platform.send({ chatId: ada.chatId, text: 'two', key: '1' })
  const claimed = fake.keys.claimed.length
  await first.close()
  const second = await connected({ fake, home, cursors })
  await ada.say('three')
  await heard(second.ear, ['three'])
  await second.platform.send({ chatId: ada.chatId, text: 'four', key: '2' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['two', 'four'])
  expect(fake.keys.devices('@svc:example.org')).toEqual(['SVCDEVICE'])
  // Sessions live on: neither side had to begin another one.
  expect(fake.keys.claimed).toHaveLength(claimed)
  const keys = join(home, 'data/platform-matrix/keys')
  const [device = ''] = readdirSync(keys)
  for (const file of ['key', 'state']) expect(statSync(join(keys, device, file)).mode & 0o777).toBe(0o600)
  expect(statSync(join(keys, device)).mode & 0o777).toBe(0o700)
  await fake.close()
})

test('a message whose key comes late waits for it, over a restart, too', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const ada = fake.member()
  const crowd = fake.member({ group: 'crowd' })
  const first = await connected({ fake, home, cursors })
  fake.keys.isHeld = true
  await crowd.say('early')
  await vi.waitFor(() => expect([...cursors.values()].join()).toContain('ciphertext'), 10_000)
  await first.close()
  const second = await connected({ fake, home, cursors })
  expect(second.ear.texts).toEqual([])
  fake.releaseKeys()
  await heard(second.ear, ['early'])
  await ada.say('later')
  await heard(second.ear, ['early', 'later'])
  expect(fake.deliveries()).toEqual([])
  await fake.close()
})

test('a message whose key never comes is given up after ten minutes, with one encrypted notice for its sender', async () => {
  const clock = virtualClock()
  const { fake, ear, kernel } = await connected({ clock })
  const ada = fake.member()
  fake.keys.isHeld = true
  await ada.say('lost one')
  await ada.say('lost two')
  await vi.waitFor(() => expect(fake.asked('client/sync')).toBeGreaterThan(2), 10_000)
  await clock.advance(601_000)
  fake.event(ada, 'm.room.topic', { topic: 'news' }, '')
  await vi.waitFor(() => expect(readLog(kernel.home)).toContain('the key of a message has not come'), 10_000)
  fake.releaseKeys()
  const notice = [{ visible: expect.stringContaining('its key did not reach me') }]
  // The other side decrypts it after it has come.
  await vi.waitFor(() => expect(fake.deliveries()).toMatchObject(notice), 10_000)
  expect(fake.sentTypes()).toEqual(['m.room.encrypted'])
  expect(ear.texts).toEqual([])
})

test('a new device of a member can read later messages, and a member who left cannot', async () => {
  const { fake, platform } = await connected()
  const crowd = fake.member({ group: 'crowd' })
  const { chatId } = crowd
  await platform.send({ chatId, text: 'one', key: '1' })
  const tablet = await fake.people.add(crowd.userId)
  await vi.waitFor(async () => {
    await platform.send({ chatId, text: 'two', key: `2 ${fake.sentEvents().length}` })
    expect(await tablet.decrypt(fake.sentEvents().at(-1) ?? {}, chatId)).toMatchObject({ body: 'two' })
  }, 10_000)
  expect(await tablet.decrypt(fake.sentEvents()[0] ?? {}, chatId)).toBeUndefined()
  const bob = await fake.people.device('@bob:example.org')
  const sendTo = async (device: typeof bob) => {
    await platform.send({ chatId, text: 'more', key: `more ${fake.sentEvents().length}` })
    return device.decrypt(fake.sentEvents().at(-1) ?? {}, chatId)
  }
  await vi.waitFor(async () => expect(await sendTo(bob)).toMatchObject({ body: 'more' }), 10_000)
  fake.leave(crowd, '@bob:example.org')
  await vi.waitFor(async () => expect(await sendTo(bob)).toBeUndefined(), 10_000)
  expect(await sendTo(tablet)).toMatchObject({ body: 'more' })
})

test('a room stays encrypted whatever the homeserver says later, and what is said there in clear is not read', async () => {
  const fake = await openStandIn({ isEncrypted: true })
  const [home, cursors] = [temporaryFolder(), new Map<string, string>()]
  const ada = fake.member()
  const first = await connected({ fake, home, cursors })
  await first.platform.send({ chatId: ada.chatId, text: 'one', key: '1' })
  await first.close()
  fake.hideEncryption(ada)
  const { platform, ear, kernel } = await connected({ fake, home, cursors })
  fake.event(ada, 'm.room.message', { msgtype: 'm.text', body: 'forged' })
  await platform.send({ chatId: ada.chatId, text: 'two', key: '2' })
  await vi.waitFor(() => expect(readLog(kernel.home)).toContain('in a room that is encrypted, is not read'), 10_000)
  expect(ear.texts).toEqual([])
  expect(fake.sentTypes()).toEqual(['m.room.encrypted', 'm.room.encrypted'])
  await fake.close()
})

test('a room that turns encryption on is encrypted from then on; with required others are not written to or read', async () => {
  const fake = await openStandIn()
  const ada = fake.member()
  const { chatId } = ada
  const optional = await connected({ fake, config: { encryption: 'optional' } })
  await ada.say('plain')
  await heard(optional.ear, ['plain'])
  await optional.platform.send({ chatId, text: 'one', key: '1' })
  fake.encrypt(ada)
  await fake.people.device(ada.userId)
  await ada.say('hidden')
  await heard(optional.ear, ['plain', 'hidden'])
  await optional.platform.send({ chatId, text: 'two', key: '2' })
  expect(fake.sentTypes()).toEqual(['m.room.message', 'm.room.encrypted'])
  const bob = fake.member({ userId: '@bob:example.org' })
  const required = await connected({ fake, config: { encryption: 'required' }, env: LOGIN })
  await bob.say('plain too')
  await ada.say('hidden too')
  await heard(required.ear, ['hidden too'])
  const failure = await required.platform.send({ chatId: bob.chatId, text: 'x', key: '3' }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_NOT_ENCRYPTED' })
  await fake.close()
})

test('a room that is encrypted in an unknown way is not written to', async () => {
  const { fake, platform } = await connected()
  const ada = fake.member()
  fake.encrypt(ada, { algorithm: 'm.megolm.v9' })
  const failure = await platform.send({ chatId: ada.chatId, text: 'x', key: '1' }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_ENCRYPTED', message: expect.stringContaining('m.megolm.v9') })
  expect(fake.sentTypes()).toEqual([])
})

test('a homeserver that repeats a message under another id is not believed', async () => {
  const { fake, ear, kernel } = await connected()
  const ada = fake.member()
  await ada.say('pay ten')
  await heard(ear, ['pay ten'])
  fake.repeatLast(ada)
  await vi.waitFor(() => expect(readLog(kernel.home)).toContain('is not a new one'), 10_000)
  expect(ear.texts).toEqual(['pay ten'])
})

test('a choice of an encrypted question is taken by a reaction, but not where encryption is required', async () => {
  const buttons = [{ value: 'q:once', label: 'Allow once', style: 'primary' as const }]
  for (const encryption of ['optional', 'required'] as const) {
    const { fake, platform, ear, kernel } = await connected({ config: { encryption } })
    const ada = fake.member()
    await platform.send({ chatId: ada.chatId, text: 'Run it?', key: 'k', buttons })
    await ada.press?.('Allow once')
    if (encryption === 'optional') await vi.waitFor(() => expect(ear.received[0]?.press).toBe('q:once'), 10_000)
    else await vi.waitFor(() => expect(readLog(kernel.home)).toContain('is not read'), 10_000)
    expect(ear.received).toHaveLength(encryption === 'optional' ? 1 : 0)
    expect(fake.reactions?.()).toHaveLength(encryption === 'optional' ? 1 : 0)
  }
})
