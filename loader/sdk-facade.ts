/**
 * The SDK as foreign plugins import it. A plugin for the current version gets the entry points as they are; one for an
 * earlier version gets a module with the names of that version, made from `sdk/renames.json`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { SdkNames, SdkRename } from '../sdk/plugins.ts'
import { SDK_VERSION } from './manifest.ts'
import { importAddress } from './module-import.ts'

const sdkRoot: string = fileURLToPath(new URL('../sdk/', import.meta.url))
const isBuilt: boolean = import.meta.url.endsWith('js')

/** The address of the running SDK's entry point, of its testing kit or of a room of the kit; undefined for any other path. */
export function sdkAddress(path: string): string | undefined {
  if (path === 'svc/sdk') return resolveEntry('index')
  if (path === 'svc/sdk/testing') return pathToFileURL(join(sdkRoot, isBuilt ? 'testing.js' : 'testing.ts')).href
  const entry = /^svc\/sdk\/([\w-]+)$/.exec(path)?.[1]
  if (entry !== undefined && entryNames().includes(entry)) return resolveEntry(entry)
  const room = /^svc\/sdk\/kit\/([\w-]+)$/.exec(path)?.[1]
  return room && pathToFileURL(join(sdkRoot, 'kit', isBuilt ? `${room}.js` : `${room}/index.ts`)).href
}

/** The entry points besides `svc/sdk`. */
function entryNames(): string[] {
  const names = readdirSync(join(sdkRoot, isBuilt ? 'running' : 'entries')).map((file) => file.replace(/\.[jt]s$/, ''))
  return names.filter((name) => name !== 'index')
}

function resolveEntry(entry: string): string {
  if (isBuilt) return pathToFileURL(join(sdkRoot, 'running', `${entry}.js`)).href
  return pathToFileURL(join(sdkRoot, entry === 'index' ? 'index.ts' : `entries/${entry}.ts`)).href
}

/** What a plugin may import of the SDK, for the message about a path that does not exist. */
export function sdkPaths(): string[] {
  return ['svc/sdk', ...entryNames().map((name) => `svc/sdk/${name}`), 'svc/sdk/testing', ...kitPaths()]
}

function kitPaths(): string[] {
  return readdirSync(join(sdkRoot, 'kit')).map((room) => `svc/sdk/kit/${room.replace(/\.js$/, '')}`)
}

/** All renames, in the order of their codes. */
export function readRenames(): readonly SdkRename[] {
  return JSON.parse(readFileSync(join(sdkRoot, 'renames.json'), 'utf8')) as SdkRename[]
}

/** The names of the running SDK and of those before it. The testing kit is left out: no plugin needs it to run. */
export async function readSdkNames(): Promise<SdkNames> {
  const values: Record<string, readonly string[]> = {}
  for (const path of sdkPaths().filter((each) => each !== 'svc/sdk/testing')) {
    const module: object = await importAddress(entryAddress(path))
    values[path] = Object.keys(module).filter((name) => name !== 'default')
  }
  return { version: SDK_VERSION, renames: readRenames(), values }
}

/** Whether a plugin with this `sdk` range may use names of SDK 0.1. */
export async function acceptsOldNames(range: string): Promise<boolean> {
  if (range === '^0.2.0') return false
  if (range === '^0.1.0') return true
  const { default: semver } = await import('semver')
  return semver.validRange(range) !== null && semver.intersects(range, '<0.2.0')
}

/**
 * The text of a module that is `svc/sdk` for a plugin of SDK 0.1: the current names of `svc/sdk`, and those of 0.1. Each
 * renamed value is a constant named by its code, which stays in a bundle only where it is used: `usedCodes` finds it there.
 */
export async function oldSdk(): Promise<string> {
  const renames = readRenames()
  const values = new Map<string, ReadonlySet<string>>()
  for (const entry of new Set(['svc/sdk', ...renames.map((each) => each.entry)])) {
    const module: object = await importAddress(entryAddress(entry))
    values.set(entry, new Set(Object.keys(module)))
  }
  const old = new Set(renames.map((each) => each.old))
  const kept = [...(values.get('svc/sdk') ?? [])].filter((name) => !old.has(name))
  const lines = renames
    .filter((each) => values.get(each.entry)?.has(each.new))
    .map(({ code, old, new: name, entry }) => {
      const from = JSON.stringify(entryAddress(entry))
      return `import { ${name} as now${code} } from ${from}\nconst ${code} = now${code}\nexport { ${code} as ${old} }`
    })
  return [`export { ${kept.join(', ')} } from ${JSON.stringify(entryAddress('svc/sdk'))}`, ...lines, ''].join('\n')
}

function entryAddress(entry: string): string {
  const address = sdkAddress(entry)
  if (address === undefined) throw new Error(`The SDK has no entry point ${entry}.`)
  return address
}

/** The codes of the old names that a bundle uses. */
export function usedCodes(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.js'))
  const found = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/\bSVCDEP\d{3}\b/g) ?? [])
  return [...new Set(found)].sort()
}

/** What the author of a plugin is told of an old name. */
export function describeRename(plugin: string, { code, old, new: name, entry, since, removed }: SdkRename): string {
  const moved = name === old ? `exported by ${entry}` : `${name}${entry === 'svc/sdk' ? '' : ` of ${entry}`}`
  const now = `${moved} since sdk ${since}`
  return `${code} ${plugin} uses ${old}; it is ${now} and is removed in ${removed}; svc plugins migrate ${plugin} rewrites it.`
}
