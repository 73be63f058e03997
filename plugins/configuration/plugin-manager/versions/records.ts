/** What `svc plugins` knows of each plugin that it installed: its versions, and where each came from. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { Provenance } from '../sources/source.ts'
import type { Slot } from './slot.ts'

/** A version that lies in the store. */
export interface InstalledVersion {
  /** The version and the beginning of the content hash. */
  readonly id: string
  readonly version: string
  /** SHA-256 over its files, as a consent has it. */
  readonly hash: string
  readonly source?: Provenance
  /** Milliseconds since 1970 when it became active. */
  readonly at: number
  /** The version that was active before it: what a rollback returns to. */
  readonly replaced?: string
}

export interface Installed extends Pick<Slot, 'origin' | 'packageName'> {
  readonly name: string
  readonly current: string
  readonly versions: readonly InstalledVersion[]
}

export function createVersionId(version: string, hash: string): string {
  return `${version.replace(/[^\w.+-]/g, '_')}-${hash.slice(0, 12)}`
}

/** Undefined for a plugin that something else installed. Throws `PLUGIN_RECORD`. */
export function readInstalled(ctx: PluginContext<undefined>, name: string): Installed | undefined {
  const file = getRecordFile(ctx, name)
  if (!existsSync(file)) return undefined
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Installed
    if (record.name === name && Array.isArray(record.versions) && typeof record.current === 'string') return record
    throw new Error('it does not hold versions')
  } catch (cause) {
    const how = `Delete it, and the plugin can be updated with --from only.`
    throw new SvcError('PLUGIN_RECORD', `${file} cannot be read: ${errorMessage(cause)}. ${how}`, { cause })
  }
}

export function writeInstalled(ctx: PluginContext<undefined>, record: Installed): void {
  mkdirSync(join(ctx.dataDir, 'installed'), { recursive: true, mode: 0o700 })
  writeAtomicallySync(getRecordFile(ctx, record.name), `${JSON.stringify(record, undefined, 1)}\n`)
}

export function forgetInstalled(ctx: PluginContext<undefined>, name: string): void {
  rmSync(getRecordFile(ctx, name), { force: true })
}

/** The names of all plugins that `svc plugins` installed. */
export function listInstalled(ctx: PluginContext<undefined>): string[] {
  const dir = join(ctx.dataDir, 'installed')
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .flatMap((file) => /^([a-z][a-z0-9-]*)\.json$/.exec(file)?.[1] ?? [])
    .sort()
}

export function findVersion({ versions }: Installed, id: string | undefined): InstalledVersion | undefined {
  return versions.find((version) => version.id === id)
}

function getRecordFile(ctx: PluginContext<undefined>, name: string): string {
  return join(ctx.dataDir, 'installed', `${name}.json`)
}
