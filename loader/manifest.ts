/** The check of a `plugin.json`: its fields, the SDK that it is for, and the versions of services that it names. */
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { getServiceRanges, type Manifest } from '../sdk/manifest.ts'
import type { ProcessRole } from '../sdk/plugin.ts'

/** The version of the SDK that this kernel offers. */
export const SDK_VERSION = '0.2.0'
/** Plugins written for these versions run; one for an earlier version gets its names. */
export const SDK_SUPPORTED = '>=0.1.0 <0.3.0'

type Check = (value: unknown) => boolean
const text: Check = (value) => typeof value === 'string' && value.length > 0
const texts: Check = (value) => Array.isArray(value) && value.every(text)
const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const lists: Check = (value) => object(value) && Object.values(value as object).every(texts)
const ranges: Check = (value) => object(value) && Object.values(value as object).every(text)
const roles: Check = (value) => texts(value) && (value as readonly string[]).every((role) => ROLES.includes(role))
const named: Check = (value) => Array.isArray(value) && value.every((entry) => object(entry) && text(entry.name))

/** Names of entries of the home, and paths below it, so that no manifest leads out of it. */
const isPortable: Check = (value) => {
  if (!object(value)) return false
  const { shared = [], personal = [], secrets = [], state = {}, ...others } = value as Record<string, unknown>
  return (
    Object.keys(others).length === 0 &&
    [shared, personal].every((names) => texts(names) && (names as readonly string[]).every(isName)) &&
    lists(state) &&
    [secrets, ...Object.values(state as object)].every(isBelow)
  )
}
const isName = (name: string) => /^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..'
const isBelow: Check = (value) =>
  texts(value) && (value as readonly string[]).every((path) => path.split('/').every(isName))

const ROLES: readonly string[] = ['terminal', 'gateway', 'command', 'embedded'] satisfies ProcessRole[]

const fields: Record<keyof Manifest, readonly [Check, string]> = {
  name: [
    (value) => text(value) && /^[a-z][a-z0-9-]{0,63}$/.test(value as string) && value !== 'projects',
    'lower-case letters, digits, hyphens, and not "projects"',
  ],
  version: [(value) => text(value) && /^\d+\.\d+\.\d+/.test(value as string), 'a version such as "1.0.0"'],
  sdk: [text, `a version range such as "^${SDK_VERSION}"`],
  kind: [text, 'a word such as "tool"'],
  description: [text, 'a sentence'],
  provides: [texts, 'a list of service names'],
  requires: [texts, 'a list of service names'],
  wants: [(value) => texts(value) || ranges(value), 'a list of service names, or { "service": "^1" }'],
  uses: [(value) => texts(value) || ranges(value), 'a list of service names, or { "service": "^1" }'],
  in: [
    (value) => roles(value) || (lists(value) && Object.values(value as object).every(roles)),
    `a list of ${ROLES.join(', ')}, or { "point": [role] }`,
  ],
  dynamic: [texts, 'a list of contribution points'],
  replaces: [lists, 'an object of lists: { "tools": ["name"] }'],
  wraps: [texts, 'a list of service names'],
  optional: [texts, 'a list of service names'],
  brings: [texts, 'a list of service names'],
  with: [texts, 'a list of service names'],
  config: [text, 'a dotted path of config.yaml'],
  env: [named, 'a list of { "name", "description", "secret" }'],
  contributes: [lists, 'an object of lists: { "tools": ["name"] }'],
  aliases: [lists, 'an object of lists: { "slash-commands": ["name"] }'],
  cli: [named, 'a list of { "name", "description" }'],
  guards: [texts, 'a list of hook ids: ["tool:calling"]'],
  checks: [texts, 'a list of hook ids: ["tool:calling"]'],
  permanent: [(value) => typeof value === 'boolean', 'true or false'],
  protects: [
    (value) => lists(value) && Object.keys(value as object).every((key) => key === 'settings' || key === 'files'),
    '{ "settings": ["path"], "files": ["NAME"] }',
  ],
  portable: [
    isPortable,
    '{ "shared": ["skills"], "personal": ["memories"] }, each a name without slashes, and paths: { "state": { "sessions": ["data/sessions"] }, "secrets": ["auth.json"] }',
  ],
  optIn: [(value) => typeof value === 'boolean', 'true or false'],
  grants: [lists, 'an object of lists'],
}
const required: readonly (keyof Manifest)[] = ['name', 'version', 'sdk', 'kind', 'description']

/**
 * What is wrong with a parsed `plugin.json`, as a sentence, or undefined. Unknown fields are an error, because they are typos,
 * except those of other programs, which begin with `x-`.
 */
export function manifestProblem(value: unknown): string | undefined {
  if (!object(value)) return 'plugin.json must be an object'
  const manifest = value as Record<string, unknown>
  for (const field of required) if (manifest[field] === undefined) return `plugin.json lacks "${field}"`
  for (const [field, content] of Object.entries(manifest)) {
    if (field === '$schema' || field.startsWith('x-')) continue
    const rule = fields[field as keyof Manifest]
    if (!rule) return `plugin.json has an unknown field "${field}"`
    if (!rule[0](content)) return `plugin.json: "${field}" must be ${rule[1]}`
  }
  return undefined
}

/** Ranges that need no library to be judged. */
const usual: readonly string[] = [`^${SDK_VERSION}`, '^0.1.0', '*']

/**
 * Of the services that it names with versions: which are provided in another one, as sentences by service. Ranges that
 * cannot be read fit nothing.
 */
export async function findUnfit(
  { manifest }: PluginRecord,
  all: readonly PluginRecord[],
): Promise<ReadonlyMap<string, string>> {
  const unfit = new Map<string, string>()
  for (const [service, range] of Object.entries(getServiceRanges(manifest))) {
    const provider = all.find((other) => !other.problem && other.manifest.provides?.includes(service))?.manifest
    if (!provider) continue
    const { default: semver } = await import('semver')
    if (semver.satisfies(provider.version, range, { includePrerelease: true })) continue
    unfit.set(service, `"${service}" is not used: it needs ${range}, and ${provider.name} is ${provider.version}`)
  }
  return unfit
}

/** Why the plugin does not fit this SDK, or undefined. */
export async function sdkProblem(manifest: Manifest): Promise<string | undefined> {
  if (usual.includes(manifest.sdk)) return undefined
  const { default: semver } = await import('semver')
  if (!semver.validRange(manifest.sdk)) return `plugin.json: "sdk" is "${manifest.sdk}", which is not a version range`
  if (semver.intersects(manifest.sdk, SDK_SUPPORTED)) return undefined
  const newer = semver.gtr(SDK_VERSION, manifest.sdk) ? 'an older' : 'a newer'
  return `it was written for ${newer} SDK (${manifest.sdk}); this is ${SDK_VERSION}`
}
