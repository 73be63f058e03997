/** `svc update`: what it decides and says. */
import {
  type CliArguments,
  type CliContext,
  Clock,
  confirmCommand,
  Home,
  type PluginContext,
  Random,
  SvcError,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { withFileLock } from 'svc/sdk/kit/process'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { Backups } from 'svc/sdk/operations'
import { createRun } from './detect.ts'
import { readChosen } from './entry-file.ts'
import type { Installation } from './installation.ts'
import { chooseSource, openInstallation } from './open-installation.ts'
import { listRunning } from './running.ts'
import { installVersion, rollBack } from './versions.ts'

type Context = PluginContext<undefined>

export async function run(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { foreign, ...deps } = await openInstallation(ctx, io.signal)
  if (foreign !== undefined) throw new SvcError('UPDATE_METHOD', foreign, { status: 409 })
  if (hasFlag(input, 'rollback')) return rollback(ctx, deps.installation, input, io)
  const { installation } = deps
  const { branch } = input.options
  const source = chooseSource(installation)
  const candidate = await source.find(deps, typeof branch === 'string' ? branch : undefined)
  const facts = { method: installation.method, from: installation.version, to: candidate.title }
  if (hasFlag(input, 'check') || !candidate.isNewer) {
    const { isNewer } = candidate
    if (hasFlag(input, 'json')) printJson(io, { ok: true, ...facts, isNewer })
    else if (isNewer) io.out(`svc ${facts.from} is installed; there is ${facts.to}. To take it: svc update\n`)
    else io.out(`svc ${facts.from} is the newest: there is ${facts.to}.\n`)
    return 0
  }
  if (!(await confirmCommand(io, `Update svc ${facts.from} to ${facts.to}?`, input.options))) return 1
  const say = (line: string) => io.err(`${line}\n`)
  const { chosen, backup } = await exclusively(ctx, installation, async () =>
    installVersion({
      source,
      candidate,
      deps,
      home: ctx.use(Home).root,
      work: ctx.use(Home).path('cache', `update-${ctx.use(Random).hex(4)}`),
      plugins: listOwnPlugins(ctx),
      ...(input.options['backup'] !== false && { backUp: () => backUp(ctx, io) }),
      say,
    }),
  )
  const running = await listRunning(ctx)
  if (hasFlag(input, 'json')) {
    const { current, previous } = chosen
    printJson(io, { ok: true, ...facts, version: current.version, previous: previous?.version, backup, running })
    return 0
  }
  io.out(`svc ${chosen.current.version} is installed. To go back to ${facts.from}: svc update --rollback\n`)
  if (backup !== undefined) io.out(`The home as it was is in ${backup}\n`)
  printRunning(io, running, facts.from)
  return 0
}

async function rollback(
  ctx: Context,
  installation: Installation,
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  const { previous, current } = readChosen(installation)
  if (previous === undefined)
    throw new SvcError('UPDATE_ROLLBACK', 'There is no version to go back to: no update was made here.', {
      status: 404,
    })
  const question = `Go back from svc ${current.version} to ${previous.version}?`
  if (!(await confirmCommand(io, question, input.options))) return 1
  const run = createRun(ctx, io.signal)
  const chosen = await exclusively(ctx, installation, () => rollBack(installation, run))
  const running = await listRunning(ctx)
  const [from, version] = [current.version, chosen.current.version]
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, from, version, running })
    return 0
  }
  io.out(`svc ${version} is in use again. To return to ${from}: svc update --rollback\n`)
  io.out('The home was not changed. What the later version stored may need it: svc backup list shows the backups.\n')
  printRunning(io, running, from)
  return 0
}

/** Plugins that a person brought and that run. */
function listOwnPlugins(ctx: Context): Map<string, string> {
  const own = ctx
    .use(Plugins)
    .list()
    .filter(({ origin, status }) => (origin === 'home' || origin === 'npm') && status !== 'left-out')
  return new Map(own.map(({ manifest, dir }) => [manifest.name, dir]))
}

async function backUp(ctx: Context, io: CliContext): Promise<string> {
  const backups = await ctx.use(Plugins).bring(Backups)
  if (!backups)
    throw new SvcError(
      'UPDATE_SWITCH',
      'The home cannot be backed up: the plugin for it is switched off. To update without: --no-backup',
    )
  const { file } = await backups.create({ signal: io.signal })
  return file
}

function exclusively<T>(ctx: Context, { versions }: Installation, work: () => Promise<T>): Promise<T> {
  const options = {
    file: `${versions}.lock`,
    clock: ctx.use(Clock),
    random: ctx.use(Random),
    waitMs: 0,
    onTimeout: () =>
      new SvcError('UPDATE_BUSY', 'Another process is updating this svc. Wait until it has ended.', { status: 409 }),
  }
  return withFileLock(options, work)
}

function printRunning(io: CliContext, running: readonly string[], version: string): void {
  if (running.length === 0) return
  io.out(`Still runs svc ${version}: ${running.join(', ')}. Start it again (a gateway: svc gateway restart).\n`)
}
