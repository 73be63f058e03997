/** A checkpoint of the folder before something in it is removed or replaced. */
import { SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Checkpoints } from 'svc/sdk/sessions'
import type { Context } from './workspace.ts'

/** Resolves with the id of a checkpoint that has the folder as it is now. Throws `DASHBOARD_NO_COPY`. */
export async function keepCopy(ctx: Context, root: string, reason: string): Promise<string> {
  const checkpoints = await ctx.use(Plugins).bring(Checkpoints)
  if (!checkpoints) throw refuse('the plugin checkpoints does not run')
  const { id, why } = await checkpoints.take(root, reason)
  if (id !== undefined) return id
  // The newest one has the same files when nothing has changed since.
  const [newest] = await checkpoints.list(root, { limit: 1 })
  if (newest && newest.changed.files === 0) return newest.id
  throw refuse(why ?? 'no checkpoint can be taken of this folder')
}

function refuse(why: string): SvcError {
  const message = `Nothing was changed, since it could not be undone: ${why}. Use a terminal instead.`
  return new SvcError('DASHBOARD_NO_COPY', message, { status: 409 })
}
