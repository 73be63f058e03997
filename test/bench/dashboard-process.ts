/** Programs that print that they listen. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Program } from './child.ts'

const START_MS = 30_000

/** A server and the port that it printed. */
export interface Listening {
  readonly process: ChildProcess
  readonly port: number
  /** Milliseconds from its start until it printed that. */
  readonly ms: number
}

export async function listen({ args, cwd, env }: Program): Promise<Listening> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for (;;) {
    const [piece] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(START_MS) })) as [Buffer]
    said += piece.toString()
    const [, port] = /READY port=(\d+)/.exec(said) ?? []
    if (port === undefined) continue
    const ms = performance.now() - started
    child.stdout.resume()
    return { process: child, port: Number(port), ms }
  }
}

export async function end({ process: child }: { readonly process: ChildProcess }): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
