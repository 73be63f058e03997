/** Completes or takes back a change of a version whose process ended in the middle. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { dropVersion, start } from './change.ts'
import { closeJournal, readJournal } from './journal.ts'
import { forgetInstalled, writeInstalled } from './records.ts'
import { activate, findSlot, readActive } from './slot.ts'
import { restoreSnapshot } from './snapshots.ts'

/** Only one process may call it at a time. Does nothing when nothing was interrupted. */
export async function recover(ctx: PluginContext<undefined>): Promise<void> {
  const change = readJournal(ctx)
  if (!change) return
  const { kind, name, before, after, from, to, stopped, isSaved = false } = change
  const slot = findSlot(ctx, name, after)
  if (kind === 'rollback' && isSaved) {
    // An older version may not be able to read newer data, so the data come first, as before the interruption.
    await restoreSnapshot(ctx, name, to.id)
    activate(slot, to.id)
  }
  const isDone = readActive(slot) === to.id
  if (isDone) writeInstalled(ctx, after)
  else {
    // A folder of an earlier svc was moved into the store, and no link had been made.
    if (from && !existsSync(slot.link) && existsSync(join(slot.store, from.id))) activate(slot, from.id)
    if (before) writeInstalled(ctx, before)
    else forgetInstalled(ctx, name)
    if (!before?.versions.some(({ id }) => id === to.id)) await dropVersion(ctx, slot, name, to.id)
  }
  closeJournal(ctx)
  ctx.log.warn(`the interrupted ${kind} of ${name} was ${isDone ? 'completed' : 'taken back'}`, { version: to.version })
  await start(ctx, name, stopped)
}
