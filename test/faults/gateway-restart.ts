/** A home whose gateway runs as real processes, with platforms of files: what is put in a folder comes in, what is said is appended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')

/** What a command said. */
export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** What is asserted of `svc gateway status --json`. */
export interface Status {
  readonly isRunning: boolean
  readonly isReady?: boolean
  readonly pid: number
  readonly supervisor?: number
  readonly state: string
  readonly exitReason?: string
  readonly platforms: readonly { readonly name: string; readonly state: string }[]
  /** Messages by their state; while it runs. */
  readonly inbox?: Readonly<Record<string, number>>
  readonly outbox?: Readonly<Record<string, number>>
}

/** A process that continues, and what it has said so far. */
export interface Running {
  readonly child: ChildProcess
  readonly said: { out: string; err: string }
  readonly ended: Promise<Said>
}

const LONG_MS = 30_000
/** The platform that each home has. */
const SPOOL = 'spool'

export class GatewayHome {
  readonly home = mkdtempSync(join(tmpdir(), 'svc-gateway-'))
  readonly #children: Set<ChildProcess> = new Set()
  #messages = 0
  #observer: Promise<TestKernel> | undefined

  /**
   * `config` is the text of config.yaml; `enabled` names plugins in the home besides the platform, `platforms` further platforms of the
   * same kind.
   */
  constructor(
    config = 'model:\n  provider: demo\n',
    enabled: readonly string[] = [],
    platforms: readonly string[] = [],
  ) {
    for (const dir of ['bin', 'user']) mkdirSync(join(this.home, dir))
    for (const name of [SPOOL, ...platforms]) this.#writePlatform(name)
    const names = [SPOOL, ...platforms, ...enabled].join(', ')
    writeFileSync(join(this.home, 'config.yaml'), `${config}plugins:\n  enabled: [${names}]\n`)
    writeFileSync(join(this.home, 'bin', 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
      mode: 0o755,
    })
  }

  get environment(): Record<string, string> {
    return {
      PATH: `${join(this.home, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: join(this.home, 'user'),
      SVC_HOME: this.home,
      SPOOL_DIR: this.home,
      SPOOL_SETTINGS: JSON.stringify({ home_channel: 'ann', allow_admin_from: ['ann'] }),
      SPOOL_ALLOWED_USERS: 'ann',
    }
  }

  /** Begins `svc gateway ...`. */
  begin(words: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    const child = spawn(process.execPath, [bin, 'gateway', ...words], {
      cwd: this.home,
      env: { ...this.environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    const said = { out: '', err: '' }
    child.stdout.on('data', (text) => {
      said.out += text
    })
    child.stderr.on('data', (text) => {
      said.err += text
    })
    const ended = new Promise<Said>((resolve) => {
      child.on('close', (code) => {
        this.#children.delete(child)
        resolve({ code, ...said })
      })
    })
    return { child, said, ended }
  }

  /** Runs `svc gateway ...` to its end. */
  run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
    return this.begin(words, env).ended
  }

  /** As the command says it; asked from this process, because it is asked often. */
  async status(): Promise<Status> {
    this.#observer ??= testKernel({ home: this.home, plugins: ['gateway-cli'] })
    const { out } = await (await this.#observer).run(['gateway', 'status', '--json'])
    return JSON.parse(out) as Status
  }

  /** The status once it is what it should be. */
  async until(isRight: (status: Status) => boolean): Promise<Status> {
    let last: Status | undefined
    await expect
      .poll(
        async () => {
          last = await this.status()
          return isRight(last)
        },
        { timeout: LONG_MS, interval: 50 },
      )
      .toBe(true)
    return last as Status
  }

  ready(not?: number): Promise<Status> {
    return this.until(({ isReady, pid }) => isReady === true && pid !== not)
  }

  /** Ann writes. */
  write(text: string, platform = SPOOL): void {
    const id = String(++this.#messages).padStart(3, '0')
    const message = { platform, chatId: 'ann', userId: 'ann', messageId: `m${id}`, text }
    writeFileSync(join(this.home, `${id}.part`), JSON.stringify(message))
    renameSync(join(this.home, `${id}.part`), join(this.home, `in-${platform}`, `${id}.json`))
  }

  /** Messages of Ann that the platform still has. */
  untaken(platform = SPOOL): number {
    return readdirSync(join(this.home, `in-${platform}`)).length
  }

  /** All that Ann was told. */
  heard(platform = SPOOL): string[] {
    const file = join(this.home, `out-${platform}.jsonl`)
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => (JSON.parse(line) as { text: string }).text)
  }

  hears(text: string): Promise<void> {
    return expect.poll(() => this.heard(), { timeout: LONG_MS }).toContain(text)
  }

  /** The platform says no from now on. */
  refuse(): void {
    writeFileSync(join(this.home, 'refuse'), '')
  }

  /** The process ends itself at its start from now on. */
  crashAtStart(): void {
    writeFileSync(join(this.home, 'crash'), '')
  }

  /** Nothing writes into the home any more when it is removed. */
  async close(): Promise<void> {
    const known = await this.status().catch(() => undefined)
    const pids = known?.isRunning ? [known.supervisor ?? 0, known.pid] : []
    const left = [...pids, ...[...this.#children].map(({ pid = 0 }) => pid)].filter((pid) => pid > 0)
    for (const pid of left) kill(pid)
    await expect.poll(() => left.filter(runs), { timeout: LONG_MS }).toEqual([])
    await (await this.#observer)?.stop()
    removeFolder(this.home)
  }

  #writePlatform(name: string): void {
    mkdirSync(join(this.home, `in-${name}`))
    const dir = join(this.home, 'plugins', name)
    mkdirSync(dir, { recursive: true })
    const manifest = {
      ...{ name, version: '1.0.0', sdk: '^0.1.0', kind: 'platform', description: 'A chat made of files.' },
      ...{ requires: ['secrets'], with: ['gateway'], contributes: { platforms: [name] } },
    }
    writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
    writeFileSync(join(dir, 'index.js'), `const name = '${name}'\n${platform}`)
  }
}

const platform = `import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Secrets } from 'svc/sdk'
import { Platforms, deliveryRefused, platformSettingDefaults } from 'svc/sdk/platform'

/** Of a test that counts them: \`kill-at-step.cjs\`. */
const step = (what) => globalThis.svcSteps?.step(name + ' ' + what)

function spool(dir, settings) {
  const [from, file] = [join(dir, 'in-' + name), join(dir, 'out-' + name + '.jsonl')]
  const sent = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line)) : [])
  let timer
  const look = async (link) => {
    for (const each of readdirSync(from).sort()) {
      const message = JSON.parse(readFileSync(join(from, each), 'utf8'))
      if (message.text.startsWith('/')) globalThis.svcSteps?.begin()
      step('takes')
      await link.receive(message)
      step('has taken')
      rmSync(join(from, each))
    }
    link.alive()
  }
  return {
    name,
    settings: { ...platformSettingDefaults, ...settings },
    label: name[0].toUpperCase() + name.slice(1),
    limits: { maxTextLength: 4000, idempotency: 'key' },
    access: { users: 'SPOOL_ALLOWED_USERS' },
    async connect(link) {
      if (existsSync(join(dir, 'crash'))) process.exit(7)
      if (existsSync(join(dir, 'refuse'))) throw deliveryRefused('SPOOL_REFUSED', 'The spool is closed. Open it.')
      timer = setInterval(() => look(link).catch(() => {}), 30)
    },
    async send({ text, key }) {
      step('says')
      if (!sent().some((each) => each.key === key)) appendFileSync(file, JSON.stringify({ key, text }) + '\\n')
      step('has said')
      return { messageId: key }
    },
    probe: async () => true,
    async close() {
      clearInterval(timer)
    },
  }
}

export default {
  setup(ctx) {
    ctx.add(Platforms, spool(ctx.use(Secrets).get('SPOOL_DIR'), JSON.parse(ctx.use(Secrets).get('SPOOL_SETTINGS'))))
  },
}
`

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Whether a process runs; one that no one has waited for yet does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}
