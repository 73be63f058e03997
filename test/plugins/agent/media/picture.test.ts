import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { MediaFiles, type MediaReadOptions } from 'svc/sdk/media'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gif, jpeg, png, wav, webp } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

let kernel: TestKernel
beforeAll(async () => {
  kernel = await testKernel({ plugins: ['media'] })
})
afterAll(() => kernel.stop())

const { signal } = new AbortController()
const read = (source: MediaReadOptions['source'], more: Partial<MediaReadOptions> = {}) =>
  kernel.use(MediaFiles).picture({ source, cwd: '/', signal, ...more })
const refusal = async (source: MediaReadOptions['source'], more: Partial<MediaReadOptions> = {}) => {
  const error: unknown = await read(source, more).then(
    () => 'it was read',
    (reason) => reason,
  )
  return { code: errorCode(error), message: (error as Error).message }
}

test.for([
  ['PNG', png(640, 480), 'image/png', 640, 480],
  ['JPEG', jpeg(300, 200), 'image/jpeg', 300, 200],
  ['GIF', gif(50, 40), 'image/gif', 50, 40],
  ['WebP', webp(70, 60), 'image/webp', 70, 60],
] as const)('a %s is known by its bytes, and measured', async ([, bytes, mediaType, width, height]) => {
  const folder = temporaryFolder()
  // Whatever it is called.
  writeFileSync(join(folder, 'photo.txt'), bytes)
  const picture = await read('photo.txt', { cwd: folder })
  expect(picture).toMatchObject({ mediaType, width, height, name: 'photo.txt' })
  expect(Buffer.from(picture.bytes).equals(bytes)).toBe(true)
})

test.for([
  [
    'a text file named .png',
    'shopping.png',
    'milk, bread',
    'MEDIA_KIND',
    /shopping\.png is text \(11 bytes\); only PNG/,
  ],
  ['an SVG', 'logo.png', '<?xml version="1.0"?>\n<svg xmlns="x"/>', 'MEDIA_KIND', /an SVG drawing/],
  ['a web page', 'a.jpg', '<!doctype html><title>404</title>', 'MEDIA_KIND', /a web page/],
  ['a PDF', 'a.png', '%PDF-1.7', 'MEDIA_KIND', /a PDF document/],
  ['a sound', 'a.png', wav([1, 2]), 'MEDIA_KIND', /a WAV sound/],
  ['an empty file', 'a.png', '', 'MEDIA_EMPTY', /a\.png is empty: it has 0 bytes/],
  ['binary data', 'a.png', Buffer.from([1, 0, 2]), 'MEDIA_KIND', /binary data of an unknown kind/],
] as const)('%s is no picture, and the refusal says what it is', async ([, name, content, code, message]) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, name), content)
  const said = await refusal(name, { cwd: folder })
  expect(said).toEqual({ code, message: expect.stringMatching(message) })
})

test('a picture that is cut off anywhere is refused as damaged, empty or of no kind', async () => {
  const whole = [png(20, 20), jpeg(), gif(), webp()]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...whole), fc.double({ min: 0, max: 0.98, noNaN: true }), async (bytes, share) => {
      const { code } = await refusal(bytes.subarray(0, Math.floor(bytes.length * share)))
      expect(['MEDIA_DAMAGED', 'MEDIA_EMPTY', 'MEDIA_KIND']).toContain(code)
    }),
  )
})

test('no bytes at all make the reader of pictures fail in an unknown way', async () => {
  const headers = [png(), jpeg(), gif(), webp()].map((bytes) => bytes.subarray(0, 16))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...headers), fc.uint8Array({ maxLength: 80 }), async (header, rest) => {
      const said = await refusal(Buffer.concat([header, rest])).catch(() => ({ code: 'INTERNAL' }))
      expect(['MEDIA_DAMAGED', 'INTERNAL']).toContain(said.code)
      if (said.code === 'INTERNAL') expect(await read(Buffer.concat([header, rest]))).toHaveProperty('width')
    }),
  )
})

test('a picture of a pixel that is nothing wide is damaged', async () => {
  expect(await refusal(png(0, 5))).toMatchObject({ code: 'MEDIA_DAMAGED' })
})

test('a folder, a device and a missing file are refused before anything is read', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'album'))
  expect(await refusal('album', { cwd: folder })).toEqual({
    code: 'MEDIA_FILE',
    message: 'album cannot be read: it is a folder. Name an ordinary file.',
  })
  expect(await refusal('/dev/zero')).toMatchObject({ code: 'MEDIA_FILE', message: expect.stringMatching(/a device/) })
  expect(await refusal('nowhere.png', { cwd: folder })).toMatchObject({ code: 'FILE_NOT_FOUND' })
})

test('secrets are refused however the path leads to them', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'pictures'))
  writeFileSync(join(folder, '.env'), png())
  symlinkSync('../.env', join(folder, 'pictures', 'cat.png'))
  for (const path of ['.env', 'pictures/../.env', 'pictures/cat.png', `file://${folder}/.env`])
    expect(await refusal(path, { cwd: folder })).toMatchObject({ code: 'FILE_PROTECTED' })
})

test('a file of more than may be read is refused by its size', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'big.png'), png(2, 2, 5000))
  expect(await refusal('big.png', { cwd: folder, maxBytes: 4000 })).toEqual({
    code: 'MEDIA_TOO_LARGE',
    message: expect.stringMatching(/^big\.png has 5\.1 kB, and at most 4 kB are read/),
  })
})

test('data: URLs are taken in base64, and refused otherwise', async () => {
  const data = png(9, 8).toString('base64')
  expect(await read(`data:image/png;base64,${data}`)).toMatchObject({ width: 9, height: 8 })
  // The type it gives itself counts for nothing.
  expect(await read(`DATA:text/plain;charset=x;base64,${encodeURIComponent(data)}`)).toMatchObject({ width: 9 })
  expect(await refusal('data:image/svg+xml,<svg/>')).toMatchObject({ code: 'MEDIA_SOURCE' })
  expect(await refusal('data:image/png;base64,§§')).toMatchObject({ code: 'MEDIA_SOURCE' })
  expect(await refusal('data:image/png;base64,')).toMatchObject({ code: 'MEDIA_EMPTY' })
  expect(await refusal(`data:image/png;base64,${'A'.repeat(9000)}`, { maxBytes: 4000 })).toMatchObject({
    code: 'MEDIA_TOO_LARGE',
  })
})

test('addresses of other kinds are refused by name', async () => {
  expect(await refusal('ftp://example.com/a.png')).toMatchObject({
    code: 'MEDIA_SOURCE',
    message: expect.stringMatching(/Addresses of ftp: are not read/),
  })
})

test('kept files are readable by the user alone, and the newest two hundred stay', async () => {
  const folder = join(temporaryFolder(), 'made')
  const paths: string[] = []
  const { keep } = kernel.use(MediaFiles)
  for (let count = 0; count < 203; count += 1) paths.push(await keep(folder, { bytes: png(), extension: 'png' }))
  expect(statSync(paths.at(-1) ?? '').mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(paths.filter((path) => statSync(path, { throwIfNoEntry: false }))).toHaveLength(200)
})

test('what cannot be kept says why', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  await expect(
    kernel.use(MediaFiles).keep(join(folder, 'file'), { bytes: png(), extension: 'png' }),
  ).rejects.toMatchObject({ code: 'MEDIA_NOT_KEPT', message: expect.stringMatching(/could not be written: E/) })
})
