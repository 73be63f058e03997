/** The databases below SVC_HOME, and what a person decides about one that is older than it was. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, Home, type PluginContext, Random } from 'svc/sdk'
import { getUsedMarkFile, listBackupFiles } from './database-generation.ts'
import { acceptOlder, findOlder, restoreNewer } from './older-database.ts'

type Context = PluginContext<undefined>

const MARK = getUsedMarkFile('')

/** What was done with a file. */
interface Decided {
  readonly file: string
  readonly text: string
  readonly kept: readonly string[]
}

export function list(ctx: Context, input: CliArguments, io: CliContext): void {
  const found = databases(ctx).map((file) => {
    const older = findOlder(file)
    const backups = listBackupFiles(file).flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat ? [{ file: path, bytes: stat.size, at: stat.mtime.toISOString() }] : []
    })
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    return { file, bytes, isOlder: older !== undefined, newer: older?.newer, backups }
  })
  if (input.options['json'] === true) {
    io.out(`${JSON.stringify(found)}\n`)
    return
  }
  for (const { file, bytes, isOlder, newer, backups } of found) {
    const last = backups[0] ? `backup of ${backups[0].at}` : 'no backup'
    const older = newer ? '  OLDER than its backup' : '  OLDER than when svc last used it'
    io.out(`${relative(home(ctx), file)}  ${bytes} bytes, ${last}${isOlder ? older : ''}\n`)
  }
  if (found.length === 0) io.err('No database yet.\n')
}

export function restore(ctx: Context, input: CliArguments, io: CliContext): number {
  return decide(ctx, { input, io, each: (file) => restoreOne(ctx, file) })
}

export function accept(ctx: Context, input: CliArguments, io: CliContext): number {
  return decide(ctx, { input, io, each: (file) => acceptOne(ctx, file) })
}

function decide(
  ctx: Context,
  {
    input,
    io,
    each,
  }: { readonly input: CliArguments; readonly io: CliContext; readonly each: (file: string) => Decided },
): number {
  const named = input.args.map((path) => locate(ctx, io.cwd, path))
  const files = named.length > 0 ? named : databases(ctx).filter((file) => findOlder(file))
  const done = files.map(each)
  if (input.options['json'] === true) io.out(`${JSON.stringify(done.map(({ text: _, ...rest }) => rest))}\n`)
  else for (const { text } of done) io.out(`${text}\n`)
  if (files.length === 0) io.err('No database is older than when svc last used it. Nothing was changed.\n')
  return 0
}

function restoreOne(ctx: Context, file: string): Decided {
  const { kept, backup } = restoreNewer(file, ports(ctx))
  const text = `${file} is the backup of ${backup} now. The older file is kept as ${kept}. Restart svc processes that had it open.`
  return { file, text, kept: [kept] }
}

function acceptOne(ctx: Context, file: string): Decided {
  const kept = acceptOlder(file, ports(ctx))
  const rest = kept.length > 0 ? ` What was newer is kept as ${kept.join(' and ')}.` : ''
  return { file, text: `${file} is accepted as it is.${rest}`, kept }
}

const ports = (ctx: Context) => ({ clock: ctx.use(Clock), random: ctx.use(Random), log: ctx.log })
const home = (ctx: Context) => ctx.use(Home).path()

/** A path relative to the current folder, or to SVC_HOME as listed. */
function locate(ctx: Context, cwd: string, path: string): string {
  const inHome = resolve(home(ctx), path)
  return databases(ctx).includes(inHome) ? inHome : resolve(cwd, path)
}

/** Each has a mark beside it; plugins keep them in their folder below `data`. */
function databases(ctx: Context): readonly string[] {
  const data = ctx.use(Home).path('data')
  const marks = listEntries(data).flatMap((folder) =>
    listEntries(join(data, folder)).map((name) => join(data, folder, name)),
  )
  return marks
    .filter((path) => path.endsWith(MARK))
    .map((path) => join(dirname(path), basename(path, MARK)))
    .toSorted()
}

function listEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // A file, or not there yet.
    return []
  }
}
