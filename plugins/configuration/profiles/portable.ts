/** What a copy of a profile takes along: config.yaml, and what the manifests of plugins name as portable. */
import { copyFileSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Plugins } from 'svc/sdk/host'
import type { HomeContext } from './profile-folders.ts'

/** Names of entries of a home. */
export interface PortableNames {
  readonly shared: readonly string[]
  /** About the user. */
  readonly personal: readonly string[]
}

/** A file below a home; `path` has slashes. */
export interface PortableFile {
  readonly path: string
  readonly bytes: number
  readonly mode: number
}

/** What holds for one process only, or was left half done. */
const PASSING = /(?:\.lock|-tmp|\.draft|\.takeover|\.sock|\.pid)$|-(?:wal|shm|journal)$/

export function listPortable(ctx: HomeContext): PortableNames {
  const all = ctx
    .use(Plugins)
    .list()
    .flatMap(({ manifest }) => manifest.portable ?? [])
  const unite = (pick: (each: (typeof all)[number]) => readonly string[] | undefined) =>
    [...new Set(all.flatMap((each) => pick(each) ?? []))].sort()
  return { shared: ['config.yaml', ...unite(({ shared }) => shared)], personal: unite(({ personal }) => personal) }
}

/** The files below these entries of a home. `skipped` are links and what is no file: they are not followed. */
export function listFiles(home: string, names: readonly string[]): { files: PortableFile[]; skipped: string[] } {
  const files: PortableFile[] = []
  const skipped: string[] = []
  const visit = (path: string) => {
    const stats = lstatSync(join(home, path), { throwIfNoEntry: false })
    if (!stats || PASSING.test(path)) return
    if (stats.isDirectory()) for (const name of readdirSync(join(home, path)).sort()) visit(`${path}/${name}`)
    else if (stats.isFile()) files.push({ path, bytes: stats.size, mode: stats.mode & 0o700 })
    else skipped.push(path)
  }
  for (const name of names) visit(name)
  return { files, skipped }
}

/** What is of one machine, one process or one history, and what can be fetched again. */
const NOT_CLONED: readonly string[] = [
  ...['profiles', 'active_profile', 'trash', 'data', 'logs', 'run', 'cache', 'workspace', 'pastes', 'backups'],
  ...['npm', 'node_modules', 'mcp-installs', 'processes.json', 'gateway_state.json', 'profile.yaml'],
]

/** The entries of a home that a whole copy takes along: all but history, logs and what belongs to this machine. */
export function listWhole(home: string): readonly string[] {
  const isKept = (name: string) => !NOT_CLONED.includes(name) && !/\.db(?:$|[.-])/.test(name) && !/^\.new-/.test(name)
  return readdirSync(home).filter(isKept).sort()
}

/** Copies them into another home. Throws the error of the system. */
export function copyFiles(from: string, to: string, files: readonly PortableFile[]): void {
  for (const { path } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    copyFileSync(join(from, path), join(to, path))
  }
}
