/** What an ended process left half done: said by the commands that read, and settled by `svc plugins recover`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { Staging } from '../staging.ts'
import { readJournal } from './journal.ts'
import { readRemoval } from './removal.ts'

type Context = PluginContext<undefined>

export interface Interrupted {
  readonly what: 'install' | 'update' | 'rollback' | 'removal'
  readonly name: string
}

/** Undefined while the process that makes the change still runs. Changes nothing. */
export function findInterrupted(ctx: Context): Interrupted | undefined {
  const owner = join(ctx.dataDir, 'staging', 'pid')
  if (existsSync(owner) && isPidInUse(Number(readFileSync(owner, 'utf8')))) return undefined
  const change = readJournal(ctx)
  if (change) return { what: change.kind, name: change.name }
  const removal = readRemoval(ctx)
  return removal && { what: 'removal', name: removal.info.manifest.name }
}

/** A sentence. */
export function describeInterrupted({ what, name }: Interrupted): string {
  return `The ${what === 'install' ? 'installation' : what} of ${safeLine(name)} was interrupted.`
}

/** What the list says of it. */
export function adviseRecovery(found: Interrupted): string {
  return `${describeInterrupted(found)} To complete it or take it back: svc plugins recover`
}

/** Each command that changes something does the same before its own work. */
export async function recoverNow(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const found = findInterrupted(ctx)
  const staging = await Staging.open(ctx)
  staging.close()
  if (hasFlag(input, 'json')) printJson(io, { recovered: found ?? null })
  else if (found) io.out(`${describeInterrupted(found)} That is settled now: svc plugins list\n`)
  else io.out('Nothing was interrupted.\n')
  return 0
}
