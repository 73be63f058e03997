/** The killed process, as the one that kills it sees it: lines of JSON out, lines of text in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { builtKit } from '../built-kit.ts'
import type { KilledGatewayOptions } from './gateway.ts'

/** What it says first. */
export interface ReadyReport {
  readonly ready: boolean
  readonly reason?: string
  readonly url?: string
}

/** What it says when nothing is under way. */
export interface SettledReport {
  readonly steps: number
  readonly inbox: Readonly<Record<string, number>>
  readonly outbox: Readonly<Record<string, number>>
  readonly deliveries: readonly { readonly key: string; readonly state: string; readonly error?: string }[]
}

export interface GatewayProcess {
  /** What it complained of. */
  complaints(): string
  /** The next line; undefined when it has ended. */
  next<T>(): Promise<T | undefined>
  send(line: string): void
  end(): Promise<void>
}

const program = `
const [address, options] = process.argv.slice(1)
const { runKilledGateway } = await import(address)
await runKilledGateway(JSON.parse(options))
process.exit(0)
`
const END_MS = 20_000
const MAX_COMPLAINTS = 2000

export function startGateway(options: KilledGatewayOptions): GatewayProcess {
  const address = pathToFileURL(builtKit().file).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, address, JSON.stringify(options)], {
    cwd: options.home,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  })
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined)
  let complaints = ''
  child.stderr.on('data', (said: Buffer) => {
    complaints = `${complaints}${said}`.slice(-MAX_COMPLAINTS)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    complaints: () => complaints,
    async next<T>() {
      const { done, value } = await lines.next()
      return done ? undefined : (JSON.parse(value) as T)
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    async end() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
