/** Published clients, installed beside the repository: they need other versions of each other than the program does. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder } from './remove-folder.ts'
import { root } from './repository.ts'

const here = join(root, 'test/scenarios/api-clients')
const PATIENCE_MS = 300_000

/** What became of one case. */
export interface CaseResult {
  readonly client: string
  readonly name: string
  readonly ok: boolean
  readonly problem?: string | null
}

/** Clients that are installed together. */
export interface Installed {
  readonly folder: string
  /** How a script of theirs is run. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Why they are not there. */
  readonly problem?: string
}

interface Recipe {
  /** Below the folder of the clients. */
  readonly place: string
  /** What decides which versions are installed. */
  readonly lock: string
  readonly files: readonly string[]
  install(folder: string): void
}

const npm: Pick<Recipe, 'lock' | 'install'> = {
  lock: 'package-lock.json',
  install: (folder) => {
    const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
    execFileSync('npm', ['ci', ...options, '--loglevel=error'], { cwd: folder, stdio: 'pipe', timeout: PATIENCE_MS })
  },
}

/** Libraries for Node. */
export function installLibraries(): Installed {
  const recipe = { ...npm, place: '.', files: ['package.json', 'package-lock.json'] }
  return { command: [process.execPath], ...installed(recipe, 'libraries for Node') }
}

/** codex and pi, some 600 MB. */
export function installPrograms(): Installed {
  const recipe = { ...npm, place: 'programs', files: ['package.json', 'package-lock.json', 'home.mjs'] }
  return { command: [process.execPath], ...installed(recipe, 'codex and pi') }
}

/** The library for Python. Debian has no package of it, and not every machine reaches an index of Python packages. */
export function installPython(): Installed {
  const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--timeout', '10', '--only-binary', ':all:']
  const { folder, problem } = installed(
    {
      place: 'python',
      lock: 'requirements.txt',
      files: ['requirements.txt'],
      install: (into) => {
        const options = { cwd: into, stdio: 'pipe', timeout: PATIENCE_MS } as const
        execFileSync('python3', [...pip, '--target', 'packages', '--requirement', 'requirements.txt'], options)
      },
    },
    'the library for Python',
    { isRequired: false },
  )
  const env = { PYTHONPATH: join(folder, 'packages'), PYTHONDONTWRITEBYTECODE: '1' }
  return { folder, command: ['python3'], env, ...(problem !== undefined && { problem }) }
}

/**
 * Installs what the lock file says, once, into the cache of the repository. Tells why that is not possible; only where
 * everything has to run it throws instead.
 */
function installed(
  { place, lock, files, install }: Recipe,
  name: string,
  { isRequired = process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' }: { readonly isRequired?: boolean } = {},
): Pick<Installed, 'folder' | 'problem'> {
  const digest = createHash('sha256').update(readFileSync(join(here, place, lock)))
  const folder = join(root, 'node_modules/.cache/api-clients', digest.digest('hex').slice(0, 16))
  const mark = join(folder, 'installed')
  if (!existsSync(mark)) {
    removeFolder(folder)
    mkdirSync(folder, { recursive: true })
    for (const file of files) cpSync(join(here, place, file), join(folder, file))
    try {
      install(folder)
    } catch (error) {
      if (isRequired) throw error
      return { folder, problem: `${name} could not be installed: ${String(error).slice(0, 200)}` }
    }
    writeFileSync(mark, '')
  }
  for (const file of ['cases.mjs', ...files])
    cpSync(join(here, file === 'cases.mjs' ? '.' : place, file), join(folder, file))
  return { folder }
}

/** Runs a script with the clients, whose path is below their folder; returns what it tells of its cases. */
export async function playClient(
  { folder, command: [program = '', ...options], env }: Installed,
  server: { readonly url: string; readonly key: string },
  [script = '', ...args]: readonly string[],
): Promise<readonly CaseResult[]> {
  const name = script.split('/').at(-1) ?? ''
  cpSync(join(here, script), join(folder, name))
  const child = spawn(program, [...options, join(folder, name), JSON.stringify(server), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NO_PROXY: '127.0.0.1', ...env },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString()
  })
  child.stderr.on('data', (data: Buffer) => {
    err = `${err}${data.toString()}`.slice(-2000)
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${err}`)
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as CaseResult)
}
