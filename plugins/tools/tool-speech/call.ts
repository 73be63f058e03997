/** One call of a program: it has a temporary folder for its input and output, which is removed afterwards. */
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import type { AudioFormat, MediaFile } from 'svc/sdk/media'
import { commandWords, fillWords } from './command-words.ts'
import { type ProgramEnd, runProgram } from './program.ts'

/** How a program is called. */
export interface ProgramCall {
  /** A text of config.yaml, or the words. `{input}`, `{output}` and `{folder}` are filled in. */
  readonly command: string | readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly mask: (text: string) => string
}

const MAX_SOUND = 256 * 2 ** 20
const MAX_TEXT = 8 * 2 ** 20

/** Has the text spoken. It is in the file `{input}`, or else comes by standard input; the sound is in `{output}`. */
export function speakWith(call: ProgramCall, text: string, format: AudioFormat): Promise<Uint8Array> {
  return inFolder(call, async (words) => {
    const [input, output] = [join(call.folder, 'input.txt'), join(call.folder, `output.${format}`)]
    await writeFile(input, text, { mode: 0o600 })
    const byFile = words.some((word) => word.includes('{input}'))
    await run(call, fillWords(words, { input, output, folder: call.folder }), byFile ? '' : text)
    return readBounded(output, MAX_SOUND, call)
  })
}

/** Has the sound in `{input}` listened to. The words are in `{output}` (or `<folder>/input.txt`), or else what it prints. */
export function listenWith(call: ProgramCall, sound: MediaFile): Promise<string> {
  return inFolder(call, async (words) => {
    const [input, output] = [join(call.folder, `input.${sound.extension}`), join(call.folder, 'input.txt')]
    await writeFile(input, sound.bytes, { mode: 0o600 })
    const { output: printed } = await run(call, fillWords(words, { input, output, folder: call.folder }), '')
    if (!words.some((word) => /\{(output|folder)\}/.test(word))) return printed
    return Buffer.from(await readBounded(output, MAX_TEXT, call)).toString('utf8')
  })
}

async function inFolder<T>(call: ProgramCall, work: (words: readonly string[]) => Promise<T>): Promise<T> {
  const words = typeof call.command === 'string' ? commandWords(call.command) : call.command
  try {
    await mkdir(call.folder, { recursive: true, mode: 0o700 })
    return await work(words)
  } finally {
    await rm(call.folder, { recursive: true, force: true })
  }
}

async function run(call: ProgramCall, command: readonly string[], input: string): Promise<ProgramEnd> {
  const { folder: cwd, environment, signal, timeoutMs, clock } = call
  const name = command[0] ?? ''
  const ended = await runProgram({ command, cwd, environment, input, signal, timeoutMs, clock }).catch(
    (error: unknown) => {
      throw signal.aborted ? signal.reason : failure(call, `${name} cannot be run: ${errorMessage(error)}`)
    },
  )
  if (ended.end === 'timeout')
    throw failure(call, `${name} took longer than ${timeoutMs / 1000} s (speech.program_seconds)`)
  if (ended.code === 0) return ended
  const said = ended.errors === '' ? '' : `: ${ended.errors.split('\n').slice(-5).join(' ')}`
  throw failure(call, `${name} ended with ${ended.code}${said}`)
}

async function readBounded(path: string, limit: number, call: ProgramCall): Promise<Uint8Array> {
  const file = await open(path).catch(() => {
    throw failure(call, 'the program ended well, but wrote no file')
  })
  try {
    const { size } = await file.stat()
    if (size > limit) throw failure(call, `the program wrote ${size} bytes, which is more than ${limit}`)
    return await readFile(file)
  } finally {
    await file.close()
  }
}

function failure({ mask }: ProgramCall, said: string): SvcError {
  return new SvcError('SPEECH_FAILED', `${mask(said)}.`, { status: 502 })
}
