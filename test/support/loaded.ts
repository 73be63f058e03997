/** Which files a run of the built `svc` loads, and which modules in them it evaluates. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltRun, runBuilt } from './built.ts'
import { removeFolder } from './remove-folder.ts'
import { root } from './repository.ts'

/** What a process did and what it needed for it. */
export interface LoadedRun extends BuiltRun {
  /** Built files, from the top level, sorted. */
  readonly files: readonly string[]
  /** Our sources that were evaluated, from the top level, sorted. */
  readonly sources: readonly string[]
  /** Packages of which something was evaluated, in the program or beside it, sorted. */
  readonly packages: readonly string[]
}

interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly count: number }[]
  }[]
}

/** A process that lasts longer follows config.yaml (program/run-loaded.ts), with these packages: on a busy machine a question does. */
const FOLLOWS_AFTER_MS = 1500
const followerPackages = ['chokidar', 'readdirp']

/** What program/load.ts calls the scripts of the program. */
const PROGRAM = /^svc\/(program|others)\.cjs$/

/**
 * Runs the built `svc` in its own home, with these settings. V8's coverage names every script that was loaded and counts the calls of
 * its functions; in a bundle the function that evaluates a module is named by the module's path.
 */
export function runAndList(argv: readonly string[], config: object = {}): LoadedRun {
  for (let tries = 1; ; tries++) {
    const build = buildStamp()
    const run = runOnce(argv, config)
    // Another build of the program has taken the place of the one that ran: parts of both may have been read.
    if ((build !== undefined && build === buildStamp()) || tries === MAX_TRIES) return run
  }
}

const MAX_TRIES = 3

/** When the program was built; undefined for the moment in which another build takes its place. */
function buildStamp(): string | undefined {
  try {
    return readFileSync(join(root, 'dist/.built'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function runOnce(argv: readonly string[], config: object): LoadedRun {
  const home = mkdtempSync(join(tmpdir(), 'svc-loaded-'))
  // The first start of a home copies skills and reads them, which the next ones do not.
  writeFileSync(join(home, '.no-bundled-skills'), '')
  if (Object.keys(config).length > 0) writeFileSync(join(home, 'config.yaml'), JSON.stringify(config))
  try {
    const coverage = join(home, 'coverage')
    const began = performance.now()
    const run = runBuilt(argv, { home, env: { NODE_V8_COVERAGE: coverage } })
    const besides = performance.now() - began > FOLLOWS_AFTER_MS ? followerPackages : []
    const scripts = scriptsIn(coverage)
    const paths = scripts.flatMap(toPath)
    const evaluated = [...paths, ...scripts.flatMap(evaluatedIn)]
    return {
      ...run,
      files: sorted(paths.filter((path) => path.startsWith('dist/'))),
      sources: sorted(evaluated.filter((path) => /^(kernel|sdk|plugins)\/.*\.ts$/.test(path))),
      packages: sorted(evaluated.flatMap(findPackage).filter((name) => !besides.includes(name))),
    }
  } finally {
    removeFolder(home)
  }
}

/** Of all processes of a run. */
function scriptsIn(coverage: string): Script[] {
  const reports = existsSync(coverage) ? readdirSync(coverage) : []
  return reports.flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: readonly Script[] }
    return result
  })
}

/** From the top level; nothing for what is not a file of this repository. */
function toPath({ url }: Script): string[] {
  if (PROGRAM.test(url)) return [url.replace('svc', 'dist/kernel')]
  const path = url.startsWith('file:') ? fileURLToPath(url) : ''
  return path.startsWith(root + sep)
    ? [
        path
          .slice(root.length + 1)
          .split(sep)
          .join('/'),
      ]
    : []
}

function evaluatedIn({ functions }: Script): string[] {
  return functions
    .filter(({ functionName, ranges }) => /\/.*\.\w+$/.test(functionName) && (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName }) => functionName)
}

function findPackage(path: string): string[] {
  const [, inside] = /(?:^|\/)node_modules\/(?!.*node_modules\/)(.*)$/.exec(path) ?? []
  if (inside === undefined) return []
  return [
    inside
      .split('/')
      .slice(0, inside.startsWith('@') ? 2 : 1)
      .join('/'),
  ]
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}
