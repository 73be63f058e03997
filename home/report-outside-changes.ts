/** Reports changes from outside: manifests name the files and keys that they protect. */
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { Home } from '../sdk/home.ts'
import type { PluginProblem } from '../sdk/plugins.ts'
import type { ConfigStore } from './config.ts'
import type { Watched } from './outside-changes.ts'

/** What is looked at. */
export interface WatchedHome {
  readonly home: Home
  readonly config: ConfigStore
  readonly found: readonly PluginRecord[]
  /** Milliseconds since 1970. */
  readonly now: number
  readonly report: (problem: Omit<PluginProblem, 'at'>) => void
}

/** Messages about changes for the user; `seen` means that a person is reading them now. */
export async function findChanges(watched: WatchedHome, seen: boolean): Promise<readonly string[]> {
  // A configuration that a program brings along is in no file.
  if (!watched.config.inFile) return []
  const { findOutsideChanges } = await import('./outside-changes.ts')
  const changes = findOutsideChanges(createWatched(watched, watched.config), seen)
  for (const { message } of changes)
    watched.report({ plugin: 'kernel', stage: 'files', message, code: 'CONFIG_CHANGED_OUTSIDE' })
  return changes.filter(({ protects }) => protects || seen).map(({ message }) => message)
}

/** svc wrote the files itself: their present state is its own. */
export async function acceptOwnChanges(watched: WatchedHome): Promise<void> {
  const { acceptChanges } = await import('./outside-changes.ts')
  acceptChanges(createWatched(watched, await watched.config.fresh()))
}

function createWatched({ home, found, now }: WatchedHome, config: ConfigStore): Watched {
  const manifests = found.filter(({ problem }) => !problem).map(({ manifest }) => manifest)
  return { home: home.dir, config, manifests, now }
}
