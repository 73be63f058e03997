/** The npm packages that a folder's package.json leads to, as Node finds them. */
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AuditComponent, AuditList } from 'svc/sdk/safety'
import { z } from 'zod'

const versions = z.record(z.string(), z.string()).optional().catch(undefined)
const shape = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  dependencies: versions,
  optionalDependencies: versions,
  /** In a checkout of svc: packages that the build puts into `dist`. */
  insideDist: z.array(z.string()).optional(),
  /** In a published svc: the same with their versions, several where several are inside. */
  bundledVersions: z.record(z.string(), z.array(z.string())).optional(),
})
type PackageJson = z.infer<typeof shape>

/** A version and nothing else, without ranges and tags: https://semver.org/#backusnaur-form-grammar-for-valid-semver-versions */
const EXACT = /^v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)(?:\+[\w.-]+)?$/

interface InstalledPackage {
  readonly dir: string
  readonly json: PackageJson
}

interface Dependency {
  readonly name: string
  readonly wanted: string
  readonly isOptional: boolean
}

/**
 * What `dir` depends on, directly or not: the versions that are installed, and where nothing is installed those that
 * are pinned. `source` is set on each component. Missing optional packages are left out, other missing ones are notes.
 */
export function listNpmPackages(dir: string, source: string): AuditList {
  const json = readPackage(dir)
  if (json === undefined) return { components: [] }
  if (json === 'broken') return { components: [], notes: [`${source}: package.json cannot be read.`] }
  const { installed, missing } = followDependencies({ dir, json })
  const pinned = missing.flatMap(({ name, wanted }) => ({ name, version: EXACT.exec(wanted)?.[1] }))
  const bundled = Object.entries(json.bundledVersions ?? {}).flatMap(([name, all]) =>
    all.map((version) => ({ name, version })),
  )
  const packages = [...bundled, ...installed.map(({ json }) => json), ...pinned]
  return {
    components: packages.flatMap(({ name, version }) =>
      name !== undefined && version !== undefined ? [{ name, version, ecosystem: 'npm', source }] : [],
    ),
    notes: missing
      .filter(({ wanted, isOptional }) => !isOptional && !EXACT.test(wanted))
      .map(({ name, wanted }) => `${source}: ${name} is neither installed nor pinned (${wanted}).`),
  }
}

/** Everything that is reached from a package, without the package itself. */
function followDependencies(root: InstalledPackage): { installed: InstalledPackage[]; missing: Dependency[] } {
  const installed = new Map<string, InstalledPackage>()
  const missing: Dependency[] = []
  const waiting = [root]
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const dependency of listDependencies(next.json)) {
      const found = findPackage(next.dir, dependency.name)
      if (found === undefined) missing.push(dependency)
      else if (!installed.has(found.dir)) {
        installed.set(found.dir, found)
        waiting.push(found)
      }
    }
  return { installed: [...installed.values()], missing }
}

/** The package that `dir` is, if it was published: one with a name and a version. */
export function findOwnPackage(dir: string, source: string): AuditComponent | undefined {
  const json = readPackage(dir)
  if (json === undefined || json === 'broken' || json.name === undefined || json.version === undefined) return
  return { name: json.name, version: json.version, ecosystem: 'npm', source }
}

function listDependencies(json: PackageJson): Dependency[] {
  const { dependencies = {}, optionalDependencies = {}, insideDist = [] } = json
  const inside = Object.fromEntries(insideDist.map((name) => [name, '*']))
  return Object.entries({ ...inside, ...optionalDependencies, ...dependencies }).map(([name, wanted]) => {
    const isOptional = name in optionalDependencies || name in inside
    return { name, wanted, isOptional }
  })
}

/** Looks in the `node_modules` of the folder and of those above it: https://nodejs.org/api/modules.html#loading-from-node_modules-folders */
function findPackage(from: string, name: string): InstalledPackage | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const candidate = join(dir, 'node_modules', name)
    const json = readPackage(candidate)
    if (json !== undefined && json !== 'broken') return { dir: realpathSync(candidate), json }
    if (dirname(dir) === dir) return undefined
  }
}

function readPackage(dir: string): PackageJson | 'broken' | undefined {
  let text: string
  try {
    text = readFileSync(join(dir, 'package.json'), 'utf8')
  } catch {
    return undefined
  }
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return 'broken'
  }
}
