/** Archives of strangers, without a kernel: tar with gzip. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readArchive } from '../../../../plugins/skills/skill-hub/archive.ts'
import { type TarEntry, tar } from './tar.ts'

const SKILL = '---\nname: packed\ndescription: Packs. Use it in tests.\n---\n'
const read = async (...entries: readonly TarEntry[]) => readArchive(gzipSync(tar(entries)))

test('a tar archive is read with its long names, and without the one folder that all is in', async () => {
  const long = `references/${'deep/'.repeat(30)}a.md`
  const files = await read(
    { name: 'packed/', kind: '5' },
    { name: 'packed/SKILL.md', text: SKILL },
    { name: 'PaxHeaders/a', kind: 'x', text: `${long.length + 16} path=packed/${long}\n` },
    { name: 'cut', text: 'one' },
    { name: '././@LongLink', kind: 'L', text: `packed/${long}.two\0` },
    { name: 'cut', text: 'two' },
    { name: './packed/._SKILL.md', text: 'of a Mac' },
  )
  expect([...files.keys()].sort()).toEqual(['SKILL.md', long, `${long}.two`])
  expect(Buffer.from(files.get('SKILL.md') ?? []).toString()).toBe(SKILL)
  expect(Buffer.from(files.get(`${long}.two`) ?? []).toString()).toBe('two')
})

test.for<[string, () => Promise<unknown>]>([
  ['leads out of it', () => read({ name: '../evil.md', text: 'x' })],
  ['leads out of it', () => read({ name: '/etc/cron.d/evil', text: 'x' })],
  ['leads out of it', () => read({ name: 'p', kind: 'x', text: '19 path=../evil.md\n' }, { name: 'a', text: 'x' })],
  ['is a link or a device', () => read({ name: 'link.md', kind: '2' })],
  ['is a link or a device', () => read({ name: 'hard.md', kind: '1' })],
  ['is a link or a device', () => read({ name: 'pipe', kind: '6' })],
  ['more than 10 MiB', () => read({ name: 'bomb', text: 'x'.repeat(11 * 2 ** 20) })],
  ['more than 10 MiB', () => readArchive(gzipSync(Buffer.alloc(40 * 2 ** 20)))],
  ['more than 1000 files', () => read(...Array.from({ length: 1001 }, (_, at) => ({ name: `${at}.md`, text: '' })))],
  ['it is cut off', () => readArchive(gzipSync(tar([{ name: 'a.md', text: 'x'.repeat(2000) }]).subarray(0, 1024)))],
  ['its directory is damaged', () => readArchive(gzipSync(Buffer.alloc(1024, 'no tar archive')))],
  ['it cannot be unpacked', () => readArchive(Buffer.from([0x1f, 0x8b, 1, 2, 3]))],
])('a tar archive is refused: %s', async ([why, work]) => {
  await expect(work()).rejects.toMatchObject({ code: 'SKILL_PACKAGE', message: expect.stringContaining(why) })
})
