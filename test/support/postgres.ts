/** A real PostgreSQL server on loopback, in a temporary folder, as its own processes. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { removeFolder } from './remove-folder.ts'

const PASSWORD = 'word of the test'
/** Where Debian and others put the programs of a server. */
const ROOTS = ['/usr/lib/postgresql', '/usr/local/pgsql', '/usr/pgsql']
const START_MS = 30_000

function findPrograms(): string | undefined {
  const versions = ROOTS.filter(existsSync).flatMap((root) => readdirSync(root).map((name) => join(root, name, 'bin')))
  return versions.filter((folder) => existsSync(join(folder, 'initdb'))).at(-1)
}

/** The server refuses to run as root. */
function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) }
}

/** Why there is no server to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingPostgres(): string | undefined {
  if (findPrograms() !== undefined) return undefined
  return process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : 'PostgreSQL is not installed'
}

export class Postgres {
  readonly port: number
  readonly #folder: string
  readonly #user: { uid?: number; gid?: number }
  #settings: readonly string[] = []
  #process: ChildProcess | undefined

  private constructor(folder: string, port: number, user: { uid?: number; gid?: number }) {
    this.#folder = folder
    this.port = port
    this.#user = user
  }

  static async start(): Promise<Postgres> {
    const user = findUser()
    const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
    if (user.uid !== undefined) execFileSync('chown', [`${user.uid}:${user.gid}`, folder])
    const words = join(folder, 'password')
    writeFileSync(words, PASSWORD, { mode: 0o644 })
    const server = new Postgres(folder, await freePort(), user)
    const initdb = join(findPrograms() ?? '', 'initdb')
    const how = ['-D', server.#data, '-U', 'svc', '-A', 'scram-sha-256', `--pwfile=${words}`, '-E', 'UTF8']
    execFileSync(initdb, [...how, '--no-sync', '--locale=C'], { ...user, cwd: folder, stdio: 'pipe' })
    await server.run()
    return server
  }

  /** With the password. */
  get url(): string {
    return `postgres://svc:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/postgres`
  }

  /** What must not be seen anywhere. */
  get password(): string {
    return PASSWORD
  }

  /** Begins to serve, after `kill` or at first. */
  async run(): Promise<void> {
    const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${this.#folder}`]
    const words = [...settings, ...this.#settings, 'max_connections=60', 'shared_buffers=16MB'].flatMap((each) => [
      '-c',
      each,
    ])
    const program = join(findPrograms() ?? '', 'postgres')
    const how = ['-D', this.#data, '-p', String(this.port), ...words]
    this.#process = spawn(program, how, { ...this.#user, cwd: this.#folder, stdio: 'ignore' })
    const until = Date.now() + START_MS
    while (!(await this.#answers())) {
      if (Date.now() > until) throw new Error('PostgreSQL did not start')
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  /** Ends at once, as in a crash: all connections are cut. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGQUIT')
    await ended
  }

  /** From now on it takes encrypted connections only, with this certificate and key in PEM. */
  async encrypt(certificate: string, key: string): Promise<void> {
    await this.kill()
    const write = (name: string, text: string) => {
      const file = join(this.#data, name)
      writeFileSync(file, text, { mode: 0o600 })
      if (this.#user.uid !== undefined) chownSync(file, this.#user.uid, this.#user.gid ?? this.#user.uid)
    }
    write('server.crt', certificate)
    write('server.key', key)
    write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
    this.#settings = ['ssl=on']
    await this.run()
  }

  async query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: this.url,
      ssl: this.#settings.includes('ssl=on') && { rejectUnauthorized: false },
    })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Every connection but the one that does it. */
  async cutConnections(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'svc'`,
    )
  }

  async stop(): Promise<void> {
    await this.kill()
    removeFolder(this.#folder)
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query('select 1')
      return true
    } catch {
      return false
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
