/** Which files a run of the built `svc` loads. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './repository.ts'

/** What a process did. */
export interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** Built files and packages outside the bundle, from the top level, sorted. */
  readonly files: readonly string[]
  /** Sources that those files were made of: ours from the top level, packages by name. Sorted. */
  readonly sources: readonly string[]
  readonly packages: readonly string[]
}

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

/**
 * Runs `svc` from `dist` in a home of its own. V8's coverage names every script that was loaded, by `import` or by
 * `require`; source maps tell what a bundled file was made of.
 */
export function runSvc(argv: readonly string[], options: { readonly cwd?: string; readonly input?: string } = {}): Run {
  const dir = mkdtempSync(join(tmpdir(), 'svc-loaded-'))
  try {
    const env = { PATH: process.env['PATH'], SVC_HOME: join(dir, 'home'), NODE_V8_COVERAGE: join(dir, 'coverage') }
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/kernel/bin.js'), ...argv], {
      cwd: options.cwd ?? dir,
      env,
      input: options.input ?? '',
      encoding: 'utf8',
      timeout: 20_000,
    })
    const files = loadedFiles(join(dir, 'coverage'))
    const sources = [...new Set(files.flatMap(sourcesOf))].sort()
    const own = sources.filter((path) => !path.startsWith('npm:'))
    const packages = sources.filter((path) => path.startsWith('npm:')).map((path) => path.slice(4))
    return { code: status, out: stdout, err: stderr, files, sources: own, packages }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Scripts of this repository in the coverage of all processes of a run. */
function loadedFiles(coverage: string): string[] {
  const reports = existsSync(coverage) ? readdirSync(coverage) : []
  const urls = reports.flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Coverage
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
  })
  const paths = urls.map((url) => fileURLToPath(url)).filter((path) => path.startsWith(root + sep))
  return [
    ...new Set(
      paths.map((path) =>
        path
          .slice(root.length + 1)
          .split(sep)
          .join('/'),
      ),
    ),
  ].sort()
}

function sourcesOf(file: string): string[] {
  const map = join(root, `${file}.map`)
  if (!file.startsWith('dist/') || !existsSync(map)) return [named(file)]
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  return sources
    .filter((source) => !source.startsWith('left-out:'))
    .map((source) =>
      resolve(root, dirname(file), source)
        .slice(root.length + 1)
        .split(sep)
        .join(posix.sep),
    )
    .map(named)
}

/** A source of ours by its path, one of a package by the package. */
function named(path: string): string {
  const [, inside] = /(?:^|\/)node_modules\/(?!.*node_modules\/)(.*)$/.exec(path) ?? []
  if (inside === undefined) return path
  return `npm:${inside
    .split('/')
    .slice(0, inside.startsWith('@') ? 2 : 1)
    .join('/')}`
}
