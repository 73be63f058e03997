/** Brings a plugin into the staging home: from a folder, an archive, npm or git. None of its code runs. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import type { ChildRun } from 'svc/sdk/kit/process'
import { copyFolder, listPluginFiles } from '../folder.ts'
import { readManifestName, type Staging } from '../staging.ts'
import { childRun } from './child.ts'
import { download, getSha256 } from './download.ts'
import { checkOut, readRemote, resolveRef } from './git.ts'
import { npm } from './npm.ts'
import { listPackages, listUnbuilt, packageJson } from './package-json.ts'
import type { Provenance, Source } from './source.ts'
import { extractTarball } from './tarball.ts'

/** A plugin that lies in the staging home, with its packages. */
export interface Candidate {
  readonly dir: string
  readonly origin: 'home' | 'npm'
  /** The name of the npm package, for the origin `npm`. */
  readonly packageName?: string
  readonly source: Provenance
  /** Packages that come along. */
  readonly packages: readonly string[]
  /** Those of them whose install scripts would have to run, which they do not. */
  readonly unbuilt: readonly string[]
}

type Context = PluginContext<undefined>

interface Fetched {
  readonly source: Provenance
  /** Where its files are. They may be moved away unless it is the user's folder. */
  readonly dir: string
  readonly isCopy: boolean
  readonly isPackage: boolean
}

/** Throws `PLUGIN_UNSAFE`, `PLUGIN_FOLDER`, `PLUGIN_NOT_USABLE`, and what npm, git and the network throw. */
export async function fetchCandidate(
  ctx: Context,
  source: Source,
  staging: Staging,
  io: Pick<CliContext, 'signal'>,
): Promise<Candidate> {
  const run = childRun(ctx, io)
  const fetched = await fetchFiles(ctx, source, staging, run)
  const packageName = fetched.isPackage ? checkPackage(fetched.dir) : undefined
  const dir = packageName === undefined ? placeFolder(fetched, staging) : placePackage(fetched, packageName, staging)
  const { dependencies = {}, optionalDependencies = {} } = packageJson(dir)
  if (Object.keys({ ...dependencies, ...optionalDependencies }).length) await npm(['install'], dir, run)
  return {
    dir,
    origin: packageName === undefined ? 'home' : 'npm',
    ...(packageName !== undefined && { packageName }),
    source: fetched.source,
    packages: listPackages(dir).map(({ name }) => name),
    unbuilt: listUnbuilt(dir),
  }
}

async function fetchFiles(ctx: Context, source: Source, staging: Staging, run: ChildRun): Promise<Fetched> {
  const dir = join(staging.work, 'files')
  if (source.kind === 'folder') return { source, dir: source.path, isCopy: false, isPackage: false }
  if (source.kind === 'git') {
    const resolved = resolveRef(source, await readRemote(source, staging.work, run))
    await checkOut(source, resolved, dir, run)
    return { source: { ...source, ...resolved }, dir, isCopy: false, isPackage: false }
  }
  if (source.kind === 'https') {
    const found = await download(ctx, source.url, { signal: run.signal })
    if (found === 'unchanged') throw new SvcError('PLUGIN_DOWNLOAD', `${source.url} answered 304 without being asked.`)
    const { bytes, sha256, etag } = found
    if (source.sha256 !== undefined && source.sha256 !== sha256)
      throw new SvcError('PLUGIN_DOWNLOAD', `${source.url} has the SHA-256 ${sha256}, not the one that was given.`)
    extractTarball(bytes, dir)
    const { url } = source
    return {
      source: { kind: 'https', url, sha256, ...(etag !== undefined && { etag }) },
      dir,
      isCopy: true,
      isPackage: false,
    }
  }
  const packed = source.kind === 'package' ? await packFromRegistry(source, staging, run) : undefined
  const bytes = readFileSync(packed?.file ?? (source as { path: string }).path)
  extractTarball(bytes, dir)
  const provenance: Provenance =
    source.kind === 'package'
      ? { ...source, integrity: packed?.integrity ?? '' }
      : { ...source, sha256: getSha256(bytes) }
  return { source: provenance, dir, isCopy: true, isPackage: true }
}

/** npm knows registries, credentials and proxies, and checks the integrity that the registry promises. */
async function packFromRegistry(
  { name, wanted }: Extract<Source, { kind: 'package' }>,
  { work }: Staging,
  run: ChildRun,
): Promise<{ readonly file: string; readonly integrity: string }> {
  const text = await npm(['pack', `${name}@${wanted}`, '--json', '--pack-destination', work], work, run)
  const parsed: unknown = JSON.parse(text)
  // Newer versions of npm answer with an object that has the name as its key.
  const [packed] = (Array.isArray(parsed) ? parsed : Object.values(parsed as object)) as {
    filename: string
    integrity: string
  }[]
  if (!packed) throw new SvcError('PLUGIN_NPM_FAILED', `npm did not say what it made of ${name}@${wanted}.`)
  return { file: join(work, packed.filename.replace(/^@/, '').replace('/', '-')), integrity: packed.integrity }
}

function checkPackage(dir: string): string {
  const { name, keywords = [] } = packageJson(dir)
  if (name === undefined) throw new SvcError('PLUGIN_FOLDER', 'The archive has no package.json with a name.')
  if (!/^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i.test(name))
    throw new SvcError('PLUGIN_UNSAFE', `${JSON.stringify(name)} is not the name of an npm package.`)
  if (keywords.includes('svc-plugin')) return name
  throw new SvcError('PLUGIN_FOLDER', `The package ${name} is no plugin of svc: it lacks the keyword "svc-plugin".`)
}

function placeFolder({ dir, isCopy }: Fetched, staging: Staging): string {
  const target = join(staging.home, 'plugins', readManifestName(dir) ?? 'unnamed')
  if (isCopy) move(dir, target)
  else copyFolder(dir, target)
  return target
}

function placePackage({ dir }: Fetched, name: string, staging: Staging): string {
  const root = join(staging.home, 'npm')
  const target = join(root, 'node_modules', name)
  move(dir, target)
  writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: '*' } }))
  return target
}

function move(from: string, to: string): void {
  if (existsSync(join(from, 'plugin.json'))) listPluginFiles(from)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  renameSync(from, to)
}
