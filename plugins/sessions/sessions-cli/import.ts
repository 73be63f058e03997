/** `svc sessions import`: brings back what an export or the trash holds. */
import { resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, type PluginContext } from 'svc/sdk'
import { formatCount, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { bringBack } from './archive.ts'
import { readArchives } from './archive-reader.ts'

/** After so long others have as long to write. */
const TURN_MS = 20

export async function importFrom(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const path = resolve(io.cwd, input.args[0] ?? '')
  // Everything is checked before anything is written.
  for await (const _ of readArchives(path)) io.signal.throwIfAborted()
  const [imported, skipped]: [string[], string[]] = [[], []]
  const clock = ctx.use(Clock)
  let begun = clock.monotonic()
  for await (const archive of readArchives(path)) {
    io.signal.throwIfAborted()
    const workedMs = clock.monotonic() - begun
    if (workedMs >= TURN_MS) {
      // Another process that waits for the lock polls for it, and meets it free only when it is free for a while.
      await clock.sleep(workedMs, io.signal)
      begun = clock.monotonic()
    }
    const list = bringBack(ctx, archive) ? imported : skipped
    list.push(archive.session.id)
  }
  if (input.options['json'] === true) return printJson(io, { imported, skipped })
  io.out(`${formatCount(imported.length, 'conversation')} imported.\n`)
  if (skipped.length === 0) return
  const ids = skipped.slice(0, 10).map(safeLine).join(', ')
  const more = skipped.length > 10 ? ` and ${skipped.length - 10} more` : ''
  io.err(`${formatCount(skipped.length, 'conversation')} already there, left as they are: ${ids}${more}\n`)
}
