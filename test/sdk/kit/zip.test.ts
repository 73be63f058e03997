/** Archives of strangers: what comes out, and what is refused before anything is unpacked. */
import { zipSync } from 'fflate'
import { leadsOut, readZip } from 'svc/sdk/kit/files'
import { expect, test } from 'vitest'

const text = (value: string) => Buffer.from(value)
const refuse = (why: string) => new Error(why)
const read = (bytes: Uint8Array, limits = {}) => readZip(bytes, { maxFiles: 3, maxBytes: 100, refuse, ...limits })

/** Changes the first entry of the directory, which begins at its mark. */
function mark(bytes: Uint8Array, change: (entry: Buffer) => void): Uint8Array {
  const copy = Buffer.from(bytes)
  change(copy.subarray(copy.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))))
  return copy
}

const one = zipSync({ 'a/b.txt': text('hello') })

test('files come out by their paths, folders do not', async () => {
  const files = await read(zipSync({ 'a/': new Uint8Array(), 'a/b.txt': text('hello') }))
  expect([...files].map(([path, data]) => [path, Buffer.from(data).toString()])).toEqual([['a/b.txt', 'hello']])
})

test.for([
  ['it is no zip archive', text('nothing')],
  ['it cannot be unpacked', mark(one, (entry) => entry.writeUInt16LE(99, 10))],
  ['its directory is damaged', mark(one, (entry) => entry.writeUInt32LE(0, 0)).subarray()],
  ['it has a password', mark(one, (entry) => entry.writeUInt16LE(1, 8))],
  ['"a/b.txt" is a link or no file', mark(one, (entry) => entry.writeUInt32LE((0o120777 << 16) >>> 0, 38))],
  ['the path "../b" leads out of it', zipSync({ '../b': text('x') })],
  ['"A.txt" is in it twice', zipSync({ 'a.txt': text('x'), 'A.txt': text('y') })],
  ['it has more than 3 files', zipSync({ a: text(''), b: text(''), c: text(''), d: text('') })],
  [`unpacked it has more than ${100 / 2 ** 20} MiB`, zipSync({ bomb: new Uint8Array(101) })],
] as const)('an archive is refused: %s', async ([why, bytes]) => {
  await expect(read(bytes)).rejects.toThrow(why)
})

test('a file that is larger than it says is cut off there', async () => {
  const bomb = mark(zipSync({ bomb: new Uint8Array(1_000_000) }), (entry) => entry.writeUInt32LE(10, 24))
  const size = await read(bomb).then(
    (files) => files.get('bomb')?.length,
    () => 0,
  )
  expect(size).toBeLessThanOrEqual(10)
})

test.each(['/etc/passwd', 'a/../b', 'C:/x', 'a\\b', './a', 'a//b', 'a\0b', `${'x'.repeat(401)}`, '..', ''])(
  'the path %j leads out on some system',
  (path) => {
    expect(leadsOut(path)).toBe(true)
  },
)

test('plain paths do not lead out', () => {
  expect(['a', 'a/b.txt', 'a/', '.env', 'a..b'].filter(leadsOut)).toEqual([])
})
