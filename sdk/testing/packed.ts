/** What of a plugin's folder would be published, and which packages its code needs: examined before any of it runs. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, relative, resolve } from 'node:path'

const PACK_MS = 30_000
/** Packages that svc provides to every plugin. */
const PROVIDED: readonly string[] = ['svc', 'zod']
const ENTRIES: readonly string[] = ['index.ts', 'index.js', 'index.mjs']

/** The fields of package.json that matter here. */
interface PackageJson {
  readonly main?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * The files that `npm pack` would include, as paths below the folder; undefined for a folder that is no package, and where npm
 * cannot be asked.
 */
export function packedFiles(dir: string): readonly string[] | undefined {
  if (!existsSync(join(dir, 'package.json'))) return undefined
  try {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
    const said = execFileSync('npm', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe', timeout: PACK_MS })
    const [pack] = JSON.parse(said) as { readonly files?: readonly { readonly path: string }[] }[]
    return pack?.files?.map(({ path }) => path)
  } catch {
    // There is no npm here, or package.json has no name and version yet: the folder is examined as it is.
    return undefined
  }
}

/** The packages that package.json declares for its users, with those that svc provides. */
export function declaredPackages(dir: string): readonly string[] {
  const { dependencies, peerDependencies, optionalDependencies } = readPackage(dir)
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
}

/**
 * What keeps a packed copy from running elsewhere: a file that is in `source` and was not packed, or a package that is not
 * declared. Undefined when it is complete; errors of the code itself are left to the import.
 */
export async function incompleteness(copy: string, source: string): Promise<string | undefined> {
  if (!existsSync(join(copy, 'package.json'))) return undefined
  const entry = [readPackage(copy).main, ...ENTRIES].find((name) => name !== undefined && existsSync(join(copy, name)))
  if (entry === undefined) {
    const left = ENTRIES.find((name) => existsSync(join(source, name)))
    return left === undefined ? undefined : unpacked(left)
  }
  const declared = new Set([...declaredPackages(copy), ...PROVIDED])
  const undeclared = new Map<string, string>()
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: [join(copy, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'packages',
        setup: (hooks) =>
          hooks.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
            if (kind === 'entry-point') return undefined
            const name = packageName(path)
            if (!isBuiltin(path) && !declared.has(name)) undeclared.set(name, relative(copy, importer))
            return { path, external: true }
          }),
      },
    ],
  }).catch((error: { readonly errors?: readonly BuildError[] }) => error)
  for (const [name, file] of undeclared)
    return `${file} imports the package "${name}", which package.json does not declare; add it to "dependencies"`
  for (const { text, location } of result.errors ?? []) {
    const [, path] = /^Could not resolve "(\.[^"]*)"$/.exec(text) ?? []
    const missing = path && location && fileBeside(source, relative(copy, resolve(location.file)), path)
    if (missing) return unpacked(missing)
  }
  return undefined
}

interface BuildError {
  readonly text: string
  readonly location: { readonly file: string } | null
}

/** What to do about a file that npm leaves out. */
export function unpacked(file: string): string {
  return `${file} is in the folder but would not be published; add it to "files" in package.json`
}

/** The file that an import means, in the folder of the author. */
function fileBeside(source: string, importer: string, path: string): string | undefined {
  const meant = resolve(source, importer, '..', path)
  const found = [meant, ...['.ts', '.js', '.mjs', '.json', '/index.ts', '/index.js'].map((end) => meant + end)]
  const file = found.find((each) => existsSync(each))
  return file === undefined ? undefined : relative(source, file)
}

/** `@scope/name/part` is of `@scope/name`. */
function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/')
}

function readPackage(dir: string): PackageJson {
  try {
    return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as PackageJson
  } catch {
    // Discovery says what is wrong with it.
    return {}
  }
}
