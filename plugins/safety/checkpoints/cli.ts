/** `svc checkpoints`: the same from the shell. */
import { resolve } from 'node:path'
import {
  type CliArguments,
  type CliCommand,
  type CliContext,
  type CliOption,
  Clock,
  confirmCommand,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { formatCount, formatMegabytes, printJson, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Context } from './commands.ts'
import type { CheckpointStore } from './service.ts'

type Store = () => Promise<CheckpointStore>
type Run = (store: CheckpointStore, input: CliArguments, io: CliContext) => Promise<number | void>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }
const cwd: CliOption = { flags: '--cwd <path>', description: 'The project, or a folder in it (default: this one)' }
const limit: CliOption = { flags: '--limit <count>', description: 'Maximum number to show' }

/** Makes the command. */
export function checkpointsCommand(ctx: Context, store: Store): CliCommand {
  const does = (run: Run) => async (input: CliArguments, io: CliContext) => run(await store(), input, io)
  const list = does((open, input, io) => showList(ctx, open, input, io))
  return {
    name: 'checkpoints',
    description: 'Snapshots of the files that the agent changed. Without a command: those of this folder.',
    options: [cwd, limit, json],
    examples: ['checkpoints', 'checkpoints diff 2', 'checkpoints restore 2 src/main.ts'],
    subcommands: [
      { name: 'list', description: 'The snapshots of a project, newest first', options: [cwd, limit, json], run: list },
      {
        name: 'diff',
        description: 'Show the changes since a checkpoint',
        arguments: '<number>',
        options: [cwd],
        examples: ['checkpoints diff 1'],
        run: does((open, input, io) => showDiff(ctx, open, input, io)),
      },
      {
        name: 'restore',
        description: 'Put the files, or one of them, back; `restore undo` takes that back',
        arguments: '<number> [file]',
        options: [cwd, yes, json],
        examples: ['checkpoints restore 1', 'checkpoints restore undo --yes'],
        run: does(restore),
      },
      {
        name: 'prune',
        description: 'Delete old or excess snapshots now (this also happens daily)',
        options: [json],
        run: does(prune),
      },
      { name: 'clear', description: 'Remove all snapshots of all projects', options: [yes], run: does(clear) },
    ],
    run: list,
  }
}

async function showList(ctx: Context, store: CheckpointStore, input: CliArguments, io: CliContext): Promise<void> {
  const folder = resolveFolder(input, io)
  const most = input.options['limit']
  if (most !== undefined && !/^[1-9]\d{0,5}$/.test(String(most)))
    throw new SvcError('CHECKPOINT_USAGE', '--limit takes a number from 1.')
  const all = await store.list(folder, most === undefined ? {} : { limit: Number(most) })
  const [root, total] = [store.project(folder).root, await store.total()]
  if (input.options['json'] === true) return printJson(io, { root, checkpoints: all, total })
  const { ageText } = await import('./text.ts')
  if (all.length === 0) io.out(`No snapshots of ${safeLine(root)}.\n`)
  else io.out(`${safeLine(root)}\n`)
  const now = ctx.use(Clock).now()
  for (const { number, id, at, reason, changed } of all) {
    const { files, insertions, deletions } = changed
    const changes = files === 0 ? 'no changes since' : `${formatCount(files, 'file')} +${insertions} -${deletions}`
    io.out(
      `${String(number).padStart(3)}  ${id.slice(0, 8)}  ${ageText(at, now).padStart(6)}  ${changes}  ${safeLine(reason)}\n`,
    )
  }
  const { snapshots, projects, bytes } = total
  io.err(
    `${formatCount(snapshots, 'snapshot')} of ${formatCount(projects, 'project')}, ${formatMegabytes(bytes)} in all.\n`,
  )
}

async function showDiff(ctx: Context, store: CheckpointStore, input: CliArguments, io: CliContext): Promise<void> {
  const text = await store.diff(resolveFolder(input, io), input.args[0] ?? '')
  const masked = ctx.use(Secrets).mask(text)
  // A patch for a program must stay as it is; a terminal must not be steered by it.
  io.out(io.interactive ? safeBlock(masked) : masked)
  if (text === '') io.err('Nothing has changed since.\n')
}

/** 1 when the answer was no. */
async function restore(store: CheckpointStore, input: CliArguments, io: CliContext): Promise<number> {
  const folder = resolveFolder(input, io)
  const [which = '', file] = input.args
  const target = await store.find(folder, which)
  const what = file === undefined ? `the files of ${target.root}` : file
  if (!(await confirmCommand(io, `Put ${what} back as before?`, input.options))) return 1
  const done = await store.restore(folder, target.id, file)
  if (input.options['json'] === true) {
    printJson(io, done)
    return 0
  }
  for (const path of done.restored) io.out(`put back  ${safeLine(path)}\n`)
  for (const path of done.removed) io.out(`removed   ${safeLine(path)}\n`)
  for (const { path, why } of done.leftAlone) io.err(`left alone  ${safeLine(path)}: ${safeLine(why)}\n`)
  if (done.restored.length + done.removed.length === 0) io.err('The files are as they were already.\n')
  io.err('To undo it: svc checkpoints restore undo\n')
  return 0
}

async function prune(store: CheckpointStore, input: CliArguments, io: CliContext): Promise<void> {
  const done = await store.prune()
  if (input.options['json'] === true) return printJson(io, done)
  io.out(
    `${formatCount(done.removed, 'snapshot')} removed, ${done.kept} kept, ${formatMegabytes(done.bytes)} in all.\n`,
  )
}

/** 1 when the answer was no. */
async function clear(store: CheckpointStore, input: CliArguments, io: CliContext): Promise<number> {
  const { snapshots, projects } = await store.total()
  const all = `all ${formatCount(snapshots, 'snapshot')} of ${formatCount(projects, 'project')}`
  if (!(await confirmCommand(io, `Remove ${all}? This cannot be undone.`, input.options))) return 1
  await store.clear()
  io.out('All snapshots are removed.\n')
  return 0
}

function resolveFolder({ options }: CliArguments, io: CliContext): string {
  const folder = options['cwd']
  return typeof folder === 'string' ? resolve(io.cwd, folder) : io.cwd
}
