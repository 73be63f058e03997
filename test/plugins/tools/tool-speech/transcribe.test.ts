import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ogg, wav } from '../../../support/pictures.ts'
import type { WebAnswer } from '../../../support/web-fake.ts'
import { KEY, stage } from './speech-stage.ts'

test('a voice note is sent as a form, and its words come back', async () => {
  const { fake, listen, folder, spent } = await stage({
    speech: (url) => ({ language: 'en', openai: { base_url: `${url}/v1` } }),
  })
  writeFileSync(join(folder, 'note'), ogg())
  expect(await listen('note')).toEqual({
    text: 'Hello there.',
    data: { name: 'note', mediaType: 'audio/ogg', backend: 'openai' },
  })
  const [request] = fake.requests
  expect(request?.path).toBe('/v1/audio/transcriptions')
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(request?.headers['content-type'] ?? '')?.[1]
  const parts = (request?.bytes.toString('latin1') ?? '').split(`--${boundary}`)
  for (const [name, value] of [
    ['model', 'gpt-4o-mini-transcribe'],
    ['response_format', 'json'],
    ['language', 'en'],
  ])
    expect(parts.some((part) => part.includes(`name="${name}"\r\n\r\n${value}\r\n`))).toBe(true)
  const file = parts.find((part) => part.includes('filename="sound.ogg"\r\nContent-Type: audio/ogg'))
  expect(file?.endsWith(`\r\n\r\n${ogg().toString('latin1')}\r\n`)).toBe(true)
  expect(spent).toMatchObject([{ purpose: 'transcription', settled: { input: 14, output: 3 } }])
})

test('a server of the user on this machine needs no key and is not paid for', async () => {
  const { fake, listen, folder, spent } = await stage({
    speech: (url) => ({ custom: { base_url: url, stt_model: 'whisper-1' } }),
    env: {},
  })
  writeFileSync(join(folder, 'a.wav'), wav([1]))
  expect(await listen('a.wav')).toMatchObject({ data: { backend: 'custom' } })
  expect(fake.requests[0]?.headers.authorization).toBeUndefined()
  expect(spent).toEqual([])
})

test('silence is said to be silence', async () => {
  const { listen, folder } = await stage({ reply: () => ({ body: '{"text":" "}' }) })
  writeFileSync(join(folder, 'a.wav'), wav([0, 0, 0]))
  expect((await listen('a.wav')).text).toBe('(no words were heard)')
})

test.for<readonly [string, WebAnswer | 'cut', RegExp]>([
  [
    'a key that is not accepted',
    { status: 401, body: `{"error":{"message":"Bad key ${KEY}"}}` },
    /does not accept OPENAI_API_KEY .*\*\*\*/,
  ],
  ['a limit', { status: 429, body: '{}' }, /is rate-limiting/],
  ['a fault', { status: 500, body: '' }, /has a fault/],
  ['a web page', { body: '<html>' }, /web page/],
  ['JSON of another form', { body: '{"words":[]}' }, /documentation says/],
  ['an answer that breaks off', 'cut', /in the middle/],
])('%s in place of a transcript is said with its reason', async ([, fault, reason]) => {
  const { fake, failure, folder } = await stage()
  writeFileSync(join(folder, 'a.wav'), wav([1]))
  fake.fault = fault
  const said = await failure('transcribe', { path: 'a.wav' })
  expect(said).toMatch(/^SPEECH_FAILED: /)
  expect(said).toMatch(reason)
  expect(said).not.toContain(KEY)
})

test('what is no sound, empty, too large or not allowed is refused before it is sent', async () => {
  const { fake, failure, folder } = await stage()
  const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content)
  put('empty.mp3', '')
  put('text.mp3', 'la la la')
  put('silent.wav', wav([]))
  put('.env', wav([1]))
  put('long.wav', Buffer.concat([wav([1]), Buffer.alloc(25_000_000)]))
  const refused = (path: string) => failure('transcribe', { path })
  expect(await refused('empty.mp3')).toMatch(/^MEDIA_EMPTY: empty\.mp3 is empty: it has 0 bytes/)
  expect(await refused('text.mp3')).toMatch(/^MEDIA_KIND: text\.mp3 is text/)
  expect(await refused('silent.wav')).toMatch(/^MEDIA_EMPTY/)
  expect(await refused('long.wav')).toMatch(/^MEDIA_TOO_LARGE: long\.wav has 25 MB, and at most 25 MB are read/)
  expect(await refused('.env')).toMatch(/^FILE_PROTECTED/)
  expect(await refused(fake.url)).toMatch(/^URL_FORBIDDEN/)
  expect(fake.requests).toEqual([])
})
