/** Plays a sound with a program, until its end or until the signal aborts. */
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import type { SynthesizedSpeech } from 'svc/sdk/media'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import type { PlayerProgram } from './audio-programs.ts'

export interface PlaybackDeps {
  readonly program: PlayerProgram
  readonly environment: Readonly<Record<string, string>>
  /** Where the file is while it is played. */
  readonly folder: string
  /** Of the file, without its ending. */
  readonly name: string
  readonly signal: AbortSignal
}

/** Resolves at its end, also when it was stopped. Rejects with `VOICE_PLAYER`. */
export async function play({ bytes, format }: SynthesizedSpeech, deps: PlaybackDeps): Promise<void> {
  const { program, environment, folder, name, signal } = deps
  if (signal.aborted) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${name}.${format === 'opus' ? 'ogg' : format}`)
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    const isNamed = program.words.some((word) => word.includes('{file}'))
    const words = isNamed ? program.words.map((word) => word.replace('{file}', path)) : [...program.words, path]
    await run(program.name, words, environment, signal)
  } finally {
    await rm(path, { force: true })
  }
}

async function run(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(program, words, {
    env: { ...environment, [AGENT_PROCESS_VARIABLE]: 'voice' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-300)
  })
  const stop = () => killGroup(child.pid, 'SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (what: string, cause?: unknown) =>
        reject(
          new SvcError('VOICE_PLAYER', `${program} does not play: ${what}. Set voice.player to another one.`, {
            cause,
          }),
        )
      child.once('error', (error) => fail(error.message, error))
      child.once('close', (code) => {
        if (code === 0 || signal.aborted) resolve()
        else fail(errors.trim().split('\n').at(-1) || `it ended with ${code}`)
      })
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
