/** What of a home moves to another machine: config.yaml, and what the manifests of plugins name as portable. */
import { posix } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { isTemporaryName } from 'svc/sdk/kit/files'

type Context = PluginContext<undefined>

/** Files and folders, by a word that people know. */
export interface Part {
  readonly name: string
  /** Below a home, with slashes. */
  readonly paths: readonly string[]
  /** Its files are text that may be given away, so keys in them are masked. */
  readonly isText: boolean
}

const SETTINGS = 'settings'
const SECRETS = 'secrets'
export const CONFIG_FILE = 'config.yaml'
const ENV_FILE = '.env'
/** What belongs to one process, or was left half done. */
const PASSING = /\.(?:lock|draft|takeover|sock|pid)$/
const IN_PROFILE = /^profiles\/[^/]+\//

/** All that can move, without what holds keys. */
export function listParts(ctx: Context): readonly Part[] {
  const parts = new Map<string, Part>([[SETTINGS, { name: SETTINGS, paths: [CONFIG_FILE], isText: true }]])
  const add = (name: string, paths: readonly string[], isText: boolean) =>
    parts.set(name, { name, isText, paths: [...new Set([...(parts.get(name)?.paths ?? []), ...paths])] })
  for (const { manifest } of ctx.use(Plugins).list()) {
    const { shared = [], personal = [], state = {} } = manifest.portable ?? {}
    for (const path of [...shared, ...personal]) add(path, [path], true)
    for (const [name, paths] of Object.entries(state)) add(name, paths, false)
  }
  return [...parts.values()]
}

export function getSecretPart(ctx: Context): Part {
  const named = ctx
    .use(Plugins)
    .list()
    .flatMap(({ manifest }) => manifest.portable?.secrets ?? [])
  return { name: SECRETS, paths: [...new Set([ENV_FILE, ...named])], isText: false }
}

/** Throws `TRANSFER_PART`. */
export function chooseParts(ctx: Context, names: readonly string[]): readonly Part[] {
  const all = listParts(ctx)
  if (names.length === 0) return all
  const unknown = names.find((name) => !all.some((part) => part.name === name))
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name))
  const known = all
    .map(({ name }) => name)
    .sort()
    .join(', ')
  const message = `Nothing of a home is called ${JSON.stringify(unknown)}. --only takes: ${known}.`
  throw new SvcError('TRANSFER_PART', message, { status: 400 })
}

/** The part that a file belongs to, in the home or in a profile of it; undefined for one that stays. */
export function findPart(parts: readonly Part[], path: string): Part | undefined {
  const inHome = path.replace(IN_PROFILE, '')
  if (PASSING.test(inHome) || isTemporaryName(posix.basename(inHome))) return undefined
  return parts.find(({ paths }) => paths.some((each) => inHome === each || inHome.startsWith(`${each}/`)))
}
