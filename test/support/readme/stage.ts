/** Runs commands of the documents as a reader would: in a shell, in a home and a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { type ModelServer, startModelServer } from '../model-server.ts'
import { removeFolder } from '../remove-folder.ts'
import { root } from '../repository.ts'
import { writeFiles } from '../temporary.ts'
import type { Circumstances, Dialogue } from './circumstances.ts'

/** What a command did. */
export interface ShellRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const LIMIT_MS = 60_000
const START_MS = 40_000

/** The gateway in the foreground: it runs until it is told to end. */
const GATEWAY = /^svc gateway(?: run)?$/

export class ReadmeStage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-readme-'))
  readonly home = join(this.#folder, 'home')
  readonly cwd = join(this.#folder, 'work')
  readonly #models: readonly ModelServer[]
  readonly #port: number
  #gateway: { readonly child: ChildProcess; readonly ended: Promise<ShellRun> } | undefined

  private constructor(models: readonly ModelServer[], port: number) {
    this.#models = models
    this.#port = port
  }

  /** A home with a model that answers, and what the document needs besides. */
  static async create(circumstances: Circumstances = {}): Promise<ReadmeStage> {
    const { before = [], files = {}, config = '', hasModel = true, hasGateway } = circumstances
    const model = await startModelServer({ replies: () => 'Done.' })
    const ollama = await startModelServer({ kind: 'ollama', models: ['llama3.2:1b'] })
    const stage = new ReadmeStage([model, ollama], await freePort())
    const settings = hasModel ? `model:\n  provider: custom\n  base_url: ${model.url}\n  default: fake-model\n` : ''
    const bin = join(stage.#folder, 'bin')
    mkdirSync(stage.cwd)
    mkdirSync(bin)
    writeFiles(stage.home, {
      'config.yaml': `${settings}${withAddresses(config, { MODEL_URL: model.url, OLLAMA_URL: ollama.url, FREE_PORT: String(stage.#port) })}`,
    })
    writeFiles(stage.cwd, { 'README.md': '# A project\n', ...files })
    const program = join(root, 'dist/kernel/bin.cjs')
    const offline = join(root, 'test/support/readme/offline.cjs')
    writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec "${process.execPath}" --require "${offline}" "${program}" "$@"\n`)
    chmodSync(join(bin, 'svc'), 0o755)
    for (const command of before) {
      const { code, err, out } = await stage.run(command)
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${err || out}`)
    }
    if (hasGateway) await stage.#startGateway('svc gateway')
    return stage
  }

  /** Runs it to its end, without a terminal. A gateway is started and continues until `settle`. */
  async run(command: string, cwd: string = this.cwd): Promise<ShellRun> {
    if (!GATEWAY.test(command)) return this.#finish(command, cwd)
    await this.#startGateway(command)
    return { code: 0, out: '', err: '' }
  }

  /** Runs it on a terminal: hears each text, then types what belongs to it. */
  async runAtTerminal(command: string, dialogue: Dialogue): Promise<ShellRun> {
    const { spawn: spawnPty } = await import('@lydell/node-pty')
    const env = { ...this.#env(), TERM: 'xterm-256color' } as Record<string, string>
    const pty = spawnPty('bash', ['-ec', command], { cols: 120, rows: 40, cwd: this.cwd, env })
    const waiting = [...dialogue]
    const late = setTimeout(() => pty.kill(), LIMIT_MS)
    let [heard, out] = ['', '']
    pty.onData((data) => {
      out += data
      heard += stripVTControlCharacters(data)
      for (const next = waiting[0]; next && heard.includes(next.hears); waiting.shift()) {
        heard = ''
        pty.write(next.types)
      }
    })
    return new Promise((resolve) =>
      pty.onExit(({ exitCode }) => {
        clearTimeout(late)
        const unheard = waiting.map(({ hears }) => `It never said: ${hears}\n`).join('')
        resolve({ code: unheard ? null : exitCode, out: `${unheard}${stripVTControlCharacters(out)}`, err: '' })
      }),
    )
  }

  /** Ends a gateway that runs. */
  async settle(): Promise<ShellRun | undefined> {
    const running = this.#gateway
    this.#gateway = undefined
    if (!running) return undefined
    running.child.kill('SIGTERM')
    return running.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settle()
    await this.run('svc gateway stop')
    for (const model of this.#models) await model.close()
    removeFolder(this.#folder)
  }

  async #startGateway(command: string): Promise<void> {
    const running = this.#spawn(`exec ${command}`, this.cwd)
    running.child.stdin?.end()
    this.#gateway = running
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    for (const limit = performance.now() + START_MS; performance.now() < limit && !isOver; await pause(200)) {
      const { code } = await this.#finish('svc gateway status', this.cwd)
      if (code === 0) return
    }
    const { out, err } = (await this.settle()) ?? { out: '', err: '' }
    throw new Error(`${command} did not start: ${err}${out}`)
  }

  #finish(command: string, cwd: string): Promise<ShellRun> {
    const { child, ended } = this.#spawn(command, cwd)
    child.stdin?.end()
    return ended
  }

  #spawn(command: string, cwd: string): { readonly child: ChildProcess; readonly ended: Promise<ShellRun> } {
    const child = spawn('bash', ['-ec', command], { cwd, env: this.#env(), stdio: 'pipe', timeout: LIMIT_MS })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (data: Buffer) => out.push(data))
    child.stderr.on('data', (data: Buffer) => err.push(data))
    // A program that reads nothing has closed its input.
    child.stdin.on('error', () => {})
    const ended = new Promise<ShellRun>((resolve) => {
      child.once('close', (code) =>
        resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
      )
    })
    return { child, ended }
  }

  #env(): NodeJS.ProcessEnv {
    const { PATH, npm_config_cache: cache } = process.env
    return {
      PATH: `${join(this.#folder, 'bin')}:${PATH}`,
      HOME: join(this.#folder),
      SVC_HOME: this.home,
      REPOSITORY: root,
      API_SERVER_PORT: String(this.#port),
      ...(cache !== undefined && { npm_config_cache: cache }),
      ...this.#keys(),
    }
  }

  /** A reader has the key of the API at hand. */
  #keys(): Record<string, string> {
    const path = join(this.home, '.env')
    const key = existsSync(path) ? /^API_SERVER_KEY=["']?([^"'\n]+)/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
    return key === undefined ? {} : { API_SERVER_KEY: key }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function withAddresses(config: string, addresses: Readonly<Record<string, string>>): string {
  return Object.entries(addresses).reduce((text, [word, address]) => text.replaceAll(word, address), config)
}
