import { errorCode } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { mp3, ogg, png, wav } from '../../../support/pictures.ts'
import { startWebFake, type WebAnswer, type WebFake } from '../../../support/web-fake.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function stage(answer: WebAnswer | ((path: string) => WebAnswer), options: { guarded?: boolean } = {}) {
  const fake: WebFake = await startWebFake(({ path }) => (typeof answer === 'function' ? answer(path) : answer))
  ends.push(() => fake.close())
  const clock = virtualClock()
  const config = { security: { allow_private_urls: !options.guarded } }
  const kernel: TestKernel = await testKernel({ plugins: ['media'], config, clock })
  ends.push(() => kernel.stop())
  const never = new AbortController().signal
  const download = (path: string, signal = never) =>
    kernel.use(MediaFiles).picture({ source: `${fake.url}${path}`, cwd: '/', signal, maxBytes: 5000 })
  return { fake, kernel, clock, download }
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => `${errorCode(error)}: ${(error as Error).message}`,
  )

test('a picture is downloaded, and looked at whatever the server calls it', async () => {
  const { download } = await stage({ headers: { 'content-type': 'text/plain' }, body: png(12, 11) })
  expect(await download('/pics/cat.jpg?size=1')).toMatchObject({ mediaType: 'image/png', width: 12, name: 'cat.jpg' })
})

test('what is no picture, no success or too large is refused with its reason', async () => {
  const { fake, download } = await stage({ body: '<html>Please log in</html>' })
  expect(await failure(download('/cat.png'))).toMatch(/^MEDIA_KIND: cat\.png is a web page/)
  fake.fault = { status: 404, body: 'no' }
  expect(await failure(download('/cat.png'))).toMatch(/^MEDIA_STATUS: .* status 404/)
  const large = png(2, 2, 6000)
  fake.fault = { headers: { 'content-length': String(large.length) }, body: large }
  expect(await failure(download('/cat.png'))).toMatch(/^MEDIA_TOO_LARGE: cat\.png has 6\.1 kB/)
  fake.fault = { headers: { 'transfer-encoding': 'chunked' }, body: large }
  expect(await failure(download('/cat.png'))).toMatch(/^MEDIA_TOO_LARGE: cat\.png is still being sent/)
  fake.fault = 'cut'
  expect(await failure(download('/cat.png'))).toMatch(/^NET_CLOSED: /)
})

test('private addresses are refused at once, and cloud metadata after a redirect too', async () => {
  const guarded = await stage({ body: png() }, { guarded: true })
  expect(await failure(guarded.download('/cat.png'))).toMatch(/^URL_FORBIDDEN/)
  expect(guarded.fake.requests).toEqual([])
  const moved = { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' }, body: '' }
  const open = await stage(moved)
  expect(await failure(open.download('/cat.png'))).toMatch(/^URL_FORBIDDEN/)
})

test('an interrupt ends a download, and so do two minutes of drops', async () => {
  const { fake, download } = await stage({ body: '' })
  fake.fault = 'stall'
  const controller = new AbortController()
  const running = failure(download('/cat.png', controller.signal))
  await fake.stalled
  controller.abort(new Error('interrupted by the user'))
  expect(await running).toMatch(/interrupted by the user/)
  const slow = await stage({ body: '' })
  slow.fake.fault = 'stall'
  const waiting = failure(slow.download('/cat.png'))
  await slow.fake.stalled
  await slow.clock.advance(130_000)
  expect(await waiting).toMatch(/^(MEDIA_TIMEOUT|NET_STALLED)/)
})

test('sounds are known by their bytes, and those without anything to hear are refused', async () => {
  const { kernel } = await stage({ body: '' })
  const { signal } = new AbortController()
  const listen = (source: Uint8Array) => kernel.use(MediaFiles).sound({ source, cwd: '/', signal })
  expect(await listen(wav([1, 2, 3]))).toMatchObject({ mediaType: 'audio/wav', extension: 'wav' })
  expect(await listen(mp3())).toMatchObject({ mediaType: 'audio/mpeg', extension: 'mp3' })
  expect(await listen(mp3(0, false))).toMatchObject({ extension: 'mp3' })
  expect(await listen(ogg())).toMatchObject({ mediaType: 'audio/ogg', extension: 'ogg' })
  expect(await failure(listen(Buffer.alloc(0)))).toMatch(/^MEDIA_EMPTY: .* 0 bytes/)
  expect(await failure(listen(wav([])))).toMatch(/^MEDIA_EMPTY: .*without anything to hear/)
  expect(await failure(listen(png()))).toMatch(/^MEDIA_KIND: the data is a PNG picture/)
  expect(await failure(listen(Buffer.from('\ufefftext as Windows writes it', 'utf16le')))).toMatch(/^MEDIA_KIND/)
})
