/** Copies of the data and settings of a plugin, one for each version that was left. */
import {
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Config, type PluginContext } from 'svc/sdk'
import { ConfigFile, getAtPath, parseConfigPath } from 'svc/sdk/host'
import { flushFolderSync } from 'svc/sdk/kit/files'
import { parse } from 'yaml'

type Context = PluginContext<undefined>

/** Settings as they are written in config.yaml, with references such as `${NAME}`. */
interface SavedSettings {
  readonly path: string
  readonly value?: unknown
}

export function getDataFolder(ctx: Context, name: string): string {
  return join(dirname(ctx.dataDir), name)
}

/** Where the copy for one version is. */
export function getSnapshotFolder(ctx: Context, name: string, id: string): string {
  return join(ctx.dataDir, 'snapshots', name, id)
}

/** Replaces an earlier copy for this version. The plugin must not be writing. */
export function takeSnapshot(ctx: Context, name: string, id: string, block: string): void {
  const target = getSnapshotFolder(ctx, name, id)
  const partial = `${target}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true, mode: 0o700 })
  const data = getDataFolder(ctx, name)
  if (existsSync(data)) copyData(data, join(partial, 'data'))
  writeFileSync(join(partial, 'settings.json'), JSON.stringify(readSettings(ctx, block)), { mode: 0o600 })
  rmSync(target, { recursive: true, force: true })
  renameSync(partial, target)
  flushFolderSync(dirname(target))
}

/** Brings data and settings back to what they were when this version was left. May be repeated. */
export async function restoreSnapshot(ctx: Context, name: string, id: string): Promise<void> {
  const from = getSnapshotFolder(ctx, name, id)
  if (!existsSync(from)) return
  const data = getDataFolder(ctx, name)
  const [fresh, old] = [`${data}.restored`, `${data}.replaced`]
  rmSync(fresh, { recursive: true, force: true })
  if (existsSync(join(from, 'data'))) copyData(join(from, 'data'), fresh)
  rmSync(old, { recursive: true, force: true })
  if (existsSync(data)) renameSync(data, old)
  if (existsSync(fresh)) renameSync(fresh, data)
  rmSync(old, { recursive: true, force: true })
  await writeSettings(ctx, JSON.parse(readFileSync(join(from, 'settings.json'), 'utf8')) as SavedSettings)
}

export function readSettings(ctx: Context, block: string): SavedSettings {
  const { file } = ctx.use(Config)
  const written: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined
  const value = getAtPath(written, parseConfigPath(block) ?? [])
  return { path: block, ...(value !== undefined && { value }) }
}

/** Writes what differs. */
export async function writeSettings(ctx: Context, saved: SavedSettings): Promise<void> {
  const now = readSettings(ctx, saved.path)
  if (JSON.stringify(now.value) === JSON.stringify(saved.value)) return
  const why = { author: 'svc plugins', reason: `bring back the settings at ${saved.path}` }
  await ctx.use(ConfigFile).write([{ path: saved.path, value: saved.value }], why)
}

/** Sockets and pipes belong to running processes and are left out. */
function copyData(from: string, to: string): void {
  const filter = (path: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat !== undefined && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink())
  }
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter,
  })
}
