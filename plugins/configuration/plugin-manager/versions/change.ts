/**
 * Makes another version of a plugin active, as one transaction. The versions lie complete beside each other; what decides
 * is one link. A process that ends at any step leaves the old version or the new one, and `recover` does the rest.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import { Control, type Manifest } from 'svc/sdk/host'
import { Consents } from 'svc/sdk/safety'
import { type ProcessOutcome, tell } from '../running-processes.ts'
import { closeJournal, type VersionChange, writeJournal } from './journal.ts'
import { type Installed, type InstalledVersion, writeInstalled } from './records.ts'
import { activate, adopt, findSlot, type Slot } from './slot.ts'
import { getDataFolder, getSnapshotFolder, restoreSnapshot, takeSnapshot } from './snapshots.ts'

/** Versions that are kept: the active one and those that rollbacks return to. */
const MAX_KEPT = 3

type Context = PluginContext<undefined>
type PlannedChange = Omit<VersionChange, 'stopped' | 'isSaved'>

/**
 * The new version must be in the store and agreed to. Throws `PLUGIN_UPDATE_FAILED` when a running process cannot run the
 * new version of an update: then the old one is active again, with its data and settings.
 */
export async function changeVersion(ctx: Context, planned: PlannedChange): Promise<ProcessOutcome[]> {
  const { name, from, to, kind, block } = planned
  const slot = findSlot(ctx, name, planned.after)
  writeJournal(ctx, { ...planned, stopped: [] })
  const stopped = from && existsSync(getDataFolder(ctx, name)) ? await stop(ctx, name) : []
  writeJournal(ctx, { ...planned, stopped })
  if (from) takeSnapshot(ctx, name, from.id, block)
  writeJournal(ctx, { ...planned, stopped, isSaved: true })
  if (kind === 'rollback') await restoreSnapshot(ctx, name, to.id)
  if (from) await adoptFolder(ctx, slot, name, from)
  activate(slot, to.id)
  writeInstalled(ctx, planned.after)
  const outcomes = await start(ctx, name, stopped)
  const failed = outcomes.find(({ outcome }) => outcome === 'failed')
  if (kind === 'update' && failed && from) {
    await takeBack(ctx, planned)
    const message = `${name} ${to.version} does not start in ${failed.command} (process ${failed.pid}): ${failed.says}`
    throw new SvcError(
      'PLUGIN_UPDATE_FAILED',
      `${message}. ${from.version} is active again, with its data and settings.`,
    )
  }
  closeJournal(ctx)
  if (kind !== 'rollback') writeInstalled(ctx, await prune(ctx, slot, planned.after))
  return outcomes
}

/** A consent is bound to a place, and the folder of an earlier svc changes its place. */
async function adoptFolder(ctx: Context, slot: Slot, name: string, { id, hash }: InstalledVersion): Promise<void> {
  if (!lstatSync(slot.link, { throwIfNoEntry: false })?.isDirectory()) return
  const consents = ctx.use(Consents)
  const subject = { manifest: createStandIn(name), origin: slot.origin }
  const { agreed } = await consents.inspect({ ...subject, dir: slot.link })
  adopt(slot, id)
  if (agreed === 'yes') await consents.agree({ ...subject, dir: join(slot.store, id) }, hash)
}

/** Consents identify a plugin by its origin and place. */
function createStandIn(name: string): Manifest {
  return { name, version: '0.0.0', sdk: '*', kind: 'tool', description: '' }
}

/** After the last step of an update: back to what was before it. */
async function takeBack(ctx: Context, { name, from, to, before, block }: PlannedChange): Promise<void> {
  if (!from || !before) return
  const stopped = existsSync(getDataFolder(ctx, name)) ? await stop(ctx, name) : []
  const change = { kind: 'rollback', name, block, before, after: before, from: to, to: from, stopped } as const
  writeJournal(ctx, { ...change, isSaved: true })
  await restoreSnapshot(ctx, name, from.id)
  const slot = findSlot(ctx, name, before)
  activate(slot, from.id)
  writeInstalled(ctx, before)
  await start(ctx, name, stopped.length ? stopped : [name])
  closeJournal(ctx)
  if (!before.versions.some(({ id }) => id === to.id)) await dropVersion(ctx, slot, name, to.id)
}

/** Running processes stop the plugin, so that its files are at rest. Returns the plugins that they stopped. */
async function stop(ctx: Context, name: string): Promise<string[]> {
  const answers = await ctx.use(Control).ask('plugins.disable', { name })
  const names = answers.flatMap(({ result }) => (result as { names?: readonly string[] } | undefined)?.names ?? [])
  return [...new Set(names)]
}

/** Running processes take the active version. */
export async function start(ctx: Context, name: string, stopped: readonly string[]): Promise<ProcessOutcome[]> {
  if (!stopped.length) return tell(ctx, 'reload', name)
  const outcomes = await tell(ctx, 'enable', name)
  for (const other of stopped) if (other !== name) await tell(ctx, 'enable', other)
  return outcomes
}

/** Deletes versions that no rollback returns to, with their copies of data; returns the record without them. */
async function prune(ctx: Context, slot: Slot, record: Installed): Promise<Installed> {
  const kept = new Set<string>()
  for (let id: string | undefined = record.current; id !== undefined && kept.size < MAX_KEPT; ) {
    if (kept.has(id)) break
    kept.add(id)
    id = record.versions.find((version) => version.id === id)?.replaced
  }
  for (const { id } of record.versions) if (!kept.has(id)) await dropVersion(ctx, slot, record.name, id)
  return { ...record, versions: record.versions.filter(({ id }) => kept.has(id)) }
}

/** Deletes a version that is not active, its consent and its copy of the data. */
export async function dropVersion(ctx: Context, slot: Slot, name: string, id: string): Promise<void> {
  const dir = join(slot.store, id)
  if (existsSync(dir)) await ctx.use(Consents).forget({ manifest: createStandIn(name), origin: slot.origin, dir })
  rmSync(dir, { recursive: true, force: true })
  if (existsSync(slot.store) && readdirSync(slot.store).length === 0) rmSync(slot.store, { recursive: true })
  rmSync(getSnapshotFolder(ctx, name, id), { recursive: true, force: true })
}
