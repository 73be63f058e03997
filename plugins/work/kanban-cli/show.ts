/** What shows tasks. */
import { SvcError } from 'svc/sdk'
import { TASK_STATUSES, type TaskQuery, type TaskStatus } from 'svc/sdk/kanban'
import { formatColumns, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { describeTask } from './details.ts'
import { runCells, taskCells } from './print.ts'
import { getNumber, getText, withoutUndefined } from './values.ts'
import { writeContext } from './worker-context.ts'

const SORTS = ['created', 'created-desc', 'dispatch', 'updated-desc', 'title'] as const

export const list: Action = async (boards, input, io) => {
  const sort = SORTS.find((one) => one === getText(input, 'sort'))
  if (getText(input, 'sort') !== undefined && !sort)
    throw new SvcError('CLI_USAGE', `--sort takes one of ${SORTS.join(', ')}.`)
  const query: TaskQuery = withoutUndefined({
    board: getText(input, 'board'),
    statuses: readStatuses(getText(input, 'status')),
    ...{ assignee: getText(input, 'assignee'), tenant: getText(input, 'tenant'), text: getText(input, 'text') },
    ...{ archived: hasFlag(input, 'archived'), sort, limit: getNumber(input, 'limit', '--limit') },
  })
  const { tasks, total } = await boards.list(query)
  if (hasFlag(input, 'json')) {
    printJson(io, { tasks, total })
    return 0
  }
  if (tasks.length === 0) {
    io.out('No tasks. Create one: svc kanban create "What is to be done"\n')
    return 0
  }
  const lines = formatColumns([['ID', 'STATUS', 'ASSIGNEE', 'PRIO', 'TITLE'], ...tasks.map(taskCells)])
  await printParts(
    io,
    lines.map((line) => `${line}\n`),
  )
  if (total > tasks.length) io.out(`${tasks.length} of ${total} are shown; --limit shows more.\n`)
  return 0
}

function readStatuses(text: string | undefined): readonly TaskStatus[] | undefined {
  const names = text?.split(',').map((name) => name.trim())
  const wrong = names?.find((name) => !TASK_STATUSES.some((status) => status === name))
  if (wrong === undefined) return names as TaskStatus[] | undefined
  throw new SvcError('CLI_USAGE', `There is no status ${JSON.stringify(wrong)}. There are ${TASK_STATUSES.join(', ')}.`)
}

export const show: Action = async (boards, input, io) => {
  const details = await boards.details(input.args[0] as string)
  if (hasFlag(input, 'json')) printJson(io, details)
  else await printParts(io, describeTask(details))
  return 0
}

export const context: Action = async (boards, input, io) => {
  const text = writeContext(await boards.details(input.args[0] as string))
  if (hasFlag(input, 'json')) printJson(io, { context: text })
  else io.out(`${safeBlock(text)}\n`)
  return 0
}

export const runs: Action = async (boards, input, io) => {
  const [taskId] = input.args
  const board = getText(input, 'board')
  if (taskId !== undefined) await boards.get(taskId)
  const found = await boards.runs(
    taskId === undefined ? { isOpen: true, ...(board !== undefined && { board }) } : { taskId },
  )
  if (hasFlag(input, 'json')) printJson(io, { runs: found })
  else if (found.length === 0) io.out(taskId === undefined ? 'No worker is at work.\n' : 'It has had no run yet.\n')
  else
    for (const line of formatColumns([
      ['RUN', 'TASK', 'OUTCOME', 'ASSIGNEE', 'STARTED', 'TIME', 'COST', 'ERROR'],
      ...found.map(runCells),
    ]))
      io.out(`${line}\n`)
  return 0
}

export const stats: Action = async (boards, input, io) => {
  const found = await boards.stats(getText(input, 'board'))
  if (hasFlag(input, 'json')) {
    printJson(io, found)
    return 0
  }
  const { byStatus, byAssignee, oldestReadyAt, now, spentUsd } = found
  for (const line of formatColumns(TASK_STATUSES.map((status) => [status, String(byStatus[status])])))
    io.out(`${line}\n`)
  for (const [name, counts] of Object.entries(byAssignee)) {
    const text = Object.entries(counts).map(([status, number]) => `${number} ${status}`)
    io.out(`${safeLine(name === '' ? 'without an assignee' : name)}: ${text.join(', ')}\n`)
  }
  if (oldestReadyAt !== undefined)
    io.out(`The oldest ready task has waited ${Math.max(0, Math.round((now - oldestReadyAt) / 1000))} s.\n`)
  io.out(`All of it has cost $${spentUsd.toFixed(4)}.\n`)
  return 0
}
