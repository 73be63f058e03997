/** `svc config diff ID` and `svc config undo`: the journal of changes. */
import { type CliInput, type CliIo, type ConfigChange, SvcError } from 'svc/sdk'
import { takenBackBy } from './undo.ts'
import { toJson } from './values.ts'
import type { ConfigWriter } from './writer.ts'

/** Prints one change of the journal. */
export async function diffOfChange(writer: ConfigWriter, { args, options }: CliInput, io: CliIo): Promise<number> {
  const id = idOf(args[0] as string)
  const change = (await writer.history()).find((one) => one.id === id)
  if (!change)
    throw new SvcError('CONFIG_UNDO_UNKNOWN', `There is no change ${id}. To see the changes: svc config undo --list`, {
      status: 404,
    })
  io.out(options['json'] === true ? toJson(change) : `${toLine(change)}${change.diff}`)
  return 0
}

/** Takes a change back, or lists what there is to take back. */
export async function undo(writer: ConfigWriter, { args, options }: CliInput, io: CliIo): Promise<number> {
  if (options['list'] === true) {
    const changes = await writer.history()
    const undone = takenBackBy(changes)
    if (options['json'] === true) io.out(toJson(changes))
    else io.out(changes.map((change) => toLine(change, undone.has(change.id))).join('') || 'No changes yet.\n')
    return 0
  }
  const change = await writer.undo(args[0] === undefined ? undefined : idOf(args[0]))
  io.out(options['json'] === true ? toJson(change) : `${toLine(change)}${change.diff}`)
  return 0
}

function toLine({ id, at, author, reason }: ConfigChange, isUndone = false): string {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return `${String(id).padStart(4)}  ${when} UTC  ${reason} (${author})${isUndone ? ', taken back' : ''}\n`
}

function idOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new SvcError(
    'CONFIG_UNDO_UNKNOWN',
    `"${text}" is not the number of a change. To see them: svc config undo --list`,
    { status: 400 },
  )
}
