/** Talking on the terminal, with programs that record and play and a service that writes down what was said. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HealthChecks } from 'svc/sdk/host'
import { fakeProvider } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RATE, toWav } from '../../../../plugins/agent/voice/pcm.ts'
import { wav } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startWebFake } from '../../../support/web-fake.ts'
import { apart, stage } from '../../terminal-ui/tui/stage.ts'
import { speaking } from '../../tools/tool-speech/speech-stage.ts'

const KEY = 'sk-0123456789abcdef0123'
const speech = () => readFileSync(join(import.meta.dirname, 'hello.wav'))
const silence = (seconds: number) => Buffer.alloc(RATE * 2 * seconds)

/** A microphone and a loudspeaker that are shell scripts in the only folder of PATH. */
function audio({ record, play = '', without = [] }: { record: string; play?: string; without?: readonly string[] }) {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const place = (name: string) => join(folder, name)
  writeFileSync(place('speech.wav'), speech())
  writeFileSync(place('speech.raw'), speech().subarray(44))
  writeFileSync(place('silence.raw'), silence(1))
  const script = (name: string, text: string) => {
    if (without.includes(name)) return
    writeFileSync(join(bin, name), `#!/bin/sh\ncd '${folder}' || exit 1\nPATH=/usr/bin:/bin\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  script('arecord', `echo $$ >> recorders\necho "$@" > recorder-words\n${record}`)
  script('aplay', `for last; do :; done\ncat "$last" > playing && mv playing played\n${play}`)
  return { bin, place, has: (name: string) => existsSync(place(name)), remove: (name: string) => rmSync(place(name)) }
}

async function open(given: Parameters<typeof audio>[0], options: { answers?: string[]; voice?: object } = {}) {
  const programs = audio(given)
  const service = await startWebFake(speaking)
  onTestFinished(() => service.close())
  const model = fakeProvider(options.answers ?? ['It is fine.'])
  const place = await stage(model, {
    plugins: ['voice', 'tool-speech'],
    env: { PATH: programs.bin, OPENAI_API_KEY: KEY },
    config: {
      plugins: { disabled: apart.filter((name) => !['voice', 'tool-speech', 'media', 'address-guard'].includes(name)) },
      speech: { openai: { base_url: `${service.url}/v1` } },
      voice: { silence_seconds: 0.5, ...options.voice },
    },
  })
  const asked = () =>
    model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'user')).map(({ text }) => text)
  const heard = () => service.requests.filter(({ path }) => path.endsWith('/transcriptions')).length
  const seen = (words: string) =>
    vi.waitFor(async () => {
      await place.drawn()
      expect(place.text()).toContain(words)
    }, 20_000)
  return { ...place, seen, ...programs, service, model, asked, heard }
}

/** Until these words are not seen any more. */
const isGone = (drawn: () => Promise<void>, text: () => string, words: string) =>
  vi.waitFor(async () => {
    await drawn()
    expect(text()).not.toContain(words)
  }, 20_000)

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a key begins to record and sends what was said; the answer is spoken, and no recorder is left', async () => {
  const { key, seen, settled, asked, has, place, text, drawn } = await open({ record: 'cat speech.wav; exec sleep 60' })
  await key('f9')
  await seen('● Listening 1.')
  await key('f9')
  await seen('It is fine.')
  await settled()
  expect(asked()).toEqual(['Hello there.'])
  await expect.poll(() => has('played')).toBe(true)
  expect(readFileSync(place('played'))).toEqual(wav([1, 2]))
  await isGone(drawn, text, '●')
  const [pid] = readFileSync(place('recorders'), 'utf8').trim().split('\n').map(Number)
  await expect.poll(() => isRunning(pid ?? 0)).toBe(false)
  expect(readFileSync(place('recorder-words'), 'utf8')).toContain('-f S16_LE -r 16000 -c 1')
})

test('Escape discards what is being recorded', async () => {
  const { key, seen, text, drawn, heard, asked } = await open({ record: 'cat speech.wav; exec sleep 60' })
  await key('f9')
  await seen('● Listening 1.')
  await key('escape')
  await isGone(drawn, text, '● Listening')
  expect([heard(), asked()]).toEqual([0, []])
})

test('hands-free sends at a pause, speaks the answer and listens again until Escape', async () => {
  const record = 'if [ -f played ]; then exec sleep 60; fi; cat speech.wav silence.raw; exec sleep 60'
  const { type, seen, key, asked, has, text, drawn, heard } = await open({ record }, { voice: { barge_in: 0 } })
  await type('/voice on', 'enter')
  await seen('It is fine.')
  await expect.poll(() => has('played')).toBe(true)
  await seen('● Listening 0.0')
  expect([asked(), heard()]).toEqual([['Hello there.'], 1])
  await key('escape')
  await isGone(drawn, text, '● Listening')
})

test('a person who speaks while an answer is played stops it, and is heard from the first word on', async () => {
  const record = `n=$(wc -l < recorders)
if [ $n = 1 ]; then cat speech.wav silence.raw; exec sleep 60; fi
if [ $n = 2 ]; then while [ ! -f played ]; do sleep 0.05; done; cat speech.raw silence.raw; fi
exec sleep 60`
  const { type, seen, asked, heard, settled } = await open(
    { record, play: 'if [ ! -f once ]; then touch once; exec sleep 60; fi' },
    { answers: ['A long story.', 'As you say.'], voice: { barge_in: 1.5 } },
  )
  await type('/voice on', 'enter')
  await seen('As you say.')
  await settled()
  expect(heard()).toBe(2)
  expect(asked().at(-1)).toBe('Hello there.')
})

test('hands-free ends after three times of silence', async () => {
  const { type, seen, heard, text, drawn } = await open({ record: 'cat silence.raw' }, { voice: { max_seconds: 5 } })
  await type('/voice on', 'enter')
  await seen('Nothing was heard.')
  await isGone(drawn, text, '● Listening')
  expect(heard()).toBe(0)
})

test('a key stops an answer that is played, and /voice off ends it all', async () => {
  const { key, type, seen, settled, text, drawn } = await open(
    { record: 'cat speech.wav; exec sleep 60', play: 'exec sleep 60' },
    { answers: ['one', 'two'], voice: { terminal: 'on' } },
  )
  await type('hello', 'enter')
  await seen('● Speaking')
  await key('f9')
  await isGone(drawn, text, '● Speaking')
  await type('/voice off', 'enter')
  await seen('No answer is spoken.')
  await type('again', 'enter')
  await seen('two')
  await settled()
  expect(text()).not.toContain('● Speaking')
})

test('a recorder that fails and programs that are missing are named, with what to do', async () => {
  const broken = await open({ record: 'echo "no soundcards found" >&2; exit 1' })
  await broken.key('f9')
  await broken.seen('no soundcards found')
  const bare = await open({ record: '', without: ['arecord', 'aplay'] })
  await bare.type('/voice on', 'enter')
  await bare.seen('No program that records was found')
  const check = bare.kernel.all(HealthChecks).get('voice')
  const findings = await check?.check(new AbortController().signal)
  expect(findings?.map(({ state, text }) => `${state} ${text}`)).toEqual([
    expect.stringMatching(/^ok Not used yet; missing for it: recorder, player/),
  ])
})

test('frames of a WAV have its rate, and a WAV of two channels is refused', async () => {
  const { FrameCutter } = await import('../../../../plugins/agent/voice/pcm.ts')
  const cutter = new FrameCutter()
  const bytes = speech()
  const frames = [bytes.subarray(0, 10), bytes.subarray(10, 50), bytes.subarray(50)].flatMap((part) =>
    cutter.push(part),
  )
  expect(Math.abs(frames.length * 30 - ((bytes.length - 44) / 2 / RATE) * 1000)).toBeLessThan(30)
  expect(toWav(frames, cutter.rate).readUInt32LE(24)).toBe(RATE)
  const stereo = Buffer.from(bytes)
  stereo.writeUInt16LE(2, 22)
  expect(() => new FrameCutter().push(stereo)).toThrow(/2 channels of 16 bits/)
})
