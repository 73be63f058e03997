/** What only the machine tells: where svc's homes really are, where links lead. Bounded, and never throws. */
import { realpath } from 'node:fs/promises'
import { posix } from 'node:path'
import { UNKNOWN } from './expand.ts'
import type { Script } from './normalise.ts'
import { namedPaths } from './word-paths.ts'

const MAX_PATHS = 64
const MAX_STEPS = 4

/** Facts of the machine. */
export interface Ground {
  /** Real paths of svc's homes, and the paths that were given for them. */
  readonly homes: readonly string[]
  /** Real paths of paths that a script names, where they differ. */
  readonly real: ReadonlyMap<string, string>
}

export const NO_GROUND: Ground = { homes: [], real: new Map() }

/** Homes as given and as they really are. */
export async function realHomes(homes: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(homes.map((home) => realpath(home).catch(() => home)))
  return [...new Set([...homes, ...real])]
}

/** Where the paths of a script lead that go through links of the file system. */
export async function realPaths(script: Omit<Script, 'ground'>): Promise<ReadonlyMap<string, string>> {
  const named = new Set<string>()
  for (const command of script.commands) {
    for (const { path } of namedPaths(command, script))
      if (!/[*?[]|^\/(dev|proc)\//.test(path) && !path.includes(UNKNOWN)) named.add(path)
    if (named.size > MAX_PATHS) break
  }
  const found = await Promise.all(
    [...named].slice(0, MAX_PATHS).map(async (path) => [path, await resolveRealPath(path)] as const),
  )
  return new Map(found.filter(([path, real]) => path !== real))
}

/** Of a file that is not there yet: where it would be. */
async function resolveRealPath(path: string): Promise<string> {
  let folder = path
  for (let step = 0; step < MAX_STEPS && folder !== '/'; step++) {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined) return real + path.slice(folder === '/' ? 0 : folder.length)
    folder = posix.dirname(folder)
  }
  return path
}
