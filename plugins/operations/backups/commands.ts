/** What the subcommands of `svc backup` do. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, confirmCommand, Home, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import {
  formatColumns,
  formatCount,
  formatMegabytes,
  formatMoment,
  hasFlag,
  printJson,
  quotePath,
} from 'svc/sdk/kit/terminal'
import { Backups } from 'svc/sdk/operations'
import { isEncrypted, type ReadOptions, readArchive, readArchiveHead } from './archive-reader.ts'
import { requireKind } from './kind.ts'
import { choosePassphrase, enterPassphrase } from './passphrase.ts'
import { findBackupFolder, listBackups } from './places.ts'
import { restoreInPlace, restoreInto, undoRestore } from './restore.ts'
import { requireUnused } from './running.ts'

type Context = PluginContext<undefined>

export async function create(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { output } = input.options
  const passphrase = hasFlag(input, 'encrypt') ? await choosePassphrase(ctx, io) : undefined
  const progress = showProgress(input, io)
  const made = await ctx.use(Backups).create({
    ...(typeof output === 'string' && { file: resolve(io.cwd, output) }),
    ...(passphrase !== undefined && { passphrase }),
    signal: io.signal,
    onProgress: progress.show,
  })
  progress.end()
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, ...made })
    return 0
  }
  for (const warning of made.warnings) io.err(`${warning}\n`)
  io.out(`${made.file}: ${formatCount(made.files, 'file')}, ${formatMegabytes(made.bytes)}.\n`)
  io.out(
    made.isEncrypted
      ? 'It is encrypted: it cannot be restored without the passphrase.\n'
      : 'It holds keys and conversations in plain text: keep it where only you can read it, or use --encrypt.\n',
  )
  io.out(`To restore it: svc backup restore ${quotePath(made.file)}\n`)
  return 0
}

export async function list(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const folder = findBackupFolder(ctx.use(Home))
  const found = listBackups(ctx.use(Home))
  if (hasFlag(input, 'json')) {
    printJson(
      io,
      found.map(({ file, bytes, isEncrypted: isSealed, createdAt }) => ({
        ...{ file, bytes, isEncrypted: isSealed },
        created: new Date(createdAt).toISOString(),
      })),
    )
    return 0
  }
  if (found.length === 0) io.err(`No backup in ${folder}. Make one: svc backup create\n`)
  else io.out(`${folder}\n`)
  for (const line of formatColumns(
    found.map(({ name, bytes, createdAt, isEncrypted: isSealed }) => [
      formatMoment(createdAt),
      formatMegabytes(bytes),
      isSealed ? 'encrypted' : '',
      name,
    ]),
  ))
    io.out(`${line}\n`)
  return 0
}

export async function verify(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const options = await readOptions(ctx, input, io)
  const { head, manifest } = await readArchive(options)
  const files = Object.values(manifest.files)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const schemas = Object.fromEntries(
    Object.entries(manifest.files).flatMap(([path, { schema }]) => (schema === undefined ? [] : [[path, schema]])),
  )
  if (hasFlag(input, 'json'))
    printJson(io, { ok: true, file: options.file, ...head, files: files.length, contentBytes: bytes, schemas })
  else
    io.out(
      `${options.file} is sound: ${formatCount(files.length, 'file')}, ${formatMegabytes(bytes)}, of ${head.created}, made by svc ${head.program}.\n`,
    )
  return 0
}

export async function restore(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { dir } = ctx.use(Home)
  const now = ctx.use(Clock).now()
  if (hasFlag(input, 'undo')) {
    await requireUnused(ctx)
    if (!(await confirmCommand(io, 'Bring back the home that the last restore replaced?', input.options))) return 1
    const { previous } = undoRestore(dir, now)
    return report(io, input, { home: dir, previous })
  }
  const options = await readOptions(ctx, input, io)
  const { to } = input.options
  if (typeof to === 'string') {
    const target = resolve(io.cwd, to)
    requireKind(await readArchiveHead(options), 'svc-backup', options.file)
    const { files, head } = await restoreInto(options, target)
    return report(io, input, { home: target, files, created: head.created })
  }
  const head = await readArchiveHead(options)
  requireKind(head, 'svc-backup', options.file)
  if (head.profile !== ctx.use(Home).profile)
    throw new SvcError(
      'BACKUP_TARGET',
      `The backup is of ${head.profile === undefined ? 'a whole home' : `the profile ${head.profile}`}, and this is another one. Restore with -p ${head.profile ?? 'default'}, or into a new folder with --to.`,
      { status: 409 },
    )
  await requireUnused(ctx)
  const question = `Replace ${dir} by the backup of ${head.created}? The present home stays and can be brought back.`
  if (!(await confirmCommand(io, question, input.options))) return 1
  const { files, previous } = await restoreInPlace(options, dir, now)
  return report(io, input, { home: dir, files, created: head.created, previous })
}

interface Outcome {
  readonly home: string
  readonly files?: number
  readonly created?: string
  readonly previous?: string | undefined
}

function report(io: CliContext, input: CliArguments, outcome: Outcome): number {
  const { home, created, previous } = outcome
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, ...outcome })
    return 0
  }
  io.out(
    created === undefined
      ? `${home} is as it was before the restore.\n`
      : `${home} is that of the backup of ${created}.\n`,
  )
  if (previous !== undefined) io.out(`The home before is ${previous}. To bring it back: svc backup restore --undo\n`)
  return 0
}

async function readOptions(ctx: Context, input: CliArguments, io: CliContext): Promise<ReadOptions> {
  const [typed] = input.args
  if (typed === undefined)
    throw new SvcError('BACKUP_TARGET', 'Name the backup to restore. Those there are: svc backup list', { status: 400 })
  const inFolder = join(findBackupFolder(ctx.use(Home)), typed)
  const here = resolve(io.cwd, typed)
  const file = !existsSync(here) && existsSync(inFolder) ? inFolder : here
  const passphrase = (await isEncrypted(file)) ? await enterPassphrase(ctx, io) : ''
  return { file, passphrase: async () => passphrase, program: ownVersion(ctx), signal: io.signal }
}

/** Plugins that come with svc have its version. */
export function ownVersion(ctx: Context): string {
  return ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '0.0.0'
}

/** A line that is written over, at a terminal only. */
function showProgress(input: CliArguments, io: CliContext) {
  const isShown = io.interactive && !hasFlag(input, 'json')
  let last = ''
  return {
    show(done: number, total: number) {
      const text = `${Math.floor((done / Math.max(total, 1)) * 100)}% of ${formatMegabytes(total)}`
      if (isShown && text !== last) io.err(`\r${text}`)
      last = text
    },
    end: () => {
      if (isShown && last !== '') io.err(`\r${' '.repeat(last.length)}\r`)
    },
  }
}
