/** The terminal or pipes that a command talks to. */

import type { Readable, Writable } from 'node:stream'
import type { CliContext } from '../sdk/cli.ts'
import { SvcError } from '../sdk/errors.ts'
import { toRegistration } from '../sdk/kit/async/registration.ts'
import { splitLines } from '../sdk/kit/net/lines.ts'
import { Lines } from '../sdk/kit/terminal/ask.ts'
import type { Interruption } from './crash.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Output = Readonly<Record<'stdout' | 'stderr', NodeJS.WriteStream>>

/** The streams of this process as a command sees them. */
export function processIo(env: Environment, interruption: Interruption, output: Output = process): CliContext {
  const { stdin } = process
  const { stdout, stderr } = output
  const { signal, onInterrupt } = interruption
  const interrupt = () => void process.kill(process.pid, 'SIGINT')
  const lines = new Lines({ stdin, stdout, signal, interrupt })
  const held: string[] = []
  let holds = 0
  const hold = () => {
    holds++
    return toRegistration(() => {
      if (--holds === 0) stderr.write(held.splice(0).join(''))
    })
  }
  for (const stream of [stdout, stderr]) stream.on('error', leaveQuietly)
  // Kept for a second run of the command: the stream gives it once.
  let input: Promise<Uint8Array> | undefined
  const readInput = (limit: number) => {
    input ??= readAll(stdin, limit)
    return input
  }
  return {
    out: (text) => void stdout.write(text),
    drained: () => drained(stdout),
    err: (text) => void (holds > 0 ? held.push(text) : stderr.write(text)),
    stdin: async (limit) => (stdin.isTTY ? undefined : readInput(limit)),
    lines: (maxBytes) => splitLines(stdin, { maxBytes, keepsRest: true }),
    ask: (prompt, options) => lines.ask(prompt, options),
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
    ...(stdin.isTTY && stdout.isTTY && { terminal: { input: stdin, output: stdout, hold } }),
    color: wantsColor(env, Boolean(stdout.isTTY)),
    columns: stdout.columns || 80,
    cwd: process.cwd(),
    signal,
    onInterrupt: (listener) => toRegistration(onInterrupt(listener)),
  }
}

/** Resolves when the stream takes more, or will never take any more. */
export async function drained(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return
  await new Promise<void>((resolve) => {
    const ends = ['drain', 'close', 'error'] as const
    const done = () => {
      for (const end of ends) stream.off(end, done)
      resolve()
    }
    for (const end of ends) stream.on(end, done)
  })
}

/** https://no-color.org and the customary FORCE_COLOR. */
export function wantsColor(env: Environment, terminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return terminal && env['TERM'] !== 'dumb'
}

/** All bytes of a stream, or `INPUT_TOO_LARGE`. */
export async function readAll(stream: Readable, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : (part as Uint8Array)
    size += bytes.length
    if (size > limit) {
      stream.destroy()
      const megabytes = Math.round(limit / 2 ** 20)
      throw new SvcError('INPUT_TOO_LARGE', `Standard input is over ${megabytes} MiB. Write it to a file and name it.`)
    }
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}

/** The reader of the pipe has closed it (`svc ... | head`): further output cannot be delivered. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
