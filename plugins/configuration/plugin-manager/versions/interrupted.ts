/** What an ended process left half done, for the commands that read. `svc plugins recover` settles it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { safeLine } from 'svc/sdk/kit/terminal'
import { readJournal } from './journal.ts'
import { readRemoval } from './removal-journal.ts'

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
