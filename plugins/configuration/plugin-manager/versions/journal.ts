/** The change of a version that is under way. It is written before the first step and deleted after the last. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { Installed, InstalledVersion } from './records.ts'

export interface VersionChange {
  readonly kind: 'install' | 'update' | 'rollback'
  readonly name: string
  /** Dotted path of its settings. */
  readonly block: string
  /** As it was before; undefined for the first installation. */
  readonly before?: Installed
  /** As it will be. */
  readonly after: Installed
  readonly from?: InstalledVersion
  readonly to: InstalledVersion
  /** Plugins that running processes stopped for it. */
  readonly stopped: readonly string[]
  /** Data and settings of the version that is left are in its snapshot. */
  readonly isSaved?: boolean
}

type Context = PluginContext<undefined>

export function readJournal(ctx: Context): VersionChange | undefined {
  const file = getJournalFile(ctx)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VersionChange) : undefined
}

export function writeJournal(ctx: Context, change: VersionChange): void {
  mkdirSync(ctx.dataDir, { recursive: true, mode: 0o700 })
  writeAtomicallySync(getJournalFile(ctx), JSON.stringify(change))
}

export function closeJournal(ctx: Context): void {
  rmSync(getJournalFile(ctx), { force: true })
}

function getJournalFile(ctx: Context): string {
  return join(ctx.dataDir, 'version-change.json')
}
