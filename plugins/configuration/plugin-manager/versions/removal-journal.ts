/** The removal of a plugin that is under way. It is written before the first step and deleted after the last. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { Installed } from './records.ts'

type Context = PluginContext<undefined>

export interface Removal {
  readonly info: Pick<PluginInfo, 'manifest' | 'origin' | 'dir'>
  /** As it was before. */
  readonly installed: Installed
  /** Where the folder of the plugin goes. */
  readonly trash: string
  /** Of a purge: where its data go. */
  readonly data?: string
}

export function readRemoval(ctx: Context): Removal | undefined {
  const file = getRemovalFile(ctx)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Removal) : undefined
}

export function writeRemoval(ctx: Context, removal: Removal): void {
  mkdirSync(ctx.dataDir, { recursive: true, mode: 0o700 })
  const { manifest, origin, dir } = removal.info
  writeAtomicallySync(getRemovalFile(ctx), JSON.stringify({ ...removal, info: { manifest, origin, dir } }))
}

export function closeRemoval(ctx: Context): void {
  rmSync(getRemovalFile(ctx), { force: true })
}

function getRemovalFile(ctx: Context): string {
  return join(ctx.dataDir, 'removal.json')
}
