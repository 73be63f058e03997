/** Runs a command in the user's shell, with the user's rights and environment: it is the user who typed it. */
import { spawn } from 'node:child_process'

export interface ShellDeps {
  /** The program that reads the command. */
  shell(): string
  /** A text without secrets that are known. */
  mask(text: string): string
  /** Aborted when the plugin is unloaded. */
  readonly signal: AbortSignal
}

/** Kept of the output; the middle of more is left out. */
const MAX_BYTES = 64 * 1024

/** Standard output and standard error in the order in which they came. Never rejects. */
export function runShell(
  command: string,
  cwd: string,
  outer: AbortSignal,
  { shell, signal }: ShellDeps,
): Promise<{ readonly output: string; readonly ending: string }> {
  const stop = AbortSignal.any([outer, signal])
  return new Promise((resolve) => {
    const child = spawn(shell(), ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const output = new Output()
    const kill = () => {
      try {
        // The group, so that nothing which it started stays.
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        child.kill('SIGKILL')
      }
    }
    const end = (ending: string) => {
      stop.removeEventListener('abort', kill)
      resolve({ output: output.text, ending })
    }
    stop.addEventListener('abort', kill, { once: true })
    if (stop.aborted) kill()
    child.stdout.on('data', (data: Buffer) => output.add(data))
    child.stderr.on('data', (data: Buffer) => output.add(data))
    child.on('error', (error) => end(error.message))
    child.on('close', (code, by) => end(stop.aborted ? 'stopped' : code === null ? `ended by ${by}` : `exit ${code}`))
  })
}

/** The beginning and the end of what came. */
class Output {
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #left = 0

  add(data: Buffer): void {
    const room = MAX_BYTES / 2 - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, data.subarray(0, room)])
    const rest = Buffer.concat([this.#tail, data.subarray(Math.max(0, room))])
    const tail = rest.subarray(Math.max(0, rest.length - MAX_BYTES / 2))
    this.#left += rest.length - tail.length
    this.#tail = tail
  }

  get text(): string {
    const gap = this.#left > 0 ? `\n[${this.#left} bytes left out]\n` : ''
    return `${this.#head}${gap}${this.#tail}`
  }
}
