/** `svc plugins remove NAME --purge`, and `svc plugins restore NAME`, which takes that back. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliArguments, type CliContext, confirmCommand, Home, type PluginContext, SvcError } from 'svc/sdk'
import { type PluginInfo, Plugins } from 'svc/sdk/host'
import { hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { Consents } from 'svc/sdk/safety'
import { record } from './consent.ts'
import { announce, printSwitchedOn } from './enable.ts'
import { exitCode } from './running-processes.ts'
import { getBlockPath } from './settings.ts'
import { inspectStaged, Staging } from './staging.ts'
import { isOn, readSwitches, writeSwitch } from './switches.ts'
import { changeVersion } from './versions/change.ts'
import { findVersion, type Installed, type InstalledVersion } from './versions/records.ts'
import { findSlot, type Slot, storeVersion } from './versions/slot.ts'
import { getDataFolder, readSettings, writeSettings } from './versions/snapshots.ts'

type Context = PluginContext<undefined>

/** Where a purged plugin is. */
export interface Purged {
  readonly dir: string
  /** For the folder of the plugin, inside `dir`. */
  readonly plugin: string
}

/** What a purge remembers besides the files. */
interface PurgeNote extends Pick<Slot, 'origin' | 'packageName'> {
  readonly name: string
  readonly version: InstalledVersion
  readonly settings: { readonly path: string; readonly value?: unknown }
  readonly isOn: boolean
}

/** Copies settings, switches and the record before anything is removed. */
export function keepForUndo(ctx: Context, info: PluginInfo, installed: Installed, time: string): Purged {
  const { name } = info.manifest
  const version = findVersion(installed, installed.current)
  if (!version) throw new SvcError('PLUGIN_RECORD', `The record of ${name} does not name its version.`)
  const { origin, packageName } = installed
  const note: PurgeNote = {
    name,
    origin,
    ...(packageName !== undefined && { packageName }),
    version,
    settings: readSettings(ctx, getBlockPath(info)),
    isOn: isOn(info, readSwitches(ctx)),
  }
  const dir = ctx.use(Home).path('trash', 'purged', `${name}-${time}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, 'purged.json'), JSON.stringify(note, undefined, 1), { mode: 0o600, flush: true })
  return { dir, plugin: join(dir, 'plugin') }
}

export async function restore(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  const staging = await Staging.open(ctx)
  try {
    const { dir, note } = findPurged(ctx, name)
    if (ctx.use(Plugins).info(name))
      throw new SvcError('PLUGIN_NAME_TAKEN', `A plugin "${name}" is there again. Remove that first.`, { status: 409 })
    const data = getDataFolder(ctx, name)
    if (existsSync(data)) throw new SvcError('PLUGIN_FOLDER', `${data} is in the way. Move it away first.`)
    const info = await inspectCopy(staging, dir, note)
    const { hash } = await ctx.use(Consents).inspect(info)
    if (hash !== note.version.hash)
      throw new SvcError('PLUGIN_UNSAFE', `${dir} was changed since ${name} was removed. Look into it, and install it.`)
    if (
      !(await confirmCommand(io, `Restore ${name} ${note.version.version} with its data and settings?`, input.options))
    )
      return 1
    if (existsSync(join(dir, 'data'))) cpSync(join(dir, 'data'), data, { recursive: true, verbatimSymlinks: true })
    await writeSettings(ctx, note.settings)
    const { replaced: _, ...version } = note.version
    const slot = findSlot(ctx, name, note)
    const placed = storeVersion(slot, version.id, info.dir)
    await record(ctx, { ...info, dir: placed }, hash)
    const { origin, packageName } = slot
    const after = {
      name,
      origin,
      ...(packageName !== undefined && { packageName }),
      current: version.id,
      versions: [version],
    }
    await changeVersion(ctx, { kind: 'install', name, block: note.settings.path, after, to: version })
    const switched = note.isOn ? await announce(ctx, info, await writeSwitch(ctx, info, 'on')) : undefined
    rmSync(dir, { recursive: true, force: true })
    if (hasFlag(input, 'json')) printJson(io, { name, version: version.version, ...switched })
    else {
      io.out(`${name} ${version.version} is back, with its data and settings.\n`)
      if (switched) printSwitchedOn(io, name, switched)
    }
    return exitCode(switched?.processes ?? [])
  } finally {
    staging.close()
  }
}

/** The one that was purged last. */
function findPurged(ctx: Context, name: string): { readonly dir: string; readonly note: PurgeNote } {
  const trash = ctx.use(Home).path('trash', 'purged')
  const all = existsSync(trash) ? readdirSync(trash).sort().reverse() : []
  for (const folder of all) {
    const dir = join(trash, folder)
    const file = join(dir, 'purged.json')
    if (!folder.startsWith(`${name}-`) || !existsSync(file) || !existsSync(join(dir, 'plugin'))) continue
    const note = JSON.parse(readFileSync(file, 'utf8')) as PurgeNote
    if (note.name === name) return { dir, note }
  }
  throw new SvcError('PLUGIN_FOLDER', `No purged plugin "${name}" is in ${quotePath(trash)}.`, { status: 404 })
}

/** A copy in the staging home, so that a process that ends in the middle leaves the one in the trash. */
async function inspectCopy(
  staging: Staging,
  dir: string,
  { name, origin, packageName }: PurgeNote,
): Promise<PluginInfo> {
  const isPackage = origin === 'npm' && packageName !== undefined
  const target = isPackage
    ? join(staging.home, 'npm', 'node_modules', packageName)
    : join(staging.home, 'plugins', name)
  if (!lstatSync(join(dir, 'plugin')).isDirectory())
    throw new SvcError('PLUGIN_UNSAFE', `${join(dir, 'plugin')} is not a folder.`)
  cpSync(join(dir, 'plugin'), target, { recursive: true, verbatimSymlinks: true })
  if (isPackage) {
    const dependencies = { [packageName]: '*' }
    writeFileSync(join(staging.home, 'npm', 'package.json'), JSON.stringify({ private: true, dependencies }))
  }
  return inspectStaged(staging.home, target)
}
