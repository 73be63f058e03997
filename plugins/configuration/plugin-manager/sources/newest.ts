/** Looks for a newer version where a plugin came from. Nothing is installed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, type PluginContext } from 'svc/sdk'
import type { ChildRun } from 'svc/sdk/kit/process'
import { download, getSha256 } from './download.ts'
import { readRemote } from './git.ts'
import { npm } from './npm.ts'
import type { Provenance, Source } from './source.ts'

/** What a source has now. */
export interface Newest {
  /**
   * `moved`: the tag that was installed names another commit now. `pinned`: an exact version or commit was installed, so
   * there is nothing to update to. `unknown`: the source cannot be read, and `note` says why.
   */
  readonly status: 'current' | 'newer' | 'moved' | 'pinned' | 'unknown'
  /** A version, tag, commit or digest. */
  readonly available?: string
  /** What to install. */
  readonly source: Source
  readonly note?: string
}

type Of<K extends Provenance['kind']> = Extract<Provenance, { kind: K }>

interface Asked {
  readonly ctx: PluginContext<undefined>
  /** The version of the manifest that is installed. */
  readonly version: string
  readonly run: ChildRun
  /** Where npm and git are run. */
  readonly cwd: string
}

/** Throws the reason of the signal only. */
export async function findNewest(from: Provenance, asked: Asked): Promise<Newest> {
  try {
    if (from.kind === 'package') return await findPackage(from, asked)
    if (from.kind === 'git') return await findCommit(from, asked)
    if (from.kind === 'https') return await findArchive(from, asked)
    return from.kind === 'tarball' ? findTarball(from) : findFolder(from, asked)
  } catch (error) {
    asked.run.signal.throwIfAborted()
    asked.ctx.log.info('a newer version could not be looked for', { error })
    return { status: 'unknown', source: toSource(from), note: errorMessage(error) }
  }
}

/** The same source again. */
export function toSource(from: Provenance): Source {
  if (from.kind === 'git') return { kind: 'git', url: from.url, ...(from.ref !== undefined && { ref: from.ref }) }
  if (from.kind === 'https') return { kind: 'https', url: from.url }
  if (from.kind === 'package') return { kind: 'package', name: from.name, wanted: from.wanted }
  return { kind: from.kind, path: from.path }
}

/** The registry's answer: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
async function findPackage(from: Of<'package'>, { version, run, cwd }: Asked): Promise<Newest> {
  const answer = JSON.parse(await npm(['view', from.name, 'dist-tags', 'versions', '--json'], cwd, run)) as {
    'dist-tags'?: Record<string, string>
    versions?: string | string[]
  }
  const { default: semver } = await import('semver')
  const { 'dist-tags': tags = {}, versions = [] } = answer
  const source = toSource(from)
  const { latest } = tags
  if (semver.valid(from.wanted)) {
    const isBehind = latest !== undefined && semver.valid(version) !== null && semver.gt(latest, version)
    const how = `${latest} is published; to take it: --from ${from.name}@latest`
    return { status: 'pinned', source, ...(isBehind && { available: latest, note: how }) }
  }
  const found = tags[from.wanted] ?? semver.maxSatisfying([versions].flat(), from.wanted) ?? undefined
  if (found === undefined) return { status: 'unknown', source, note: `the registry has no ${from.name}@${from.wanted}` }
  const isNewer = semver.valid(version) === null ? found !== version : semver.gt(found, version)
  return { status: isNewer ? 'newer' : 'current', available: found, source }
}

async function findCommit(from: Of<'git'>, { run, cwd }: Asked): Promise<Newest> {
  const source = toSource(from)
  if (from.refKind === 'commit') return { status: 'pinned', source }
  const remote = await readRemote(from, cwd, run)
  if (from.refKind === 'tag') return findTag(from, remote.tags)
  const commit = from.ref === undefined ? remote.head : remote.branches.get(from.ref)
  if (commit === undefined) return { status: 'unknown', source, note: `the branch ${from.ref ?? ''} is gone` }
  return { status: commit === from.commit ? 'current' : 'newer', available: commit.slice(0, 12), source }
}

async function findTag({ url, ref = '', commit }: Of<'git'>, tags: ReadonlyMap<string, string>): Promise<Newest> {
  const newest = await findNewestTag(ref, [...tags.keys()])
  const source = { kind: 'git', url, ref: newest ?? ref } as const
  const now = tags.get(ref)
  if (now === commit) return { status: newest === undefined ? 'current' : 'newer', available: source.ref, source }
  const what = now === undefined ? 'was deleted' : `is ${now.slice(0, 12)} now`
  return {
    status: 'moved',
    source,
    available: source.ref,
    note: `the tag ${ref} was commit ${commit.slice(0, 12)} and ${what}`,
  }
}

/** The highest release with the same prefix as this tag, such as `v` or `weather-v`; undefined if there is no higher one. */
async function findNewestTag(current: string, tags: readonly string[]): Promise<string | undefined> {
  const { default: semver } = await import('semver')
  const [, prefix, version] = /^(.*?)(\d+\.\d+\.\d+.*)$/.exec(current) ?? []
  if (prefix === undefined || version === undefined || !semver.valid(version)) return undefined
  const versions = tags.flatMap((tag) => (tag.startsWith(prefix) ? tag.slice(prefix.length) : []))
  const wantsPrerelease = semver.prerelease(version) !== null
  const higher = versions.filter((other) => {
    return semver.valid(other) && semver.gt(other, version) && (wantsPrerelease || semver.prerelease(other) === null)
  })
  const highest = higher.sort(semver.compare).at(-1)
  return highest === undefined ? undefined : `${prefix}${highest}`
}

async function findArchive(from: Of<'https'>, { ctx, run }: Asked): Promise<Newest> {
  const options = { signal: run.signal, ...(from.etag !== undefined && { etag: from.etag }) }
  const found = await download(ctx, from.url, options)
  const source = toSource(from)
  if (found === 'unchanged' || found.sha256 === from.sha256) return { status: 'current', source }
  return { status: 'newer', available: `sha256 ${found.sha256.slice(0, 12)}`, source }
}

function findTarball(from: Of<'tarball'>): Newest {
  const source = toSource(from)
  if (!existsSync(from.path)) return { status: 'unknown', source, note: `${from.path} is not there any more` }
  const sha256 = getSha256(readFileSync(from.path))
  return sha256 === from.sha256
    ? { status: 'current', source }
    : { status: 'newer', available: `sha256 ${sha256.slice(0, 12)}`, source }
}

function findFolder(from: Of<'folder'>, { version }: Asked): Newest {
  const source = toSource(from)
  const file = join(from.path, 'plugin.json')
  if (!existsSync(file)) return { status: 'unknown', source, note: `${from.path} is not there any more` }
  const { version: now } = JSON.parse(readFileSync(file, 'utf8')) as { version?: string }
  return { status: now === version ? 'current' : 'newer', ...(now !== undefined && { available: now }), source }
}
