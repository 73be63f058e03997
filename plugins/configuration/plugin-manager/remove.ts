/** `svc plugins remove NAME`: out of the running processes, then into the trash. Data and settings stay. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  Clock,
  Config,
  confirmCommand,
  Home,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { ConfigFile, type PluginInfo } from 'svc/sdk/host'
import { hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { Consents } from 'svc/sdk/safety'
import { findDependents } from './enable.ts'
import { exitCode, printOutcomes, tell } from './live.ts'
import { stageWithout } from './packages.ts'
import { findPlugin } from './relations.ts'
import { getBlockPath } from './settings.ts'
import { Staging } from './staging.ts'
import { writeSwitch } from './switches.ts'

type Context = PluginContext<undefined>

export async function remove(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const info = await findPlugin(ctx, input.args[0] as string)
  const { name } = info.manifest
  refuseForeign(info)
  const along = findDependents(ctx, name)
  const others = along.length ? ` ${along.join(', ')} cannot run without it.` : ''
  if (!(await confirmCommand(io, `Remove ${name}?${others}`, input.options))) return 1
  const change = await writeSwitch(ctx, info, 'forgotten')
  const processes = await tell(ctx, 'disable', name)
  const trash = await discard(ctx, info, io).catch(async (error) => {
    if (change) await ctx.use(ConfigFile).undo(change.id)
    if (processes.some(({ outcome }) => outcome === 'done')) await tell(ctx, 'enable', name)
    throw error
  })
  await ctx.use(Consents).forget(info)
  const kept = leftovers(ctx, info)
  if (hasFlag(input, 'json')) printJson(io, { name, trash, kept, along, processes })
  else {
    io.out(`${name} was removed. To take that back: svc plugins install ${quotePath(trash)}\n`)
    if (kept.data) io.out(`Its data stays in ${kept.data}; to delete that too: rm -r ${quotePath(kept.data)}\n`)
    if (kept.config) io.out(`Its settings stay in config.yaml; to delete them too: svc config unset ${kept.config}\n`)
    printOutcomes(io, processes)
  }
  return exitCode(processes)
}

function refuseForeign({ manifest, origin, dir }: PluginInfo): void {
  const { name } = manifest
  if (origin === 'built-in')
    throw new SvcError('PLUGIN_BUILT_IN', `${name} is built in. To switch it off: svc plugins disable ${name}`)
  if (origin !== 'home' && origin !== 'npm')
    throw new SvcError('PLUGIN_NOT_REMOVABLE', `${name} belongs to the ${origin}, not to this home. ${dir}`.trim())
}

/** Moves the plugin away; returns where it is now. */
async function discard(ctx: Context, { origin, dir, manifest }: PluginInfo, io: CliContext): Promise<string> {
  const time = new Date(ctx.use(Clock).now()).toISOString().replace(/[:.]/g, '-')
  const trash = ctx.use(Home).path('trash', 'plugins', `${manifest.name}-${time}`)
  mkdirSync(dirname(trash), { recursive: true, mode: 0o700 })
  const staging = new Staging(ctx)
  try {
    if (origin === 'home') renameSync(dir, trash)
    else await discardPackage(ctx, dir, { trash, staging, io })
  } finally {
    staging.close()
  }
  return trash
}

async function discardPackage(
  ctx: Context,
  dir: string,
  { trash, staging, io }: { trash: string; staging: Staging; io: CliContext },
): Promise<void> {
  await stageWithout(ctx, dir, staging, io)
  cpSync(dir, trash, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  try {
    staging.swapNpm()
  } catch (error) {
    rmSync(trash, { recursive: true, force: true })
    throw error
  }
}

function leftovers(ctx: Context, info: PluginInfo): { readonly data?: string; readonly config?: string } {
  const data = join(dirname(ctx.dataDir), info.manifest.name)
  const block = getBlockPath(info)
  const isConfigured = ctx.use(Config).get(block) !== undefined
  return { ...(existsSync(data) ? { data } : {}), ...(isConfigured ? { config: block } : {}) }
}
