/** Events as they come. */
import type { CliArguments, CliContext, Clock } from 'svc/sdk'
import type { Boards, TaskEvent, TaskEventQuery } from 'svc/sdk/kanban'
import { hasFlag, printParts, safeJson } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { eventLine } from './print.ts'
import { getNumber, getText, withoutUndefined } from './values.ts'

const POLL_MS = 1000
/** Events that are read at once. */
const PAGE = 1000

export const tail: Action = async (boards, input, io, clock) => {
  const taskId = input.args[0] as string
  await boards.get(taskId)
  return follow({ boards, clock }, input, io, { taskId, after: 0 })
}

export const watch: Action = async (boards, input, io, clock) => {
  const kinds = getText(input, 'kinds')
    ?.split(',')
    .map((kind) => kind.trim())
  const query = { board: getText(input, 'board'), kinds, after: getNumber(input, 'after', '--after') }
  return follow({ boards, clock }, input, io, withoutUndefined(query))
}

interface Deps {
  readonly boards: Boards
  readonly clock: Clock
}

/** Prints events up to now, and then each one until Ctrl-C. */
async function follow(
  { boards, clock }: Deps,
  input: CliArguments,
  io: CliContext,
  query: TaskEventQuery,
): Promise<number> {
  const isJson = hasFlag(input, 'json')
  const print = (events: readonly TaskEvent[]) =>
    printParts(
      io,
      events.map((event) => `${isJson ? safeJson(event) : eventLine(event)}\n`),
    )
  const first = await boards.events({ ...query, limit: PAGE })
  await print(first)
  if (hasFlag(input, 'once')) return 0
  let cursor = first.at(-1)?.id ?? query.after ?? 0
  let wake = new AbortController()
  using _watching = await boards.watch(() => wake.abort())
  while (!io.signal.aborted) {
    const events = await boards.events({ ...query, after: cursor, limit: PAGE })
    await print(events)
    cursor = events.at(-1)?.id ?? cursor
    // The sleep keeps the process alive; a change ends it early.
    if (events.length < PAGE)
      await clock.sleep(POLL_MS, AbortSignal.any([wake.signal, io.signal])).catch(() => undefined)
    wake = new AbortController()
  }
  return 0
}
