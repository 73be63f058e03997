/**
 * Real mail servers on loopback: OpenSMTPD (opensmtpd.org) takes mail and hands it over LMTP to Dovecot (dovecot.org), which
 * has the mailboxes, and whose submission server wants a login and hands on to OpenSMTPD. (That of Debian 12 cannot speak TLS
 * itself: it and OpenSSL 3 do not fit.) their own Processes, with their own files.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, listening } from './ngircd.ts'
import { removeFolder } from './remove-folder.ts'

const DOVECOT = '/usr/sbin/dovecot'
const SMTPD = '/usr/sbin/smtpd'
const SUBMISSION = '/usr/lib/dovecot/submission-login'
const PASSWORD = 'mail-test-password'
const PATIENCE_MS = 20_000
const LOOK_MS = 20
/** The user whose files mailboxes are. */
const NOBODY = 65_534
/** Where OpenSMTPD keeps its queue; the program knows no other place. */
const SPOOL = '/var/spool/smtpd'

/** Why there are no mail servers to use; undefined when there are. In CI their absence is a failure, not an excuse. */
export function missingMailServers(): string | undefined {
  if (process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1') return undefined
  const absent = [DOVECOT, SUBMISSION, SMTPD].filter((program) => !existsSync(program))
  if (absent.length > 0) return `there is no ${absent.join(', ')}`
  return process.getuid?.() === 0 ? undefined : 'only root can start dovecot and opensmtpd'
}

/** A mail that lies in someone's mailbox. */
export interface DeliveredMail {
  readonly raw: string
  /** A header's value, unfolded; undefined when there is none. */
  header(name: string): string | undefined
  /** Behind the empty line, decoded when the whole mail is quoted-printable or base64. */
  body(): string
}

export class MailServers {
  readonly domain = 'example.test'
  readonly password = PASSWORD
  readonly imapPort: number
  /** Takes mail for the domain from anyone. */
  readonly smtpPort: number
  /** Wants STARTTLS and a login. */
  readonly submissionPort: number
  readonly #folder: string
  readonly #processes: ChildProcess[] = []
  #planted = 0

  readonly #introspectionUrl: string | undefined

  private constructor(
    folder: string,
    introspectionUrl: string | undefined,
    [imapPort, smtpPort, submissionPort]: readonly [number, number, number],
  ) {
    this.#folder = folder
    this.#introspectionUrl = introspectionUrl
    this.imapPort = imapPort
    this.smtpPort = smtpPort
    this.submissionPort = submissionPort
  }

  /** With an address for introspection (RFC 7662) Dovecot takes access tokens, too. */
  static async start({ introspectionUrl }: { readonly introspectionUrl?: string } = {}): Promise<MailServers> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-mail-'))
    chmodSync(folder, 0o755)
    const servers = new MailServers(folder, introspectionUrl, [await freePort(), await freePort(), await freePort()])
    try {
      servers.#prepare()
      servers.startDovecot()
      servers.#startSmtpd()
      await Promise.all([servers.imapPort, servers.smtpPort, servers.submissionPort].map(listening))
      return servers
    } catch (error) {
      await servers.stop()
      throw error
    }
  }

  /** The certificate of both, which they signed themselves. */
  get certificate(): string {
    return join(this.#folder, 'certificate.pem')
  }

  async stop(): Promise<void> {
    for (const child of this.#processes.splice(0)) await end(child)
    removeFolder(this.#folder)
  }

  /** The mailboxes go away; mail still comes in and waits. */
  async stopDovecot(): Promise<void> {
    const [dovecot] = this.#processes.splice(0, 1)
    if (dovecot) await end(dovecot)
  }

  startDovecot(): void {
    this.#processes.unshift(spawn(DOVECOT, ['-F', '-c', join(this.#folder, 'dovecot.conf')], { stdio: 'ignore' }))
  }

  /** What lies in a mailbox, oldest first. */
  mails(user: string): readonly DeliveredMail[] {
    const folders = ['new', 'cur'].map((name) => join(this.#folder, 'home', user, 'Maildir', name))
    const files = folders.filter(existsSync).flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    const order = (file: string) =>
      file.replace(/^.*\/(\d+)\.M(\d+)P.*$/, (_, s: string, us: string) => s + us.padStart(6, '0'))
    return files.sort((a, b) => (order(a) < order(b) ? -1 : 1)).map((file) => delivered(readFileSync(file, 'latin1')))
  }

  /** Puts a mail into a mailbox as it stands: some that lie there no server of today would have taken. */
  plant(user: string, raw: string | Buffer): void {
    const folder = join(this.#folder, 'home', user, 'Maildir', 'new')
    const file = join(folder, `${Math.floor(Date.now() / 1000)}.M${++this.#planted}P1.tester`)
    writeFileSync(file, raw)
    chownSync(file, NOBODY, NOBODY)
  }

  /** Hands over a mail as another server would: line by line, as it stands. Rejects with the words of a refusal. */
  async deliver(mail: { readonly from: string; readonly to: string; readonly raw: string | Buffer }): Promise<void> {
    const socket = connect({ port: this.smtpPort, host: '127.0.0.1' })
    let said = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const answer = async () => {
      const line = await eventually('an answer of the mail server', () => /^\d{3} .*$/m.exec(said)?.[0])
      said = ''
      if (/^[45]/.test(line)) throw new Error(line)
    }
    try {
      await answer()
      for (const line of ['EHLO tester', `MAIL FROM:<${mail.from}>`, `RCPT TO:<${mail.to}>`, 'DATA']) {
        socket.write(`${line}\r\n`)
        await answer()
      }
      const text = typeof mail.raw === 'string' ? Buffer.from(mail.raw).toString('latin1') : mail.raw.toString('latin1')
      const body = text.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')
      socket.write(Buffer.from(`${body}\r\n.\r\n`, 'latin1'))
      await answer()
    } finally {
      socket.destroy()
    }
  }

  #prepare(): void {
    const inside = (name: string) => join(this.#folder, name)
    mkdirSync(inside('run'), { mode: 0o755 })
    mkdirSync(inside('home'))
    chmodSync(inside('home'), 0o777)
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', inside('key.pem'), '-out', this.certificate]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
      stdio: 'ignore',
    })
    chmodSync(inside('key.pem'), 0o600)
    const users = ['svc', 'ann', 'bob'].map((name) => `${name}@${this.domain}`)
    writeFileSync(inside('users'), users.map((user) => `${user}:{PLAIN}${PASSWORD}\n`).join(''))
    writeFileSync(inside('virtuals'), users.map((user) => `${user} nobody\n`).join(''))
    writeFileSync(inside('dovecot.conf'), this.#dovecot())
    writeFileSync(inside('oauth2.conf'), oauthSettings(this.#introspectionUrl ?? ''))
    writeFileSync(inside('smtpd.conf'), this.#smtpd())
  }

  /** In a mount its own namespace where that is allowed, so that several can run: its places are fixed. */
  #startSmtpd(): void {
    mkdirSync(SPOOL, { recursive: true })
    const start = `exec ${SMTPD} -d -f '${join(this.#folder, 'smtpd.conf')}'`
    const mount = `mount -t tmpfs -o mode=711 tmpfs ${SPOOL} && mount -t tmpfs -o mode=755 tmpfs /run`
    const isAllowed = (() => {
      try {
        execFileSync('unshare', ['-m', 'sh', '-c', mount], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    })()
    const [program, ...args] = isAllowed ? ['unshare', '-m', 'sh', '-c', `${mount} && ${start}`] : ['sh', '-c', start]
    if (!isAllowed) chmodSync(SPOOL, 0o711)
    this.#processes.push(
      spawn(program ?? 'sh', args, { stdio: process.env['SVC_TEST_MAIL_LOG'] ? 'inherit' : 'ignore' }),
    )
  }

  #smtpd(): string {
    const inside = (name: string) => join(this.#folder, name)
    return [
      `table virtuals file:${inside('virtuals')}`,
      `listen on 127.0.0.1 port ${this.smtpPort} hostname mx.${this.domain}`,
      `action deliver lmtp "${inside('run/lmtp')}" rcpt-to virtual <virtuals>`,
      `match from any for domain "${this.domain}" action deliver`,
      '',
    ].join('\n')
  }

  #dovecot(): string {
    const inside = (name: string) => join(this.#folder, name)
    return `
base_dir = ${inside('run')}
state_dir = ${inside('run')}
log_path = ${inside('dovecot.log')}
protocols = imap lmtp submission
hostname = mx.${this.domain}
submission_relay_host = 127.0.0.1
submission_relay_port = ${this.smtpPort}
listen = 127.0.0.1
ssl = yes
ssl_cert = <${this.certificate}
ssl_key = <${inside('key.pem')}
disable_plaintext_auth = no
mail_location = maildir:~/Maildir
first_valid_uid = 1
mail_max_userip_connections = 100
auth_failure_delay = 0
${this.#introspectionUrl ? oauthLogin(inside('oauth2.conf')) : ''}passdb {
  driver = passwd-file
  args = ${inside('users')}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${inside('home')}/%n
}
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${this.imapPort}
    ssl = yes
  }
}
service submission-login {
  inet_listener submission {
    port = ${this.submissionPort}
  }
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
`
  }
}

function oauthLogin(settings: string): string {
  return `auth_mechanisms = plain xoauth2
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = ${settings}
}
`
}

function oauthSettings(url: string): string {
  return ['introspection_mode = post', `introspection_url = ${url}`, 'username_attribute = username', ''].join('\n')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await Promise.race([ended, pause(3000)])
  child.kill('SIGKILL')
}

function delivered(raw: string): DeliveredMail {
  const [head = '', ...rest] = raw.replace(/\r\n/g, '\n').split('\n\n')
  const unfolded = head.replace(/\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}:[ \t]*(.*)$`, 'im').exec(unfolded)?.[1]
  return {
    raw,
    header,
    body() {
      const text = rest.join('\n\n')
      const encoding = header('content-transfer-encoding')?.toLowerCase()
      if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
      const plain = encoding === 'quoted-printable' ? unquoted(text) : text
      return Buffer.from(plain, 'latin1').toString().trimEnd()
    },
  }
}

function unquoted(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Resolves once `look` finds something. */
export async function eventually<T>(what: string, look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const found = look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} did not happen`)
  }
}
