/** Two homes with a gateway each on one PostgreSQL, as on two machines, and a platform that counts what comes of each message. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../support/remove-folder.ts'
import { kill, runs } from './gateway-restart.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')

/** A message of a person, and what was answered. */
interface Asked {
  readonly id: string
  readonly text: string
  readonly chat: string
  isTaken: boolean
}

/** The service of the platform: messages wait until they are acknowledged; a repeated key is the same message. */
export class CountingPlatform {
  readonly said: { readonly key: string; readonly text: string; readonly by: string }[] = []
  /** The names of gateways in the order in which they asked, each once in a row. */
  readonly askedBy: string[] = []
  /** The moments for which the job of the homes was run, as often as it was. */
  readonly chores: number[] = []
  readonly #asked: Asked[] = []
  readonly #server: Server
  #count = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<CountingPlatform> {
    const server = createServer()
    const platform = new CountingPlatform(server)
    server.on('request', async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      const answer = platform.#answer(request.url ?? '', body === '' ? {} : JSON.parse(body))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return platform
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A person writes. */
  write(chat: string, text: string): void {
    this.#asked.push({ id: `m${++this.#count}`, chat, text, isTaken: false })
  }

  get waiting(): number {
    return this.#asked.filter(({ isTaken }) => !isTaken).length
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(path: string, body: Record<string, string>): unknown {
    const { by = '', id, key, text } = body
    if (path === '/updates') {
      if (this.askedBy.at(-1) !== by) this.askedBy.push(by)
      return this.#asked.filter(({ isTaken }) => !isTaken).slice(0, 10)
    }
    if (path === '/chore') this.chores.push(Number(body['dueAt']))
    if (path === '/taken') for (const each of this.#asked) if (each.id === id) each.isTaken = true
    if (path === '/send' && key !== undefined && text !== undefined && !this.said.some((each) => each.key === key))
      this.said.push({ key, text, by })
    return {}
  }
}

export interface HomeOptions {
  readonly name: string
  readonly platform: string
  readonly model: string
  readonly database: string
}

/** A home whose gateway is begun and killed. */
export class KilledHome {
  readonly name: string
  readonly home = mkdtempSync(join(tmpdir(), 'svc-two-'))
  readonly #options: HomeOptions
  #child: ChildProcess | undefined
  output = ''

  constructor(options: HomeOptions) {
    this.name = options.name
    this.#options = options
    const config = [
      'model:',
      '  provider: custom',
      `  base_url: ${options.model}`,
      '  default: fake-model',
      'plugins:',
      '  enabled: [counting]',
      'gateway:',
      '  drain_seconds: 0',
      '  loop_messages: 10000',
      'replication:',
      '  lease_seconds: 5',
      'kanban_dispatcher:',
      '  interval_seconds: 2',
      '',
    ]
    writeFileSync(join(this.home, 'config.yaml'), config.join('\n'))
    const dir = join(this.home, 'plugins', 'counting')
    mkdirSync(dir, { recursive: true })
    const manifest = {
      ...{ name: 'counting', version: '1.0.0', sdk: '^0.1.0', kind: 'platform', description: 'A chat that counts.' },
      ...{ requires: ['secrets'], with: ['gateway'], contributes: { platforms: ['counting'], jobs: ['chore'] } },
    }
    writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
    writeFileSync(join(dir, 'index.js'), plugin)
  }

  begin(): void {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      SVC_HOME: this.home,
      SVC_STORAGE_URL: this.#options.database,
      COUNTING_URL: this.#options.platform,
      COUNTING_NAME: this.name,
      COUNTING_ALLOWED_USERS: 'ann,ben,cleo',
    }
    const child = spawn(process.execPath, [bin, 'gateway', 'run'], {
      cwd: this.home,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (text) => this.#hear(text))
    child.stderr.on('data', (text) => this.#hear(text))
    this.#child = child
  }

  /** Both of its processes, in the middle of whatever they do. */
  async kill(): Promise<void> {
    const pid = this.#child?.pid
    if (pid === undefined) return
    const pids = [...listChildren(pid), pid]
    for (const each of [pid, ...pids]) kill(each)
    while (pids.some(runs)) await new Promise((resolve) => setTimeout(resolve, 5))
    this.#child = undefined
  }

  /** As a person stops it. */
  async stop(): Promise<void> {
    const child = this.#child
    if (!child) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    this.#child = undefined
  }

  async close(): Promise<void> {
    await this.kill()
    removeFolder(this.home)
  }

  #hear(text: unknown): void {
    this.output = `${this.output}${String(text)}`.slice(-20_000)
  }
}

function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended.
    return []
  }
}

const plugin = `import { Secrets } from 'svc/sdk'
import { Jobs } from 'svc/sdk/jobs'
import { Platforms } from 'svc/sdk/platform'

export default {
  setup(ctx) {
    const secrets = ctx.use(Secrets)
    const by = secrets.get('COUNTING_NAME')
    const ask = async (path, body = {}) => {
      const response = await fetch(secrets.get('COUNTING_URL') + path, { method: 'POST', body: JSON.stringify({ by, ...body }) })
      return response.json()
    }
    ctx.add(Jobs, {
      name: 'chore',
      description: 'Tells for which moment it was run.',
      schedule: '* * * * * *',
      misfire: 'all',
      async run({ dueAt }) {
        await ask('/chore', { dueAt })
        return 'told'
      },
    })
    ctx.add(Platforms, {
      name: 'counting',
      label: 'Counting',
      limits: { maxTextLength: 4000, idempotency: 'key' },
      access: { users: 'COUNTING_ALLOWED_USERS' },
      account: () => 'bot',
      async connect(link) {
        const look = async () => {
          while (!link.signal.aborted) {
            try {
              for (const { id, chat, text } of await ask('/updates')) {
                await link.receive({ chatId: chat, userId: chat, messageId: id, text })
                await ask('/taken', { id })
              }
              link.alive()
            } catch {
              // The platform or the store is away: the same messages are read again in the next round.
            }
            await new Promise((resolve) => setTimeout(resolve, 30))
          }
        }
        void look()
      },
      async send({ text, key }) {
        await ask('/send', { text, key })
        return { messageId: key }
      },
      probe: async () => true,
      async close() {},
    })
  },
}
`
