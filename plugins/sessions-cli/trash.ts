/** Copies of what is about to be removed, so that it can be undone. */
import { mkdirSync } from 'node:fs'
import { Clock, errorMessage, Home, type PluginContext, Random, Sessions, SvcError } from 'svc/sdk'
import { archiveLine } from './export.ts'
import { writeNew } from './file.ts'

/** Returns the path of the file, `<home>/trash/sessions-<time>-<number>.jsonl`, once it is on the disk. Throws `SESSIONS_FILE`. */
export function keepInTrash(ctx: PluginContext<undefined>, ids: readonly string[]): string {
  const folder = ctx.use(Home).path('trash')
  const time = new Date(ctx.use(Clock).now()).toISOString().slice(0, 19).replaceAll(/\D/g, '')
  const file = ctx.use(Home).path('trash', `sessions-${time}-${ctx.use(Random).hex(2)}.jsonl`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new SvcError('SESSIONS_FILE', `${folder} cannot be made: ${errorMessage(error)}. Nothing was removed.`, {
      cause: error,
    })
  }
  const sessions = ctx.use(Sessions)
  writeNew(file, lines())
  return file

  function* lines() {
    for (const id of ids) yield archiveLine(sessions.export(id))
  }
}
