/** A running recorder: yields frames until it is stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import type { AudioProgram } from './audio-programs.ts'
import { type Frame, FrameCutter } from './pcm.ts'

export interface RecordingDeps {
  readonly program: AudioProgram
  readonly environment: Readonly<Record<string, string>>
  readonly onFrame: (frame: Frame) => void
}

const MAX_ERRORS = 300

export class Recording {
  /** Resolves when the recorder has ended. Rejects with `VOICE_...` when it failed before it was stopped. */
  readonly ended: Promise<void>
  readonly #cutter: FrameCutter = new FrameCutter()
  readonly #child: ChildProcess
  #isStopped = false

  constructor({ program, environment, onFrame }: RecordingDeps) {
    const child = spawn(program.name, program.words, {
      env: { ...environment, [AGENT_PROCESS_VARIABLE]: 'voice' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#child = child
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_ERRORS)
    })
    this.ended = new Promise((resolve, reject) => {
      const fail = (what: string, cause?: unknown) => {
        const message = `${program.name} does not record: ${what}. Look whether a microphone is connected, or set voice.recorder.`
        reject(this.#isStopped ? undefined : new SvcError('VOICE_RECORDER', message, { cause }))
      }
      child.stdout.on('data', (bytes: Buffer) => {
        if (this.#isStopped) return
        try {
          for (const frame of this.#cutter.push(bytes)) onFrame(frame)
        } catch (error) {
          reject(error as Error)
          this.stop()
        }
      })
      child.once('error', (error) => fail(error.message, error))
      child.once('close', (code) => {
        if (this.#isStopped || code === 0) resolve()
        else fail(errors.trim().split('\n').at(-1) || `it ended with ${code}`)
      })
    })
    // Waiting callers get the error; without callers it must not become an unhandled rejection.
    this.ended.catch(() => undefined)
  }

  /** Samples a second. */
  get rate(): number {
    return this.#cutter.rate
  }

  /** What is recorded after this is not taken. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    killGroup(this.#child.pid, 'SIGKILL')
  }
}
