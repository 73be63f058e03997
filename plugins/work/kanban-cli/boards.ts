/** Boards themselves, the chats that hear of tasks, and what is cleaned up. */
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import type { BoardChanges, Boards } from 'svc/sdk/kanban'
import { formatColumns, formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { getNumber, getText, withoutUndefined } from './values.ts'

const DAY_MS = 86_400_000
const DAYS = 30

const actions: Readonly<Record<string, Action>> = {
  async list(service, input, io) {
    const all = await service.boards({ archived: hasFlag(input, 'all') })
    const current = (await service.board()).slug
    if (hasFlag(input, 'json')) printJson(io, { boards: all, current })
    else
      for (const line of formatColumns(
        all.map(({ slug, name, description }) => [slug === current ? '*' : ' ', slug, name, description]),
      ))
        io.out(`${line}\n`)
    return 0
  },
  async show(service, input, io) {
    const board = await service.board(input.args[1])
    if (hasFlag(input, 'json')) printJson(io, { board })
    else {
      io.out(`${board.slug}  ${safeLine(board.name)}\n`)
      if (board.description !== '') io.out(`${safeLine(board.description)}\n`)
      if (board.defaultWorkdir !== undefined) io.out(`Works in ${safeLine(board.defaultWorkdir)}\n`)
      io.out(
        `Has cost $${board.spentUsd.toFixed(4)}${board.budgetUsd === undefined ? '' : ` of $${board.budgetUsd}`}.\n`,
      )
    }
    return 0
  },
  async create(service, input, io) {
    const board = await service.createBoard({ slug: requireName(input.args[1]), ...readChanges(input) })
    if (hasFlag(input, 'json')) printJson(io, { board })
    else io.out(`The board ${board.slug} is there. Make it the one in use: svc kanban boards use ${board.slug}\n`)
    return 0
  },
  async change(service, input, io) {
    const board = await service.changeBoard(requireName(input.args[1]), {
      ...readChanges(input),
      ...(hasFlag(input, 'archive') && { isArchived: true }),
    })
    if (hasFlag(input, 'json')) printJson(io, { board })
    else io.out(`The board ${board.slug} is changed.\n`)
    return 0
  },
  async use(service, input, io) {
    const name = requireName(input.args[1])
    await service.useBoard(name)
    if (hasFlag(input, 'json')) printJson(io, { current: name })
    else io.out(`Commands without --board use ${name} now, in all profiles.\n`)
    return 0
  },
  async remove(service, input, io) {
    const { slug } = await service.board(requireName(input.args[1]))
    const { total } = await service.list({ board: slug, archived: true, limit: 0 })
    const question = `Remove the board ${slug} with ${formatCount(total, 'task')} for good?`
    if (!(await confirmCommand(io, question, input.options))) return 1
    await service.removeBoard(slug)
    if (hasFlag(input, 'json')) printJson(io, { removed: slug })
    else io.out(`The board ${slug} is gone.\n`)
    return 0
  },
}

export const boards: Action = async (service, input, io, clock) => {
  const name = input.args[0] ?? 'list'
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action)
    throw new SvcError(
      'CLI_USAGE',
      `boards takes one of ${Object.keys(actions).join(', ')}, not ${JSON.stringify(name)}.`,
    )
  return action(service, input, io, clock)
}

function requireName(name: string | undefined): string {
  if (name !== undefined) return name
  throw new SvcError('CLI_USAGE', 'Name the board: svc kanban boards --help shows examples.')
}

function readChanges(input: Parameters<Action>[1]): BoardChanges {
  return withoutUndefined({
    ...{ name: getText(input, 'name'), description: getText(input, 'description') },
    ...{ defaultWorkdir: getText(input, 'workdir'), budgetUsd: getNumber(input, 'budgetUsd', '--budget-usd') },
  })
}

export const notify: Action = async (service, input, io, clock) => {
  const [action = 'list', taskId] = input.args
  if (action === 'list') return listSubscriptions(service, input, io, clock)
  const platform = getText(input, 'platform')
  const chat = getText(input, 'chat')
  const isKnown = action === 'add' || action === 'remove'
  if (!isKnown || taskId === undefined || platform === undefined || chat === undefined)
    throw new SvcError(
      'CLI_USAGE',
      'notify takes: list [id], add <id> or remove <id>, the last two with --platform and --chat.',
    )
  const subscription = { taskId, platform, chat, thread: getText(input, 'thread') ?? '' }
  if (action === 'add') await service.subscribe(subscription)
  else await service.unsubscribe(subscription)
  if (hasFlag(input, 'json')) printJson(io, { subscription, action })
  else
    io.out(`${safeLine(platform)} ${safeLine(chat)} ${action === 'add' ? 'hears' : 'no longer hears'} of ${taskId}.\n`)
  return 0
}

const listSubscriptions: Action = async (service, input, io) => {
  const taskId = input.args[1]
  const subscriptions = await service.subscriptions(taskId === undefined ? {} : { taskId })
  if (hasFlag(input, 'json')) printJson(io, { subscriptions })
  else if (subscriptions.length === 0) io.out('No chat hears of a task.\n')
  else
    for (const line of formatColumns(subscriptions.map((one) => [one.taskId, one.platform, one.chat, one.thread])))
      io.out(`${line}\n`)
  return 0
}

export async function collect(
  service: Boards,
  input: CliArguments,
  io: CliContext,
  clean: () => Promise<readonly string[]>,
): Promise<number> {
  const days = getNumber(input, 'days', '--days') ?? DAYS
  if (days < 0) throw new SvcError('CLI_USAGE', '--days takes a number from 0 on.')
  const question = `Delete the events of final tasks that are older than ${days} days, and the scratch folders of final tasks?`
  if (!(await confirmCommand(io, question, input.options))) return 1
  const { now } = await service.stats()
  const events = await service.collect({ before: now - days * DAY_MS })
  const folders = await clean()
  if (hasFlag(input, 'json')) printJson(io, { events, folders })
  else io.out(`${formatCount(events, 'event')} and ${formatCount(folders.length, 'folder')} deleted.\n`)
  return 0
}
