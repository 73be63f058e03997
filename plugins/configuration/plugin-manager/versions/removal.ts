/**
 * Takes an installed plugin out of a home. The removal that is under way is written down before the first step, and each step may
 * be repeated, so a process that ends in the middle leaves a removal that `recoverRemoval` completes.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Home, type PluginContext } from 'svc/sdk'
import { Consents } from 'svc/sdk/safety'
import { tell } from '../running-processes.ts'
import { getBlockPath } from '../settings.ts'
import { writeSwitch } from '../switches.ts'
import { dropVersion } from './change.ts'
import { forgetInstalled } from './records.ts'
import { closeRemoval, type Removal, readRemoval } from './removal-journal.ts'
import { deactivate, findSlot, readActive } from './slot.ts'
import { getDataFolder, writeSettings } from './snapshots.ts'

type Context = PluginContext<undefined>

/** The script of all plugins of the home: made again by the next start. */
const PACK = 'plugins.pack'

/** Completes the removal whose process ended in the middle. Only one process at a time may call it. */
export async function recoverRemoval(ctx: Context): Promise<void> {
  const removal = readRemoval(ctx)
  if (!removal) return
  const { name } = removal.info.manifest
  await writeSwitch(ctx, removal.info, 'forgotten')
  await tell(ctx, 'disable', name)
  await discard(ctx, removal)
  closeRemoval(ctx)
  ctx.log.warn(`the interrupted removal of ${name} was completed`)
}

/** Moves the active version to the trash, and of a purge its data, settings and compiled code. Earlier versions are deleted. */
export async function discard(ctx: Context, removal: Removal): Promise<void> {
  const { info, installed, trash } = removal
  const { name } = info.manifest
  const slot = findSlot(ctx, name, installed)
  mkdirSync(dirname(trash), { recursive: true, mode: 0o700 })
  if (existsSync(info.dir)) await ctx.use(Consents).forget({ ...info, manifest: info.manifest })
  const active = readActive(slot) ?? findDeactivated(slot.link, join(slot.store, installed.current))
  if (active === undefined) moveFolder(info.dir, trash)
  deactivate(slot)
  if (active !== undefined && !existsSync(trash)) renameSync(join(slot.store, active), trash)
  for (const { id } of installed.versions) await dropVersion(ctx, slot, name, id)
  rmSync(slot.store, { recursive: true, force: true })
  rmSync(join(ctx.dataDir, 'snapshots', name), { recursive: true, force: true })
  forgetInstalled(ctx, name)
  if (removal.data !== undefined) await clearPurged(ctx, info, removal.data)
}

/** The version whose link an ended process has taken away already. */
function findDeactivated(link: string, dir: string): string | undefined {
  const isLinked = lstatSync(link, { throwIfNoEntry: false }) !== undefined
  return !isLinked && existsSync(dir) ? basename(dir) : undefined
}

/** A folder or a link that something else put there. */
function moveFolder(dir: string, trash: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) rmSync(dir)
  else if (stat) renameSync(dir, trash)
}

async function clearPurged(ctx: Context, info: Removal['info'], target: string): Promise<void> {
  const data = getDataFolder(ctx, info.manifest.name)
  if (existsSync(data)) renameSync(data, target)
  await writeSettings(ctx, { path: getBlockPath(info) })
  const cache = ctx.use(Home).path('cache', 'plugins')
  if (!existsSync(cache)) return
  const compiled = new RegExp(`^${basename(info.dir)}-[0-9a-f]{16}(\\.mark)?$`)
  for (const file of readdirSync(cache))
    if (compiled.test(file) || file === PACK) rmSync(join(cache, file), { recursive: true, force: true })
}
