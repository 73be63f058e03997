import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wav } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { KEY, stage } from './speech-stage.ts'

/** A program in its own folder, which is the only one on the PATH besides those of the system. */
function program(name: string, script: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'speech.wav'), wav([5, 6]))
  writeFileSync(join(folder, name), `#!/bin/sh\nhere='${folder}'\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
  return folder
}

const withPath = (folder: string, more: Record<string, string> = {}) => ({ PATH: `${folder}:/usr/bin:/bin`, ...more })

test('espeak-ng speaks where it is installed, given the text in a file', async () => {
  const path = program('espeak-ng', 'echo "$@" > "$here/args"; cat "$4" > "$here/text"; cp "$here/speech.wav" "$6"')
  const { speak, spent, kernel } = await stage({ speech: () => ({ espeak_voice: 'de' }), env: withPath(path) })
  const result = await speak({ text: '-q --help; $(touch x)' })
  expect(result).toMatchObject({ data: { format: 'wav', backend: 'espeak' } })
  expect(readFileSync((result.data as { path: string }).path).equals(wav([5, 6]))).toBe(true)
  expect(readFileSync(join(path, 'text'), 'utf8')).toBe('-q --help; $(touch x)')
  expect(readFileSync(join(path, 'args'), 'utf8')).toMatch(/^-v de -f \S+\/input\.txt -w \S+\/output\.wav\n$/)
  expect(spent).toEqual([])
  expect(readdirSync(join(kernel.home, 'data', 'tool-speech', 'work'))).toEqual([])
})

test('piper reads the text from its standard input, and has to be told a voice', async () => {
  const path = program('piper', 'cat > "$here/text"; cp "$here/speech.wav" "$4"')
  const { speak } = await stage({ speech: () => ({ piper_model: 'anna.onnx' }), env: withPath(path) })
  expect(await speak({ text: 'Hello\nthere.' })).toMatchObject({ data: { backend: 'piper' } })
  expect(readFileSync(join(path, 'text'), 'utf8')).toBe('Hello there.')
  const voiceless = await stage({ speech: () => ({ tts_backend: 'piper' }), env: withPath(path) })
  expect(voiceless.findTool('text_to_speech').missing?.()).toBe('piper needs speech.piper_model')
})

test('whisper writes what it heard into the folder it is given', async () => {
  const path = program('whisper', 'echo "$@" > "$here/args"; echo "Heard it." > "$7/input.txt"')
  const { listen, folder } = await stage({ speech: () => ({}), env: withPath(path) })
  writeFileSync(join(folder, 'a.wav'), wav([1]))
  expect(await listen('a.wav')).toMatchObject({ text: 'Heard it.', data: { backend: 'whisper' } })
  expect(readFileSync(join(path, 'args'), 'utf8')).toMatch(/input\.wav --model base --output_format txt --output_dir/)
})

test('commands of the user come first, run without a shell, and know no keys', async () => {
  const path = program('mouth', 'env > "$here/env"; cat > "$here/text"; cp "$here/speech.wav" "$2"')
  writeFileSync(join(path, 'ear'), '#!/bin/sh\necho "printed $1"\n', { mode: 0o755 })
  const { speak, listen, folder } = await stage({
    speech: () => ({
      tts_command: `'${path}/mouth' "two words" {output} ;`,
      stt_command: `${path}/ear "a  b" {input}`,
    }),
    env: withPath('/nowhere', { OPENAI_API_KEY: KEY }),
  })
  expect(await speak({ text: 'Hello.' })).toMatchObject({ data: { backend: 'command', format: 'wav' } })
  expect(readFileSync(join(path, 'text'), 'utf8')).toBe('Hello.')
  const environment = readFileSync(join(path, 'env'), 'utf8')
  expect(environment).toMatch(/^PATH=/m)
  expect(environment).not.toContain(KEY)
  writeFileSync(join(folder, 'a.wav'), wav([1]))
  expect((await listen('a.wav')).text).toBe('printed a  b')
})

test.for<readonly [string, string, RegExp]>([
  ['fails', 'echo "no such voice: x" >&2; exit 3', /mouth ended with 3: no such voice: x\./],
  ['writes nothing', 'exit 0', /ended well, but wrote no file\./],
  ['writes an empty file', ': > "$1"', /did not speak: the data is empty/],
  ['writes a text', 'echo hello > "$1"', /did not speak: the data is text/],
  ['is killed', 'kill -9 $$', /mouth ended with SIGKILL/],
])('a program that %s is a failure with its reason', async ([, script, reason]) => {
  const path = program('mouth', script)
  const { failure } = await stage({ speech: () => ({ tts_command: `${path}/mouth {output}` }), env: withPath(path) })
  const said = await failure('text_to_speech', { text: 'Hello.' })
  expect(said).toMatch(/^SPEECH_FAILED: /)
  expect(said).toMatch(reason)
})

test('a command that cannot be read or found is said', async () => {
  const open = await stage({ speech: () => ({ tts_command: 'say "x' }) })
  expect(await open.failure('text_to_speech', { text: 'Hello.' })).toMatch(/^SPEECH_COMMAND: A quote is not closed/)
  const gone = await stage({ speech: () => ({ tts_command: '/nowhere/say {output}' }) })
  expect(await gone.failure('text_to_speech', { text: 'Hello.' })).toMatch(/^SPEECH_FAILED: .* cannot be run: .*ENOENT/)
})

test('an interrupt ends a program with all it has started', async () => {
  const path = program('mouth', 'sleep 600 & echo $! > "$here/child.part"; mv "$here/child.part" "$here/child"; wait')
  const { speak } = await stage({ speech: () => ({ tts_command: `${path}/mouth` }), env: withPath(path) })
  const controller = new AbortController()
  const running = speak({ text: 'Hello.' }, controller.signal)
  const began = expect.poll(() => existsSync(join(path, 'child')), { timeout: 8000, interval: 10 })
  await began.toBe(true)
  const child = Number(readFileSync(join(path, 'child'), 'utf8'))
  controller.abort(new Error('interrupted by the user'))
  await expect(running).rejects.toThrow('interrupted by the user')
  const isAlive = () => {
    try {
      // One that has ended and no one waited for is still in the table.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 8000, interval: 10 }).toBe(false)
})

test('what a program leaves behind does not keep the tool waiting', async () => {
  const path = program('mouth', 'setsid sleep 30 & echo $! > "$here/child"; cp "$here/speech.wav" "$1"')
  const speech = () => ({ tts_command: `${path}/mouth {output}` })
  const { speak } = await stage({ speech, env: withPath(path) })
  expect(await speak({ text: 'Hello.' })).toMatchObject({ data: { backend: 'command' } })
  try {
    process.kill(Number(readFileSync(join(path, 'child'), 'utf8')), 'SIGKILL')
  } catch {
    // It had not left the family yet when that was ended.
  }
})

test('a program has its seconds', async () => {
  const path = program('mouth', 'sleep 600')
  const speech = () => ({ tts_command: `${path}/mouth`, program_seconds: 1 })
  const { failure } = await stage({ speech, env: withPath(path) })
  expect(await failure('text_to_speech', { text: 'Hello.' })).toMatch(
    /took longer than 1 s \(speech\.program_seconds\)/,
  )
})

const onPath = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'espeak-ng')))

test.skipIf(onPath === undefined)('the real espeak-ng speaks, where this machine has it', async () => {
  const { speak } = await stage({ speech: () => ({ espeak_voice: 'en' }), env: withPath(onPath ?? '') })
  const result = await speak({ text: '-q is no option here; this is spoken. Ünïcode, too.' })
  const { path, bytes } = result.data as { path: string; bytes: number }
  expect(bytes).toBeGreaterThan(20_000)
  expect(readFileSync(path).toString('latin1', 0, 4)).toBe('RIFF')
})
