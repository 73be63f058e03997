/** A real server of IRC: ngIRCd (ngircd.barton.de) on loopback, as its own process. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeFolder } from './remove-folder.ts'

const PROGRAM = '/usr/sbin/ngircd'
const PATIENCE_MS = 20_000
const LOOK_MS = 20

/** Why there is no ngIRCd to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingNgircd(): string | undefined {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : 'ngircd is not installed'
  }
}

/** How the server is. */
export interface NgircdOptions {
  readonly password?: string
  /** A file with key and certificate: then it speaks TLS. */
  readonly certificate?: { readonly key: string; readonly certificate: string }
}

/** A running server. */
export class Ngircd {
  readonly port: number
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port
    this.#process = child
    this.#folder = folder
  }

  static async start(options: NgircdOptions = {}): Promise<Ngircd> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-ngircd-'))
    const port = await freePort()
    const file = join(folder, 'ngircd.conf')
    writeFileSync(file, configuration(port, options))
    const child = spawn(PROGRAM, ['--nodaemon', '--config', file], { stdio: 'ignore' })
    const server = new Ngircd(port, child, folder)
    try {
      await listening(port)
    } catch (error) {
      await server.stop()
      throw error
    }
    return server
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode === null && this.#process.signalCode === null && this.#process.kill('SIGTERM'))
      await Promise.race([ended, pause(2000)])
    this.#process.kill('SIGKILL')
    removeFolder(this.#folder)
  }
}

function configuration(port: number, { password, certificate }: NgircdOptions): string {
  const tls = certificate
    ? ['[SSL]', `KeyFile = ${certificate.key}`, `CertFile = ${certificate.certificate}`, `Ports = ${port}`]
    : []
  return [
    '[Global]',
    'Name = irc.test.example',
    'Info = for tests',
    'Listen = 127.0.0.1',
    // A port is needed even when only the one with TLS is used; loopback has room for a second.
    ...(certificate ? [] : [`Ports = ${port}`]),
    'MotdPhrase = hello',
    // It gives up its rights; the user of the package may read nothing of ours, and does not have to.
    'ServerUID = 65534',
    'ServerGID = 65534',
    ...(password ? [`Password = ${password}`] : []),
    '[Limits]',
    'MaxConnectionsIP = 0',
    'MaxNickLength = 20',
    'MaxPenaltyTime = 0',
    'ConnectRetry = 60',
    '[Options]',
    'DNS = no',
    'Ident = no',
    'PAM = no',
    ...tls,
    '',
  ].join('\n')
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Resolves once something listens there. */
export async function listening(port: number): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const socket = connect({ port, host: '127.0.0.1' })
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    if (Date.now() > end) throw new Error(`nothing listens on port ${port}`)
    await pause(LOOK_MS)
  }
}

/** Someone with the simplest of all clients. */
export class IrcPerson {
  readonly nick: string
  readonly lines: string[] = []
  readonly #socket: Socket

  private constructor(nick: string, socket: Socket) {
    this.nick = nick
    this.#socket = socket
  }

  static async join(port: number, nick: string, options: { channel?: string; password?: string } = {}) {
    const socket = connect({ port, host: '127.0.0.1' })
    const person = new IrcPerson(nick, socket)
    let rest = ''
    socket.setEncoding('utf8').on('error', () => socket.destroy())
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('PING ')) person.write(line.replace('PING', 'PONG'))
        person.lines.push(line)
      }
    })
    if (options.password) person.write(`PASS ${options.password}`)
    person.write(`NICK ${nick}`, `USER ${nick} 0 * :${nick}`)
    await person.sees(/ 376 | 422 /)
    if (options.channel) {
      person.write(`JOIN ${options.channel}`)
      await person.sees(/ 366 /)
    }
    return person
  }

  write(...lines: readonly string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`)
  }

  /** Resolves with the first line that fits. */
  async sees(pattern: RegExp): Promise<string> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const found = this.lines.find((line) => pattern.test(line))
      if (found !== undefined) return found
      if (Date.now() > end) throw new Error(`${pattern} was not said:\n${this.lines.join('\n')}`)
      await pause(LOOK_MS)
    }
  }

  /** Words of messages, in order. */
  heard(): readonly string[] {
    return this.lines.flatMap((line) => / PRIVMSG \S+ :(.*)$/.exec(line)?.[1] ?? [])
  }

  leave(): void {
    this.#socket.destroy()
  }
}
