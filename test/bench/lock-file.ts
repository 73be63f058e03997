/** Reads `package-lock.json`: which packages an installation of the product brings along. */

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Lock {
  /** By folder; the product itself is the empty one. */
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/**
 * The folders of all packages that production needs, directly or not, those for other systems included. The marks
 * `dev` and `optional` of the file do not say it: npm leaves them out for what an unused optional peer would bring.
 */
export function productionFolders({ packages }: Lock): string[] {
  const reached = new Set<string>([''])
  for (const folder of reached) {
    for (const name of neededBy(packages[folder] ?? {})) {
      const found = locate(packages, folder, name)
      if (found !== undefined) reached.add(found)
    }
  }
  reached.delete('')
  return [...reached].sort()
}

function neededBy(entry: LockedPackage): string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]
}

/** As Node looks for it: beside, then in the folders above. */
function locate(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[candidate]) return candidate
    if (folder === '') return undefined
  }
}
