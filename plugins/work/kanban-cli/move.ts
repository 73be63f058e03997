/** What moves tasks on the board. */
import { type CliArguments, type CliContext, confirmCommand, errorMessage, SvcError } from 'svc/sdk'
import { BLOCK_KINDS, type Task } from 'svc/sdk/kanban'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { taskLine } from './print.ts'
import { getChange, getText, readMoment, withoutUndefined } from './values.ts'

/** Does it for each task; those that are refused are named, and the exit code is 1. */
async function forEach(
  input: CliArguments,
  io: CliContext,
  work: (id: string) => Promise<Task | undefined>,
): Promise<number> {
  const isJson = hasFlag(input, 'json')
  const tasks: Task[] = []
  const refused: { readonly id: string; readonly error: string }[] = []
  for (const id of input.args) {
    const { task, error } = await attempt(() => work(id), input.args.length > 1)
    if (error !== undefined) refused.push({ id, error })
    if (task) tasks.push(task)
    if (!isJson && task) io.out(taskLine(io, task))
    if (!isJson && error !== undefined) io.err(`${safeLine(error)}\n`)
  }
  if (isJson) printJson(io, { tasks, refused })
  return refused.length > 0 ? 1 : 0
}

/** Of several, one that is refused does not keep the others back. */
async function attempt(work: () => Promise<Task | undefined>, isOneOfMany: boolean) {
  try {
    return { task: await work() }
  } catch (error) {
    if (!(error instanceof SvcError) || !isOneOfMany) throw error
    return { error: errorMessage(error) }
  }
}

export const complete: Action = async (boards, input, io) => {
  const said = withoutUndefined({
    ...{ summary: getText(input, 'summary'), result: getText(input, 'result'), metadata: readMetadata(input) },
  })
  if (input.args.length > 1 && Object.keys(said).length > 0)
    throw new SvcError('CLI_USAGE', '--summary, --result and --metadata belong to one task: name one.')
  const { by } = getChange(input)
  const isUnverified = hasFlag(input, 'unverified')
  return forEach(input, io, (id) => boards.complete(id, { ...said, by, isUnverified }))
}

function readMetadata(input: CliArguments): Record<string, unknown> | undefined {
  const text = getText(input, 'metadata')
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SvcError('CLI_USAGE', `--metadata is not JSON: ${errorMessage(error)}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new SvcError('CLI_USAGE', '--metadata takes a JSON object, such as {"pages": 3}.')
}

export const block: Action = async (boards, input, io) => {
  const [id = '', ...words] = input.args
  const kind = BLOCK_KINDS.find((one) => one === getText(input, 'kind'))
  if (getText(input, 'kind') !== undefined && !kind)
    throw new SvcError('CLI_USAGE', `--kind takes one of ${BLOCK_KINDS.join(', ')}.`)
  const { by } = getChange(input)
  return forEach({ ...input, args: [id] }, io, () =>
    boards.block(id, { by, reason: words.join(' '), ...(kind && { kind }) }),
  )
}

export const unblock: Action = async (boards, input, io) =>
  forEach(input, io, (id) => boards.unblock(id, getChange(input)))

export const reclaim: Action = async (boards, input, io) =>
  forEach(input, io, (id) => boards.reclaim(id, getChange(input)))

export const schedule: Action = async (boards, input, io) => {
  const [id = '', ...words] = input.args
  const text = getText(input, 'at')
  const at = text === undefined ? undefined : readMoment(text, '--at', (await boards.stats()).now)
  const change = { ...getChange(input, words.join(' ')), ...(at !== undefined && { at }) }
  return forEach({ ...input, args: [id] }, io, () => boards.schedule(id, change))
}

export const promote: Action = async (boards, input, io) => {
  const [id = '', ...words] = input.args
  const force = hasFlag(input, 'force')
  if (!hasFlag(input, 'dryRun'))
    return forEach({ ...input, args: [id] }, io, () =>
      boards.promote(id, { ...getChange(input, words.join(' ')), force }),
    )
  const { task, parents } = await boards.details(id)
  const open = parents.filter(({ status }) => status !== 'done' && status !== 'archived')
  const isPossible = (task.status === 'todo' || task.status === 'blocked') && (force || open.length === 0)
  if (hasFlag(input, 'json')) printJson(io, { task, isPossible, openParents: open.map((parent) => parent.id) })
  else {
    for (const parent of open) io.out(`It waits for ${taskLine(io, parent)}`)
    io.out(isPossible ? 'It can become ready.\n' : `It stays ${task.status}.\n`)
  }
  return isPossible ? 0 : 1
}

export const archive: Action = async (boards, input, io) => {
  if (!hasFlag(input, 'rm')) return forEach(input, io, (id) => boards.archive(id, getChange(input)))
  const question = `Delete ${formatCount(input.args.length, 'archived task')} with comments, files and events for good?`
  if (!(await confirmCommand(io, question, input.options))) return 1
  return forEach(input, io, async (id) => {
    await boards.remove(id)
    if (!hasFlag(input, 'json')) io.out(`${id} is deleted.\n`)
    return undefined
  })
}
