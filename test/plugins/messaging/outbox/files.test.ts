/** Files of messages: kept before they leave, sent as albums where there are any, told in words where they are not taken. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { deliveryBusy, deliveryRefused, deliveryUncertain, type OutboxFile } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const file = (name: string, more: Partial<OutboxFile> = {}): OutboxFile => ({ name, bytes: Buffer.from(name), ...more })
const limits = { files: 1000, album: 3, caption: 40, albumKinds: [['image', 'video'] as const, ['document'] as const] }
const albums = { platform: { limits } }

/** What arrived: names of files, and the words with them. */
function arrived(sent: readonly { readonly text: string; readonly files?: readonly { readonly name: string }[] }[]) {
  return sent.map(({ text, files = [] }) => [files.map(({ name }) => name).join('+'), text])
}

test('a file leaves as it was when the message was posted, with a name that is no path', async () => {
  const { post, outbox, fake, stop, platform, kernel } = await stage(albums)
  stop()
  const bytes = Buffer.from('first')
  post('', { key: 'file', files: [{ name: '../../etc/notes\n.txt', bytes }] })
  bytes.fill(0)
  outbox.serve(platform)
  await outbox.idle()
  const [sent] = fake.sent.at(-1)?.files ?? []
  expect(sent).toMatchObject({ name: 'notes.txt', mediaType: 'text/plain', kind: 'document', size: 5 })
  expect(Buffer.from((await sent?.bytes()) ?? []).toString()).toBe('first')
  expect(readdirSync(join(kernel.home, 'data', 'outbox', 'files'))).toEqual([])
})

test('copies are for no one but the user', async () => {
  const { post, stop, kernel } = await stage(albums)
  stop()
  post('', { key: 'file', files: [file('a.txt')] })
  const folder = join(kernel.home, 'data', 'outbox', 'files')
  const [copy = ''] = readdirSync(folder)
  expect(statSync(join(folder, copy)).mode & 0o077).toBe(0)
})

test('files of one kind are one message, voice and what does not fit are their own messages', async () => {
  const { post, outbox, fake } = await stage(albums)
  const voice = file('say.ogg', { isVoice: true })
  const files = [file('1.png'), file('a.pdf'), file('2.png'), file('3.mp4'), voice, file('4.png'), file('b.txt')]
  post('look', { files })
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([
    ['1.png+2.png+3.mp4', 'look'],
    ['a.pdf+b.txt', ''],
    ['say.ogg', ''],
    ['4.png', ''],
  ])
})

test('an album has no more bytes than the platform takes at once', async () => {
  const { post, outbox, fake } = await stage({ platform: { limits: { files: 10, album: 9, albumBytes: 10 } } })
  post('', { key: 'k', files: [file('12345'), file('54321'), file('6')] })
  await outbox.idle()
  expect(arrived(fake.sent).map(([names]) => names)).toEqual(['12345+54321', '6'])
})

test('words that are too long for a caption, and those with buttons, are messages before the files', async () => {
  const { post, outbox, fake } = await stage({ platform: { limits: { ...limits, buttons: 2 } } })
  const long = 'more than forty characters cannot stand below a file here'
  post(long, { files: [file('1.png', { caption: 'one' }), file('2.png')] })
  post('choose', { files: [file('3.png')], buttons: [{ value: 'a', label: 'A' }] })
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([
    ['', long],
    ['1.png+2.png', '1.png: one'],
    ['', 'choose'],
    ['3.png', ''],
  ])
  expect(fake.sent.map(({ buttons = [] }) => buttons.length)).toEqual([0, 0, 1, 0])
})

test.for([
  [undefined, 'In-memory chat takes no files'],
  [4, 'In-memory chat takes files of at most 4 B, and this one has 5 B'],
] as const)(
  'where files of at most %s bytes are taken, others are told in words, without a path',
  async ([most, why]) => {
    const { post, outbox, fake } = await stage(most === undefined ? {} : { platform: { limits: { files: most } } })
    const { declined } = post('see', { files: [file('a.txt')] })
    await outbox.idle()
    expect(declined).toEqual([{ name: 'a.txt', reason: why }])
    expect(arrived(fake.sent)).toEqual([
      ['', 'see'],
      ['', `📎 a.txt: ${why}.\n\nThe file stays on the machine of svc.`],
    ])
  },
)

test('one file that is refused does not take its album along, and is told in words', async () => {
  const { post, outbox, fake, states } = await stage(albums)
  fake.failSends(deliveryRefused('TEST', 'A file is broken.'), deliveryRefused('TEST', 'This file is broken.'))
  post('look', { files: [file('bad.png'), file('good.png'), file('fine.png')] })
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([
    ['', 'look\n\n📎 bad.png: In-memory chat did not take it.\n\nThe file stays on the machine of svc.'],
    ['good.png', ''],
    ['fine.png', ''],
  ])
  expect(new Set(states())).toEqual(new Set(['delivered']))
})

test('an upload that is tried again makes one album, with one key', async () => {
  const { post, outbox, fake, clock } = await stage(albums)
  fake.failSends(deliveryBusy('TEST', 'The second upload failed.'), deliveryUncertain('TEST', 'The answer is missing.'))
  post('', { key: 'k', files: [file('1.png'), file('2.png')] })
  await vi.waitFor(async () => {
    await clock.advance(10_000)
    expect(fake.sent).toHaveLength(1)
  })
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([['1.png+2.png', '']])
})

test('an album whose arrival is not known is neither split nor told in words', async () => {
  const { post, outbox, fake, states } = await stage({ platform: { limits: { ...limits, idempotency: 'none' } } })
  fake.failSends(deliveryUncertain('TEST', 'The answer is missing.'))
  post('', { key: 'k', files: [file('1.png'), file('2.png')] })
  await outbox.idle()
  expect([fake.sent.length, states()]).toEqual([0, ['uncertain']])
})

test('a repeated message sends no file twice, and one with files is not changed', async () => {
  const { post, outbox, fake } = await stage(albums)
  const { id } = post('look', { key: 'k', files: [file('1.png')] })
  await outbox.idle()
  expect(post('look', { key: 'k', files: [file('1.png')] }).id).toBe(id)
  expect(post('other words', { key: 'k', files: [] }).id).toBe(id)
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([['1.png', 'look']])
})

test('files of a draft are held, survive their originals and a repetition, and leave with the last word', async () => {
  const { post, outbox, fake } = await stage(albums)
  const draft = (...files: readonly OutboxFile[]) => post('', { key: 'k', files, isDraft: true })
  draft(file('1.png', { id: 'a' }))
  draft(file('1.png', { id: 'a' }), file('2.png', { id: 'b' }))
  await outbox.idle()
  expect([fake.sent.length, outbox.fileIds('k')]).toEqual([0, ['a', 'b']])
  post('', { key: 'k' })
  // A resumed turn says it all once more.
  draft(file('1.png', { id: 'a' }))
  post('', { key: 'k' })
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([['1.png+2.png', '']])
})

test('a copy that has gone from the outbox is told in words, not sent as nothing', async () => {
  const { post, outbox, fake, stop, platform, kernel } = await stage(albums)
  stop()
  post('', { key: 'k', files: [file('1.png')] })
  rmSync(join(kernel.home, 'data', 'outbox', 'files'), { recursive: true })
  outbox.serve(platform)
  await outbox.idle()
  expect(arrived(fake.sent)).toEqual([
    ['', '📎 1.png: In-memory chat did not take it.\n\nThe file stays on the machine of svc.'],
  ])
})

test('an empty file, and more than fifty, are refused before anything is kept', async () => {
  const { post, outbox, kernel } = await stage(albums)
  expect(() => post('x', { files: [file('a.txt', { bytes: Buffer.alloc(0) })] })).toThrow(
    'a.txt cannot be sent: it is empty.',
  )
  const many = Array.from({ length: 51 }, (_, at) => file(`${at}.txt`))
  expect(() => post('x', { files: many })).toThrow('51 files are too many')
  expect(() => post('x', { files: [file('good.txt'), file('bad.txt', { bytes: Buffer.alloc(0) })] })).toThrow('bad.txt')
  expect(outbox.deliveries()).toEqual([])
  expect(readdirSync(join(kernel.home, 'data', 'outbox', 'files'))).toEqual([])
})
