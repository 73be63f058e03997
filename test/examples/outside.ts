/** A project outside the repository that has installed the packed svc, as someone else would. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { attempt, cleanEnvironment, installPacked, type Said } from '../support/packed.ts'
import { removeFolder } from '../support/remove-folder.ts'

export const repository: string = join(import.meta.dirname, '../..')

/** A folder with an installed svc, and the examples beside each other. */
export interface Outside {
  readonly dir: string
  /** Runs Node with these arguments in the folder, in its own environment. */
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
  let program = process.execPath
  try {
    program = await installPacked({ repository, dir, node: options.node })
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

/** Nothing of the test run that calls, and its own home. */
function environment(home: string): NodeJS.ProcessEnv {
  return { ...cleanEnvironment(), SVC_HOME: join(home, 'svc-home') }
}

function isSource(path: string): boolean {
  return !path.endsWith('node_modules')
}

function write(dir: string, name: string, value: object): void {
  writeFileSync(join(dir, name), JSON.stringify(value, undefined, 2))
}

function link(path: string, dir: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  removeFolder(join(dir, path))
  symlinkSync(join(repository, path), join(dir, path), 'junction')
}
