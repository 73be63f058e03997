/** `svc plugins remove NAME`: out of the running processes, then into the trash. Data and settings stay, but with `--purge`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  Clock,
  Config,
  confirmCommand,
  Home,
  type PluginContext,
  Secrets,
} from 'svc/sdk'
import { ConfigFile, type PluginInfo, Plugins } from 'svc/sdk/host'
import { hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { findDependents } from './enable.ts'
import { describeInstalled, refuseForeign } from './installed.ts'
import { findPlugin } from './plugin-relations.ts'
import { keepForUndo } from './purge.ts'
import { exitCode, printOutcomes, tell } from './running-processes.ts'
import { getBlockPath } from './settings.ts'
import { Staging } from './staging.ts'
import { writeSwitch } from './switches.ts'
import { discard } from './versions/removal.ts'
import { closeRemoval, writeRemoval } from './versions/removal-journal.ts'
import { getDataFolder } from './versions/snapshots.ts'

type Context = PluginContext<undefined>

export async function remove(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const staging = await Staging.open(ctx)
  try {
    return await removePlugin(ctx, await findPlugin(ctx, input.args[0] as string), input, io)
  } finally {
    staging.close()
  }
}

async function removePlugin(ctx: Context, info: PluginInfo, input: CliArguments, io: CliContext): Promise<number> {
  const { name } = info.manifest
  const isPurge = hasFlag(input, 'purge')
  refuseForeign(info)
  const along = findDependents(ctx, name)
  const others = along.length ? ` ${along.join(', ')} cannot run without it.` : ''
  const what = isPurge ? `Remove ${name} with its data, settings and consents?` : `Remove ${name}?`
  if (!(await confirmCommand(io, `${what}${others}`, input.options))) return 1
  const time = new Date(ctx.use(Clock).now()).toISOString().replace(/[:.]/g, '-')
  const installed = await describeInstalled(ctx, info)
  const saved = isPurge ? keepForUndo(ctx, info, installed, time) : undefined
  const trash = saved?.plugin ?? ctx.use(Home).path('trash', 'plugins', `${name}-${time}`)
  const removal = { info, installed, trash, ...(saved && { data: join(saved.dir, 'data') }) }
  writeRemoval(ctx, removal)
  const change = await writeSwitch(ctx, info, 'forgotten')
  const processes = await tell(ctx, 'disable', name)
  await discard(ctx, removal).catch(async (error) => {
    closeRemoval(ctx)
    if (change) await ctx.use(ConfigFile).undo(change.id)
    if (processes.some(({ outcome }) => outcome === 'done')) await tell(ctx, 'enable', name)
    throw error
  })
  closeRemoval(ctx)
  const kept = leftovers(ctx, info)
  if (hasFlag(input, 'json')) printJson(io, { name, trash: saved?.dir ?? trash, kept, along, processes })
  else {
    const undo = saved ? `svc plugins restore ${name}` : `svc plugins install ${quotePath(trash)}`
    io.out(`${name} was removed. To take that back: ${undo}\n`)
    if (saved) io.out(`A copy of all of it is in ${saved.dir}; to delete that too: rm -r ${quotePath(saved.dir)}\n`)
    printLeftovers(io, kept)
    printOutcomes(io, processes)
  }
  return exitCode(processes)
}

function printLeftovers(io: CliContext, { data, config, variables }: Leftovers): void {
  if (data) io.out(`Its data stays in ${data}; to delete that too: rm -r ${quotePath(data)}\n`)
  if (config) io.out(`Its settings stay in config.yaml; to delete them too: svc config unset ${config}\n`)
  for (const name of variables) io.out(`${name} stays in .env; to delete it too: svc config unset ${name}\n`)
}

interface Leftovers {
  readonly data?: string
  readonly config?: string
  /** Variables in `.env` that no other plugin reads. */
  readonly variables: readonly string[]
}

function leftovers(ctx: Context, info: PluginInfo): Leftovers {
  const data = getDataFolder(ctx, info.manifest.name)
  const block = getBlockPath(info)
  const isConfigured = ctx.use(Config).get(block) !== undefined
  const others = ctx
    .use(Plugins)
    .list()
    .filter(({ manifest }) => manifest.name !== info.manifest.name)
    .flatMap(({ manifest }) => (manifest.env ?? []).map(({ name }) => name))
  const own = (info.manifest.env ?? []).map(({ name }) => name).filter((name) => !others.includes(name))
  const variables = own.filter((name) => ctx.use(Secrets).source(name) === '.env')
  return { ...(existsSync(data) ? { data } : {}), ...(isConfigured ? { config: block } : {}), variables }
}
