/** Which files a run of the built `svc` loads. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltRun, runBuilt } from './built.ts'
import { root } from './repository.ts'

/** What a process did and what it loaded for it. */
export interface LoadedRun extends BuiltRun {
  /** Built files and packages outside the bundle, from the top level, sorted. */
  readonly files: readonly string[]
  /** Our sources that those files were made of, from the top level, sorted. */
  readonly sources: readonly string[]
  /** Packages that those files were made of, sorted. */
  readonly packages: readonly string[]
}

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

/**
 * Runs the built `svc` in a home of its own. V8's coverage names every script that was loaded, by `import` or by
 * `require`; source maps tell what a bundled file was made of.
 */
export function runAndList(argv: readonly string[]): LoadedRun {
  const home = mkdtempSync(join(tmpdir(), 'svc-loaded-'))
  try {
    const coverage = join(home, 'coverage')
    const run = runBuilt(argv, { home, env: { NODE_V8_COVERAGE: coverage } })
    const files = loadedFiles(coverage)
    const origins = [...new Set(files.flatMap(originsOf))].sort()
    const sources = origins.filter((path) => !path.startsWith('npm:'))
    const packages = origins.filter((path) => path.startsWith('npm:')).map((path) => path.slice(4))
    return { ...run, files, sources, packages }
  } finally {
    rmSync(home, { recursive: true, force: true })
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

function originsOf(file: string): string[] {
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

/** A source of ours by its path, one of a package by the package. `vendor` holds packages that were built apart. */
function named(path: string): string {
  const [, vendor] = /^dist[^/]*\/vendor\/(.*)\.cjs$/.exec(path) ?? []
  if (vendor !== undefined) return `npm:${vendor}`
  const [, inside] = /(?:^|\/)node_modules\/(?!.*node_modules\/)(.*)$/.exec(path) ?? []
  if (inside === undefined) return path
  return `npm:${inside
    .split('/')
    .slice(0, inside.startsWith('@') ? 2 : 1)
    .join('/')}`
}
