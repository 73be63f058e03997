/** Published clients, installed beside the repository: they need other versions of each other than the program does. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './repository.ts'

const here = join(root, 'test/scenarios/api-clients')
const PATIENCE_MS = 300_000

/** What became of one case. */
export interface CaseResult {
  readonly client: string
  readonly name: string
  readonly ok: boolean
  readonly problem?: string
}

/**
 * Installs what the lock file says, once, into the cache of the repository. Returns why that is not possible; only where
 * everything has to run it throws instead.
 */
export function installClients(): { readonly folder: string; readonly problem?: string } {
  const lock = readFileSync(join(here, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const folder = join(root, 'node_modules/.cache/api-clients', digest)
  const mark = join(folder, 'installed')
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(here, name), join(folder, name))
    const options = [
      '--legacy-peer-deps',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ]
    try {
      execFileSync('npm', ['ci', ...options], { cwd: folder, stdio: 'pipe', timeout: PATIENCE_MS })
    } catch (error) {
      if (process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1') throw error
      return { folder, problem: `npm could not install the clients: ${String(error).slice(0, 200)}` }
    }
    writeFileSync(mark, '')
  }
  return { folder }
}

/** Runs a script with the clients; returns what it tells of its cases. */
export async function playClient(
  folder: string,
  server: { readonly url: string; readonly key: string },
  [script, ...args]: readonly string[],
): Promise<readonly CaseResult[]> {
  for (const name of ['cases.mjs', `${script}.mjs`]) cpSync(join(here, name), join(folder, name))
  const child = spawn(process.execPath, [join(folder, `${script}.mjs`), JSON.stringify(server), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NO_PROXY: '127.0.0.1' },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString()
  })
  child.stderr.on('data', (data: Buffer) => {
    err = `${err}${data.toString()}`.slice(-2000)
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${err}`)
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as CaseResult)
}
