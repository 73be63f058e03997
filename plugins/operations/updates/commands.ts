/** `svc update`: what it decides and says. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { exclusively, install } from './apply.ts'
import { createRun } from './detect.ts'
import { readChosen } from './entry-file.ts'
import type { Installation } from './installation.ts'
import { chooseSource, openInstallation } from './open-installation.ts'
import { listRunning } from './running.ts'
import { rollBack } from './versions.ts'

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
  const { chosen, backup } = await install(ctx, {
    ...{ source, candidate, deps, signal: io.signal, isBackedUp: input.options['backup'] !== false },
    say: (line) => io.err(`${line}\n`),
  })
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

function printRunning(io: CliContext, running: readonly string[], version: string): void {
  if (running.length === 0) return
  io.out(`Still runs svc ${version}: ${running.join(', ')}. Start it again (a gateway: svc gateway restart).\n`)
}
