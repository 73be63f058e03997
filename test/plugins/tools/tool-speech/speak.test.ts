import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { mp3, ogg, wav } from '../../../support/pictures.ts'
import type { WebAnswer, WebRequest } from '../../../support/web-fake.ts'
import { KEY, speaking, stage } from './speech-stage.ts'

test('OpenAI speaks a text, which is kept for the user alone', async () => {
  const { fake, speak, spent } = await stage()
  const result = await speak({ text: 'Dinner is ready.' })
  const { path } = result.data as { path: string }
  expect(path).toMatch(/\.mp3$/)
  expect(readFileSync(path).equals(mp3())).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(result.text).toBe(`Saved as ${path} (mp3, ${mp3().length} bytes).`)
  expect(result.files).toEqual([{ path, mediaType: 'audio/mpeg', isVoice: true }])
  const [request] = fake.requests
  expect([request?.method, request?.path]).toEqual(['POST', '/v1/audio/speech'])
  expect(request?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(JSON.parse(request?.body ?? '')).toEqual({
    ...{ model: 'gpt-4o-mini-tts', input: 'Dinner is ready.', voice: 'alloy', response_format: 'mp3' },
  })
  expect(spent).toMatchObject([{ purpose: 'speech', provider: 'openai', model: 'gpt-4o-mini-tts', settled: {} }])
})

test('ElevenLabs has the key in its own header and the voice in the address', async () => {
  const { fake, speak } = await stage({
    speech: (url) => ({ tts_backend: 'elevenlabs', elevenlabs: { base_url: `${url}/v1`, voice: 'a/b' } }),
    env: { ELEVENLABS_API_KEY: KEY },
  })
  await speak({ text: 'Hello.', output_path: 'hello.opus' })
  const [request] = fake.requests
  expect(request?.path).toBe('/v1/text-to-speech/a%2Fb')
  expect(request?.query.get('output_format')).toBe('opus_48000_64')
  expect(request?.headers['xi-api-key']).toBe(KEY)
  expect(JSON.parse(request?.body ?? '')).toEqual({ text: 'Hello.', model_id: 'eleven_multilingual_v2' })
})

test('a long text is spoken in parts and becomes one file', async () => {
  const { fake, speak, folder, spent } = await stage({
    speech: (url) => ({ groq: { base_url: url } }),
    env: { GROQ_API_KEY: KEY },
  })
  const text = 'It rains in the mountains today. '.repeat(12)
  const result = await speak({ text, output_path: 'sub/rain.wav' })
  expect(result).toMatchObject({ data: { format: 'wav', parts: 2, backend: 'groq' } })
  expect(readFileSync(join(folder, 'sub/rain.wav')).equals(wav([1, 2, 1, 2]))).toBe(true)
  const inputs = fake.requests.map(({ body }) => JSON.parse(body).input as string)
  expect(inputs.every((input) => input.length <= 200 && input.endsWith('.'))).toBe(true)
  expect(spent).toHaveLength(2)
})

test('Opus is not asked for where it could not be joined', async () => {
  const text = 'It rains. '.repeat(600)
  const { speak, failure, fake } = await stage({ speech: (url) => ({ format: 'opus', openai: { base_url: url } }) })
  expect(await failure('text_to_speech', { text, output_path: 'rain.opus' })).toMatch(
    /^SPEECH_FORMAT: OpenAI writes mp3, opus, wav, and a text of 2 parts .* end in \.mp3 or \.wav\.$/,
  )
  expect(fake.requests).toEqual([])
  expect(await speak({ text })).toMatchObject({ data: { format: 'mp3', parts: 2 } })
  expect(await speak({ text: 'It rains.' })).toMatchObject({ data: { format: 'opus' } })
})

test.for<readonly [string, WebAnswer | 'cut', RegExp]>([
  [
    'a key that is not accepted',
    { status: 401, body: `{"error":{"message":"Incorrect API key: ${KEY}"}}` },
    /does not accept OPENAI_API_KEY .*\*\*\*/,
  ],
  ['a limit', { status: 429, headers: { 'retry-after': '7' }, body: '{}' }, /Try again in 7 s/],
  ['a fault', { status: 502, body: '<h1>Bad gateway</h1>' }, /OpenAI has a fault \(status 502\)/],
  [
    'a refusal',
    { status: 400, body: '{"error":{"message":"Voice not found"}}' },
    /refused the request .* Voice not found\./,
  ],
  ['a web page', { body: '<html>Sign in</html>' }, /OpenAI did not speak: the data is a web page/],
  ['no sound at all', { body: '' }, /did not speak: the data is empty: it has 0 bytes/],
  ['data instead of sound', { body: '{"ok":true}' }, /did not speak: the data is text/],
  ['a sound of another kind', { body: ogg() }, /it sent ogg and was asked for mp3/],
  ['a sound that breaks off', 'cut', /in the middle/],
])('%s in place of speech is said with its reason', async ([, fault, reason]) => {
  const { fake, failure } = await stage()
  fake.fault = fault
  const said = await failure('text_to_speech', { text: 'Hello.' })
  expect(said).toMatch(/^SPEECH_FAILED: /)
  expect(said).toMatch(reason)
  expect(said).not.toContain(KEY)
})

test('parts that were spoken before one failed are kept and named', async () => {
  let count = 0
  const reply = (request: WebRequest): WebAnswer => {
    count += 1
    return count < 3 ? speaking(request) : { status: 500, body: '' }
  }
  const { failure } = await stage({ reply })
  const said = await failure('text_to_speech', { text: 'It rains. '.repeat(1500) })
  const path = /2 of 4 parts were spoken and are in (\S+\.mp3)\. Speak the rest/.exec(said)?.[1] ?? ''
  expect(readFileSync(path).equals(Buffer.concat([mp3(), mp3(0, false)]))).toBe(true)
})

test('what cannot be done is refused before anyone is paid', async () => {
  const { failure, fake, folder } = await stage()
  writeFileSync(join(folder, 'there.mp3'), 'mine')
  const refused = (text: string, output_path?: string) => failure('text_to_speech', { text, output_path })
  expect(await refused('x'.repeat(1_000_000))).toMatch(/^SPEECH_TOO_LONG: The text has 1000000 characters/)
  expect(await refused('Hello.', 'there.mp3')).toMatch(/^SPEECH_FILE_EXISTS/)
  expect(await refused('Hello.', 'song.flac')).toMatch(/^SPEECH_FORMAT/)
  expect(await refused('Hello.', '/etc/hello.mp3')).toMatch(/^FILE_PROTECTED/)
  expect(fake.requests).toEqual([])
  expect(readFileSync(join(folder, 'there.mp3'), 'utf8')).toBe('mine')
})

test('an interrupt ends speech and leaves no file', async () => {
  const { fake, speak, folder, spent } = await stage()
  fake.fault = 'stall'
  const controller = new AbortController()
  const running = speak({ text: 'Hello.', output_path: 'hello.mp3' }, controller.signal)
  await fake.stalled
  controller.abort(new Error('interrupted by the user'))
  await expect(running).rejects.toThrow('interrupted by the user')
  expect(existsSync(join(folder, 'hello.mp3'))).toBe(false)
  expect(spent[0]).toHaveProperty('settled')
})

test('keys go to their own hosts, and the tools say what is missing', async () => {
  const strange = await stage({ speech: () => ({ openai: { base_url: 'https://api.openai.com.example/v1' } }) })
  expect(strange.findTool('text_to_speech').missing?.()).toMatch(/openai needs an address of openai\.com/)
  const bare = await stage({ speech: () => ({}), env: {} })
  expect(bare.findTool('text_to_speech').missing?.()).toMatch(
    /command needs speech\.tts_command; .*openai needs OPENAI_API_KEY; .*espeak needs the program espeak-ng/,
  )
  expect(bare.findTool('transcribe').missing?.()).not.toMatch(/elevenlabs|piper/)
  const named = await stage({ speech: () => ({ tts_backend: 'whisper' }) })
  expect(named.findTool('text_to_speech').missing?.()).toMatch(/^speech\.tts_backend is whisper; there are command, /)
})

test('the tools for speech keep the contract of tools', async () => {
  const { findTool, folder } = await stage()
  writeFileSync(join(folder, 'a.wav'), wav([1]))
  const speech = { input: { text: 'Hello.' }, text: /^Saved as / }
  for (const { run } of toolContract(findTool('text_to_speech'), [speech])) await run()
  const sound = { input: { path: `data:audio/wav;base64,${wav([1]).toString('base64')}` }, text: 'Hello there.' }
  for (const { run } of toolContract(findTool('transcribe'), [sound])) await run()
})
