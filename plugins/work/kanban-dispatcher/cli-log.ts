/** `svc kanban log`: what the workers of a task wrote. */
import { type CliArguments, type CliCommand, type CliContext, Clock, type PluginContext, SvcError } from 'svc/sdk'
import { Boards, type TaskLog } from 'svc/sdk/kanban'
import { hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Config } from './config.ts'

const POLL_MS = 250

type Read = (
  id: string,
  options: { readonly after?: number; readonly maxBytes?: number; readonly isWhole?: boolean },
) => TaskLog

export function logCommand(ctx: PluginContext<Config>, read: () => Promise<Read>): CliCommand {
  return {
    name: 'kanban log',
    description: 'Print what the workers of a task wrote on this machine',
    arguments: '<id>',
    options: [
      { flags: '--tail <bytes>', description: 'Only the last so many bytes (default 65536)' },
      { flags: '--follow', description: 'Go on until the task is final, or Ctrl-C' },
      { flags: '--json', description: 'The part as JSON; with --follow one object per part' },
    ],
    examples: ['kanban log t_1a2b3c4d', 'kanban log t_1a2b3c4d --follow'],
    run: async (input, io) => run(ctx, await read(), input, io),
  }
}

async function run(ctx: PluginContext<Config>, read: Read, input: CliArguments, io: CliContext): Promise<number> {
  const id = input.args[0] as string
  const { startedAt } = await ctx.use(Boards).get(id)
  const isFollowed = hasFlag(input, 'follow')
  const show = (part: TaskLog) => (hasFlag(input, 'json') ? printJson(io, toJson(id, part)) : print(io, part))
  const maxBytes = readCount(input.options['tail'])
  const part = read(id, { ...(maxBytes !== undefined && { maxBytes }), isWhole: isFollowed })
  if (part.exists || isFollowed || hasFlag(input, 'json')) await show(part)
  else if (startedAt === undefined) io.out(`No worker has had ${id} yet. To give it to one: svc kanban dispatch\n`)
  else io.out(`There is no log of ${id} on this machine: ${safeLine(part.file)}\n`)
  if (isFollowed) await follow(ctx, io, { read, id, show, from: part.to })
  return 0
}

interface Followed {
  readonly read: Read
  readonly id: string
  readonly from: number
  show(part: TaskLog): void | Promise<void>
}

/** Until the task is final and all was shown, or Ctrl-C. */
async function follow(ctx: PluginContext<Config>, io: CliContext, { read, id, show, from }: Followed): Promise<void> {
  let after = from
  while (!io.signal.aborted) {
    const { status } = await ctx.use(Boards).get(id)
    const isOver = status === 'done' || status === 'archived'
    const part = read(id, { after, isWhole: !isOver })
    after = part.to
    if (part.text !== '') await show(part)
    else if (isOver) return
    else
      await ctx
        .use(Clock)
        .sleep(POLL_MS, io.signal)
        .catch(() => undefined)
  }
}

/** Colours and other orders to a terminal are shown as they are no text. */
async function print(io: CliContext, { text }: TaskLog): Promise<void> {
  if (text !== '') await printParts(io, [`${safeBlock(text.endsWith('\n') ? text.slice(0, -1) : text)}\n`])
}

function toJson(id: string, { file, exists, size, from, to, text }: TaskLog): object {
  return { task_id: id, path: file, exists, size_bytes: size, from, to, content: text, truncated: from > 0 }
}

function readCount(typed: CliArguments['options'][string]): number | undefined {
  if (typed === undefined) return undefined
  if (typeof typed === 'string' && /^[1-9]\d{0,6}$/.test(typed)) return Number(typed)
  throw new SvcError('CLI_USAGE', `--tail is ${JSON.stringify(typed)}; it must be a number of bytes above 0.`)
}
