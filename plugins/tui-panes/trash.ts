/** A copy of a session before it is removed, in the form that `svc sessions import` takes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { Clock, errorMessage, Home, type PluginContext, Random, type SessionArchive, SvcError } from 'svc/sdk'

/** What the first keys of an export are. */
const FORMAT = { format: 'svc-session', version: 1 } as const

/** Returns the path of the file in the home's folder `trash` once it is written. Throws `PANES_TRASH`. */
export function keepInTrash(ctx: PluginContext<undefined>, archive: SessionArchive): string {
  const home = ctx.use(Home)
  const time = new Date(ctx.use(Clock).now()).toISOString().slice(0, 19).replaceAll(/\D/g, '')
  const file = home.path('trash', `sessions-${time}-${ctx.use(Random).hex(2)}.jsonl`)
  try {
    mkdirSync(home.path('trash'), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify({ ...FORMAT, ...archive })}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    throw new SvcError('PANES_TRASH', `Nothing was removed: no copy could be written (${errorMessage(error)}).`, {
      cause: error,
    })
  }
  return file
}
