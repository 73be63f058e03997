/**
 * A server as a child process that leads a process group of its own, which is ended as a whole. One JSON message a line:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import type { GroupGuard } from './group-guard.ts'

/** A server is told to end by the end of its input, then by SIGTERM, then by SIGKILL. */
const GRACE_MS = 1500
const TERM_MS = 1500
const STDERR_BYTES = 4000
const MAX_GARBAGE = 100

export interface StdioOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Bytes of one message. */
  readonly maxBytes: number
  readonly clock: Clock
  readonly guard: GroupGuard
  /** Told once about lines that are no messages. */
  garbage(line: string): void
}

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T) => void
  readonly #options: StdioOptions
  #child: ChildProcess | undefined
  #gone: Promise<void> = Promise.resolve()
  #parts: Buffer[] = []
  #bytes = 0
  #stderr = ''
  #garbage = 0
  #failure: Error | undefined

  constructor(options: StdioOptions) {
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Why it ended, when it did more than end: for the error of a call that waited. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** The end of what it wrote to standard error. */
  get stderr(): string {
    return this.#stderr.trim()
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, guard } = this.#options
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: 'pipe', windowsHide: true })
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve())
      child.once('error', (cause) => {
        reject(new SvcError('MCP_CONNECT', `${command} cannot be run: ${errorMessage(cause)}.`, { cause }))
      })
    })
    const pid = child.pid as number
    guard.add(pid)
    this.#gone = new Promise((resolve) => {
      child.once('exit', () => {
        // Processes that it started are ended, too, however it ended.
        killGroup(pid, 'SIGKILL')
        guard.remove(pid)
        child.stdout.destroy()
        child.stderr.destroy()
        resolve()
        this.onclose?.()
      })
    })
    child.on('error', (error) => this.onerror?.(error))
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.subarray(-STDERR_BYTES)}`.slice(-STDERR_BYTES)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin
    if (!input?.writable) throw new SvcError('MCP_CALL', 'The server has ended.')
    await new Promise<void>((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  async close(): Promise<void> {
    const { clock } = this.#options
    const pid = this.#child?.pid
    if (pid === undefined) {
      this.onclose?.()
      return
    }
    this.#child?.stdin?.end()
    const isGone = () => this.#child?.exitCode !== null || this.#child?.signalCode !== null
    await waitAtMost(clock, GRACE_MS, this.#gone)
    if (!isGone()) {
      killGroup(pid, 'SIGTERM')
      await waitAtMost(clock, TERM_MS, this.#gone)
    }
    if (!isGone()) killGroup(pid, 'SIGKILL')
    await this.#gone
  }

  #read(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10, from); at >= 0; at = chunk.indexOf(10, from)) {
      this.#parts.push(chunk.subarray(from, at))
      const line = Buffer.concat(this.#parts)
      this.#parts = []
      this.#bytes = 0
      from = at + 1
      if (line.length <= this.#options.maxBytes) this.#take(line)
      else this.#refuse()
    }
    this.#parts.push(chunk.subarray(from))
    this.#bytes += chunk.length - from
    if (this.#bytes > this.#options.maxBytes) this.#refuse()
  }

  #take(line: Buffer): void {
    const text = line.toString('utf8').trim()
    if (text === '') return
    const message = parseMessage(text)
    if (message) {
      this.onmessage?.(message)
      return
    }
    this.#garbage += 1
    if (this.#garbage === 1) this.#options.garbage(text.slice(0, 200))
    if (this.#garbage === MAX_GARBAGE)
      this.#end(
        new SvcError('MCP_CALL', 'The server writes text that is no message of the protocol to its standard output.'),
      )
  }

  #refuse(): void {
    const megabytes = Math.round(this.#options.maxBytes / 1_048_576)
    this.#end(new SvcError('MCP_TOO_LARGE', `The server sent a message of more than ${megabytes} MB and was ended.`))
  }

  #end(error: Error): void {
    this.#failure ??= error
    this.#parts = []
    this.#bytes = 0
    this.#child?.stdout?.removeAllListeners('data')
    this.onerror?.(error)
    const pid = this.#child?.pid
    if (pid !== undefined) killGroup(pid, 'SIGKILL')
  }
}

function parseMessage(text: string): JSONRPCMessage | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as { readonly jsonrpc?: unknown }
    return value.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH' && (error as NodeJS.ErrnoException).code !== 'EPERM')
      throw error
  }
}
