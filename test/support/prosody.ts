/** A real server of XMPP: Prosody (prosody.im) on loopback, as its own process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, client, xml } from '@xmpp/client'
import { useOwnReading } from '../../plugins/messaging/platforms/platform-xmpp/session.ts'
import { freePort, listening } from './ngircd.ts'
import { removeFolder } from './remove-folder.ts'

const PROGRAM = '/usr/bin/prosody'
export const DOMAIN = 'localhost'
export const ROOMS = 'rooms.localhost'
/** Of every account. */
export const PASSWORD = 'prosody-password-for-tests'

export type Stanza = ReturnType<typeof xml>

/** Why there is no Prosody to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingProsody(): string | undefined {
  if (existsSync(PROGRAM) || process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1') return undefined
  return 'prosody is not installed'
}

/** How the server is. */
export interface ProsodyOptions {
  readonly accounts: readonly string[]
  /** Then it speaks TLS. */
  readonly certificate?: { readonly key: string; readonly certificate: string }
}

/** A running server. */
export class Prosody {
  readonly port: number
  readonly #folder: string
  readonly #httpPort: number
  #process: ChildProcess | undefined

  private constructor(ports: readonly [number, number], folder: string) {
    ;[this.port, this.#httpPort] = ports
    this.#folder = folder
  }

  static async start(options: ProsodyOptions): Promise<Prosody> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-prosody-'))
    const server = new Prosody([await freePort(), await freePort()], folder)
    const accounts = join(folder, 'data', DOMAIN, 'accounts')
    mkdirSync(accounts, { recursive: true })
    for (const name of options.accounts)
      writeFileSync(join(accounts, `${name}.dat`), `return { ["password"] = "${PASSWORD}"; };\n`)
    writeFileSync(join(folder, 'prosody.cfg.lua'), server.#configuration(options))
    await server.restart()
    return server
  }

  /** Ends the process, if there is one, and starts another over the same data. */
  async restart(): Promise<void> {
    await this.#end()
    this.#process = spawn(PROGRAM, ['--config', join(this.#folder, 'prosody.cfg.lua'), '-F'], { stdio: 'ignore' })
    await listening(this.port)
  }

  async stop(): Promise<void> {
    await this.#end()
    removeFolder(this.#folder)
  }

  async #end(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM'))
      await Promise.race([ended, pause(5000)])
    child.kill('SIGKILL')
  }

  #configuration({ certificate }: ProsodyOptions): string {
    const modules = [
      'saslauth',
      'disco',
      'roster',
      'carbons',
      'mam',
      'ping',
      'smacks',
      'presence',
      'message',
      'iq',
      'http',
    ]
    const quoted = [...modules, ...(certificate ? ['tls'] : [])].map((name) => `"${name}"`).join(';')
    const tls = certificate ? [`ssl = { key = "${certificate.key}"; certificate = "${certificate.certificate}" }`] : []
    return [
      // The folder is of the user who runs the tests.
      'run_as_root = true',
      `data_path = "${join(this.#folder, 'data')}"`,
      `pidfile = "${join(this.#folder, 'prosody.pid')}"`,
      `log = { error = "${join(this.#folder, 'error.log')}" }`,
      'interfaces = { "127.0.0.1" }',
      `c2s_ports = { ${this.port} }`,
      `http_ports = { ${this.#httpPort} }`,
      'https_ports = {}',
      `modules_enabled = { ${quoted} }`,
      'modules_disabled = { "s2s" }',
      'c2s_require_encryption = false',
      'allow_unencrypted_plain_auth = true',
      'authentication = "internal_plain"',
      'limits = {}',
      ...tls,
      `VirtualHost "${DOMAIN}"`,
      `Component "${ROOMS}" "muc"`,
      'modules_enabled = { "muc_mam" }',
      'muc_log_by_default = true',
      'muc_room_locking = false',
      'muc_room_default_persistent = true',
      `Component "files.${DOMAIN}" "http_file_share"`,
      `http_external_url = "http://127.0.0.1:${this.#httpPort}/"`,
      `http_host = "127.0.0.1"`,
      '',
    ].join('\n')
  }
}

/** Someone with a client. */
export class XmppPerson {
  readonly jid: string
  readonly messages: Stanza[] = []
  readonly #client: Client

  private constructor(jid: string, its: Client) {
    this.jid = jid
    this.#client = its
    its.on('stanza', (stanza: Stanza) => {
      if (stanza.name === 'message') this.messages.push(stanza)
    })
    its.on('error', () => undefined)
  }

  static async join(port: number, name: string, room?: string): Promise<XmppPerson> {
    const resource = `r${Math.round(performance.now() * 1000)}`
    const service = `xmpp://127.0.0.1:${port}`
    // PLAIN costs no time; svc logs in with SCRAM.
    const credentials = (authenticate: (credentials: object, mechanism: string) => Promise<void>) =>
      authenticate({ username: name, password: PASSWORD }, 'PLAIN')
    const its = client({ service, domain: DOMAIN, credentials, resource } as unknown as Parameters<typeof client>[0])
    its.reconnect.stop()
    useOwnReading(its)
    const person = new XmppPerson(`${name}@${DOMAIN}`, its)
    await its.start()
    await person.send(xml('presence'))
    if (room !== undefined) {
      const x = xml('x', { xmlns: 'http://jabber.org/protocol/muc' })
      await its.send(xml('presence', { to: `${room}/${name}` }, x))
      await person.#barrier(room)
    }
    return person
  }

  /** What is said in messages with a body, without what was said before it came. */
  heard(): readonly string[] {
    return this.messages.flatMap((each) => {
      const body = each.getChildText('body')
      return typeof body === 'string' && body !== '' && !each.getChild('delay') ? [body] : []
    })
  }

  async say(to: string, text: string, ...more: readonly Stanza[]): Promise<void> {
    const type = to.endsWith(`@${ROOMS}`) ? 'groupchat' : 'chat'
    const id = `id-${Math.round(performance.now() * 1000)}`
    await this.send(xml('message', { to, type, id }, xml('body', {}, text), ...more))
  }

  /** Resolves once the server has handled it. */
  async send(stanza: Stanza): Promise<void> {
    await this.#client.send(stanza)
    await this.#barrier(DOMAIN)
  }

  async leave(): Promise<void> {
    await this.#client.stop().catch(() => undefined)
  }

  async #barrier(to: string): Promise<void> {
    const ping = xml('ping', { xmlns: 'urn:xmpp:ping' })
    await this.#client.iqCaller.request(xml('iq', { type: 'get', to }, ping)).catch(() => undefined)
  }
}
