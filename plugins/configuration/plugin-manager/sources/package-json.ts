/** What package.json and package-lock.json of a plugin say. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'

type Dependencies = Readonly<Record<string, string>>

interface PackageJson {
  readonly name?: string
  readonly dependencies?: Dependencies
  readonly optionalDependencies?: Dependencies
  readonly keywords?: readonly string[]
}

/** The relevant fields of a package.json; empty without the file. Throws `PLUGIN_NOT_USABLE`. */
export function packageJson(dir: string): PackageJson {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PackageJson
  } catch (cause) {
    throw new SvcError('PLUGIN_NOT_USABLE', `${file} cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

/** A package below a plugin, as npm wrote it to the lock file. */
interface LockedPackage {
  readonly name: string
  readonly hasInstallScript: boolean
  readonly dir: string
}

/** The packages that npm installed for a plugin. */
export function listPackages(dir: string): LockedPackage[] {
  const file = join(dir, 'package-lock.json')
  if (!existsSync(file)) return []
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages?: Record<string, { hasInstallScript?: boolean }> }
  return Object.entries(lock.packages ?? {}).flatMap(([path, { hasInstallScript = false }]) => {
    const name = path.split('node_modules/').at(-1)
    return path && name && existsSync(join(dir, path)) ? [{ name, hasInstallScript, dir: join(dir, path) }] : []
  })
}

/** Packages that want to compile or download something at installation, and bring no compiled code themselves. */
export function listUnbuilt(dir: string): string[] {
  const unbuilt = listPackages(dir).filter((each) => each.hasInstallScript && !bringsCompiled(each.dir))
  return unbuilt.map(({ name }) => name)
}

function bringsCompiled(dir: string): boolean {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith('.node'))
}
