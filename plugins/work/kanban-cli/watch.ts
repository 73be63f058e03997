/** Events as they come. */
import type { CliArguments, CliContext } from 'svc/sdk'
import type { Boards, TaskEvent, TaskEventQuery } from 'svc/sdk/kanban'
import { hasFlag, printParts, safeJson } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { eventLine } from './print.ts'
import { getNumber, getText, withoutUndefined } from './values.ts'

export const tail: Action = async (boards, input, io) => {
  const taskId = input.args[0] as string
  await boards.get(taskId)
  return follow(boards, input, io, { taskId, after: 0 })
}

export const watch: Action = async (boards, input, io) => {
  const kinds = getText(input, 'kinds')
    ?.split(',')
    .map((kind) => kind.trim())
  const query = { board: getText(input, 'board'), kinds, after: getNumber(input, 'after', '--after') }
  return follow(boards, input, io, withoutUndefined(query))
}

/** Prints events up to now, and then each one until Ctrl-C. */
async function follow(boards: Boards, input: CliArguments, io: CliContext, query: TaskEventQuery): Promise<number> {
  const print = (events: readonly TaskEvent[]) =>
    printParts(
      io,
      events.map((event) => `${hasFlag(input, 'json') ? safeJson(event) : eventLine(event)}\n`),
    )
  const first = await boards.events({ ...query, limit: 1000 })
  await print(first)
  if (hasFlag(input, 'once')) return 0
  let cursor = first.at(-1)?.id ?? query.after ?? 0
  let wake = () => {}
  let isDue = true
  using _watching = await boards.watch(() => {
    isDue = true
    wake()
  })
  const stop = () => wake()
  io.signal.addEventListener('abort', stop, { once: true })
  while (!io.signal.aborted) {
    if (!isDue) await new Promise<void>((resolve) => (wake = resolve))
    isDue = false
    const events = await boards.events({ ...query, after: cursor, limit: 1000 })
    await print(events)
    cursor = events.at(-1)?.id ?? cursor
    if (events.length === 1000) isDue = true
  }
  return 0
}
