/** What creates tasks and changes what they say. */
import { SvcError } from 'svc/sdk'
import type { NewTask } from 'svc/sdk/kanban'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { taskLine } from './print.ts'
import { getChange, getList, getText, readTaskOptions, withoutUndefined } from './values.ts'

export const create: Action = async (boards, input, io) => {
  const given = withoutUndefined({
    ...{ board: getText(input, 'board'), assignee: getText(input, 'assignee') },
    idempotencyKey: getText(input, 'idempotencyKey'),
  })
  const { task, isNew } = await boards.create({
    ...(await readTaskOptions(input, io)),
    ...given,
    title: input.args[0] as string,
    by: getChange(input).by,
    parents: getList(input, 'parent'),
    isTriage: hasFlag(input, 'triage'),
    isBlocked: hasFlag(input, 'blocked'),
    ...readChat(input),
  })
  if (hasFlag(input, 'json')) printJson(io, { task, isNew })
  else {
    io.out(taskLine(io, task))
    if (!isNew) io.out('It was there already: a task of the board has this key.\n')
    else if (task.assignee === undefined && task.status === 'ready')
      io.out(
        `The dispatcher gives it to kanban.default_assignee. Another profile: svc kanban assign ${task.id} PROFILE\n`,
      )
  }
  return 0
}

/** The chat in which it is created. */
function readChat(input: Parameters<Action>[1]): Pick<NewTask, 'subscriber'> {
  const [platform, chat] = [getText(input, 'platform'), getText(input, 'chat')]
  if (platform === undefined || chat === undefined) return {}
  return { subscriber: { platform, chat, thread: getText(input, 'thread') ?? '' } }
}

export const edit: Action = async (boards, input, io) => {
  const said = withoutUndefined({
    ...{ title: getText(input, 'title'), result: getText(input, 'result'), summary: getText(input, 'summary') },
  })
  const changes = { ...(await readTaskOptions(input, io)), ...said }
  if (Object.keys(changes).length === 0)
    throw new SvcError('CLI_USAGE', 'Name what is to change: svc kanban edit --help lists it.')
  const task = await boards.edit(input.args[0] as string, changes, getChange(input))
  if (hasFlag(input, 'json')) printJson(io, { task })
  else io.out(taskLine(io, task))
  return 0
}

export const assign: Action = async (boards, input, io) => {
  const [id = '', profile = ''] = input.args
  const task = await boards.assign(id, profile === 'none' ? undefined : profile, getChange(input))
  if (hasFlag(input, 'json')) printJson(io, { task })
  else io.out(taskLine(io, task))
  return 0
}

export const link: Action = async (boards, input, io) => {
  const [parent = '', child = ''] = input.args
  await boards.link(parent, child, getChange(input))
  if (hasFlag(input, 'json')) printJson(io, { task: await boards.get(child) })
  else io.out(taskLine(io, await boards.get(child)))
  return 0
}

export const unlink: Action = async (boards, input, io) => {
  const [parent = '', child = ''] = input.args
  await boards.unlink(parent, child, getChange(input))
  if (hasFlag(input, 'json')) printJson(io, { task: await boards.get(child) })
  else io.out(taskLine(io, await boards.get(child)))
  return 0
}

export const comment: Action = async (boards, input, io) => {
  const [id = '', ...words] = input.args
  const written = await boards.comment(id, { author: getChange(input).by, body: words.join(' ') })
  if (hasFlag(input, 'json')) printJson(io, { comment: written })
  else io.out(`The comment is at ${id}.\n`)
  return 0
}
