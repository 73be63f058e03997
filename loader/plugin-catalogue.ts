/** Everything that can be loaded: what comes along, what is built in, what the home and the project have, and named folders. */
import { isForeign, type PluginRecord } from '../kernel/plugin-record.ts'
import { getServiceRanges } from '../sdk/manifest.ts'
import { builtIns, foreign } from './discover.ts'
import { findUnfit } from './manifest.ts'

/** Where plugins may come from. */
export interface Origins {
  readonly home: string
  /** The project whose plugins may be loaded. */
  readonly projectDir: string | undefined
  /** Plugins that the embedding program brings along. */
  readonly embedded?: readonly PluginRecord[]
  /** Absolute paths of plugin folders that the user named for this run. */
  readonly folders?: readonly string[]
  /** What was discovered a moment ago, by the same rules. */
  readonly found?: readonly PluginRecord[]
}

/** The first time what was discovered already will do; later the folders are read again. */
export function createDiscovery({ home, projectDir, embedded = [], folders = [], found: first }: Origins) {
  let known = first
  return async (): Promise<readonly PluginRecord[]> => {
    const read = known ?? (await withFolders([...builtIns(), ...(await foreign(home, projectDir))], folders))
    known = undefined
    const found = read.some(isForeign) ? await withReaders(read) : read
    const hasProject = projectDir !== undefined && found.some(({ origin }) => origin === 'project')
    const own = hasProject ? (await import('./project-plugins.ts')).withProject(found, projectDir) : found
    const all = [...embedded, ...own]
    return Promise.all(all.map((each) => withUnfit(each, all)))
  }
}

/** Names of variables that these plugins declare as secret. */
export function declaredSecrets(found: readonly PluginRecord[]): string[] {
  const declared = found.flatMap(({ manifest }) => manifest.env ?? [])
  return declared.filter(({ secret }) => secret).map(({ name }) => name)
}

/** The same with the plugins of these folders, each in the place of an installed one of its name. */
async function withFolders(
  found: readonly PluginRecord[],
  folders: readonly string[],
): Promise<readonly PluginRecord[]> {
  return folders.length === 0 ? found : (await import('./named-folders.ts')).withNamedFolders(found, folders)
}

/** What loads each plugin of a user, where it does not say so itself. */
async function withReaders(found: readonly PluginRecord[]): Promise<readonly PluginRecord[]> {
  const { loadedWith } = await import('../sdk/readers.ts')
  return found.map((each) => {
    const along = isForeign(each) && !each.problem ? loadedWith(each.manifest) : []
    return along.length > 0 ? { ...each, manifest: { ...each.manifest, with: along } } : each
  })
}

async function withUnfit(found: PluginRecord, all: readonly PluginRecord[]): Promise<PluginRecord> {
  if (Object.keys(getServiceRanges(found.manifest)).length === 0) return found
  return { ...found, unfit: await findUnfit(found, all) }
}
