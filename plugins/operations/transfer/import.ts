/** `svc import`: shows what an export would replace, asks, and takes it over. */
import { existsSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { type CliArguments, type CliContext, Config, confirmCommand, Home, type PluginContext, SvcError } from 'svc/sdk'
import { formatCount, formatMegabytes, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { HomeExportFacts } from 'svc/sdk/operations'
import { findBackups } from './export.ts'
import { CONFIG_FILE, findPart, getSecretPart, listParts } from './parts.ts'
import { enterPassphrase } from './passphrase.ts'

type Context = PluginContext<undefined>

const SHOWN = 20

export async function runImport(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const file = resolve(io.cwd, input.args[0] ?? '')
  let typed: Promise<string> | undefined
  const passphrase = () => {
    typed ??= enterPassphrase(ctx, io)
    return typed
  }
  const backups = await findBackups(ctx)
  const facts = await backups.readExport({ file, passphrase, signal: io.signal })
  requirePlace(ctx, facts)
  // Keys come out of an encrypted export only, and nothing that no plugin here knows.
  const parts = [...listParts(ctx), ...(facts.isEncrypted ? [getSecretPart(ctx)] : [])]
  const includes = (path: string) => findPart(parts, path) !== undefined
  const taken = facts.files.filter(({ path }) => includes(path))
  const ignored = facts.files.filter(({ path }) => !includes(path)).map(({ path }) => path)
  const hasSettings = taken.some(({ path }) => posix.basename(path) === CONFIG_FILE)
  const { dir } = ctx.use(Home)
  const replaced = taken.map(({ path }) => path).filter((path) => existsSync(join(dir, path)))
  const { created, notes } = facts
  const plan = { file, created, files: taken.length, replaced, ignored, notes }
  const show = () => {
    io.out(`${file} is of ${created}: ${formatCount(taken.length, 'file')}, ${formatMegabytes(countBytes(taken))}.\n`)
    if (hasSettings)
      io.out(
        'Its settings can start programs and change what needs an approval: import only files that you exported.\n',
      )
    if (replaced.length > 0) io.out(`These are replaced:\n${formatList(replaced)}`)
    if (ignored.length > 0) io.out(`Not taken over, because no plugin here knows them:\n${formatList(ignored)}`)
  }
  if (hasFlag(input, 'dryRun')) {
    if (hasFlag(input, 'json')) printJson(io, { ok: true, dryRun: true, ...plan })
    else show()
    return 0
  }
  const question =
    replaced.length > 0
      ? `Replace ${formatCount(replaced.length, 'file')} of ${dir}? A backup is made before.`
      : `Take these settings into use in ${dir}?`
  const isAsked = replaced.length > 0 || hasSettings
  if (isAsked && !(await confirmCommand(io, question, input.options, show))) return 1
  const done = await backups.import({ file, passphrase, includes, signal: io.signal })
  await ctx.use(Config).acceptWritten()
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, ...plan, ...done })
    return 0
  }
  io.out(`${formatCount(done.files, 'file')} of ${created} are in ${dir}.\n`)
  if (ignored.length > 0) io.out(`Not taken over, because no plugin here knows them:\n${formatList(ignored)}`)
  for (const note of notes) io.out(`${safeLine(note)}\n`)
  io.out(`The backup of before is ${done.backup}. To undo the import: svc backup restore --undo\n`)
  return 0
}

/** Throws `TRANSFER_TARGET`: profiles in a profile would never be found. */
function requirePlace(ctx: Context, { profile, files }: HomeExportFacts): void {
  const here = ctx.use(Home).profile
  if (here === undefined || profile !== undefined || !files.some(({ path }) => path.startsWith('profiles/'))) return
  const message = `The export has profiles, and ${here} is a profile itself. Import it without -p.`
  throw new SvcError('TRANSFER_TARGET', message, { status: 409 })
}

function countBytes(files: HomeExportFacts['files']): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function formatList(paths: readonly string[]): string {
  const rest = paths.length > SHOWN ? [`and ${formatCount(paths.length - SHOWN, 'more file', 'more files')}`] : []
  return [...paths.slice(0, SHOWN), ...rest].map((path) => `  ${safeLine(path)}\n`).join('')
}
