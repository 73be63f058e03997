/** `svc plugins migrate NAME`: rewrites a plugin for the running SDK. */
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { type PluginInfo, Plugins } from 'svc/sdk/host'
import { formatCount, hasFlag, paint, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
import { differenceLines } from '../code-difference.ts'
import { findPlugin } from '../plugin-relations.ts'
import { isForeign } from '../switches.ts'
import { applyChanges, undoChanges } from './copies.ts'
import { type Migration, planMigration } from './files.ts'

const MAX_LINES = 5000

type Context = PluginContext<undefined>

/** A folder, and the installed plugin if it is one. */
interface Subject {
  readonly dir: string
  readonly info: PluginInfo | undefined
}

export async function migrate(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const subject = await findSubject(ctx, input.args[0] as string, io)
  const { dir } = subject
  if (hasFlag(input, 'undo')) return undo(ctx, dir, input, io)
  const sdk = await ctx.use(Plugins).sdkNames()
  const found = await planMigration(dir, sdk)
  const isJson = hasFlag(input, 'json')
  if (!isJson) printPlan(io, dir, found, sdk.version)
  const isWanted = found.changes.length > 0 && (await isConfirmed(input, io))
  const copy = isWanted ? await applyChanges(ctx, dir, found.changes) : undefined
  const next = copy === undefined ? [] : nextCommands(subject, input.args[0] as string)
  if (isJson) {
    const changed = found.changes.map(({ file }) => file)
    printJson(io, { dir, sdk: `^${sdk.version}`, changed, renames: found.used, left: found.left, copy, next })
  } else if (copy !== undefined) {
    io.out(`Written. A copy of the files as they were: ${safeLine(copy)}\n`)
    io.out(`Next\n${next.map((command) => `  ${safeLine(command)}\n`).join('')}`)
  }
  return 0
}

/** A bare word is an installed plugin if there is one of the name; anything else is a folder. */
async function findSubject(ctx: Context, word: string, io: CliContext): Promise<Subject> {
  const dir = resolve(io.cwd, word)
  const info = /^[a-z0-9-]+$/.test(word) ? ctx.use(Plugins).info(word) : undefined
  if (info === undefined && existsSync(join(dir, 'plugin.json'))) return { dir: realpathSync(dir), info: undefined }
  const found = info ?? (await findPlugin(ctx, word))
  if (!isForeign(found.origin))
    throw new SvcError(
      'PLUGIN_MIGRATION',
      `${word} belongs to svc and fits its SDK. Name the folder of another plugin.`,
    )
  if (found.origin === 'npm')
    throw new SvcError(
      'PLUGIN_MIGRATION',
      `${word} was installed from npm, and an update would replace what is written there. Run the command in the folder of its author.`,
    )
  return { dir: realpathSync(found.dir), info: found }
}

function printPlan(io: CliContext, dir: string, { changes, used, left }: Migration, version: string): void {
  if (changes.length === 0) io.out(`${safeLine(dir)} already fits SDK ${version}.\n`)
  else {
    io.out(`${paint(io, 'bold', safeLine(dir))}: ${formatCount(changes.length, 'file')} to change for SDK ${version}\n`)
    const shown = changes.map(({ file, before, after }) => ({ file, what: 'changed' as const, before, after }))
    for (const line of differenceLines(shown, MAX_LINES)) io.out(`  ${colored(io, line)}\n`)
  }
  if (used.length > 0) {
    io.out('Names\n')
    for (const { code, old, new: name, entry, file, line } of used)
      io.out(`  ${code}  ${old} -> ${name} of ${entry}  (${safeLine(file)}:${line})\n`)
  }
  if (left.length === 0) return
  io.out('To change by hand\n')
  for (const { file, line, text } of left) io.out(`  ${safeLine(`${file}:${line}  ${text}`)}\n`)
}

function colored(io: CliContext, line: string): string {
  if (/^ *\+/.test(line)) return paint(io, 'green', line)
  return /^ *-/.test(line) ? paint(io, 'red', line) : line
}

/** `--write` is a yes; without it and without a person the command only shows. */
async function isConfirmed(input: CliArguments, io: CliContext): Promise<boolean> {
  if (hasFlag(input, 'write')) return true
  if (!io.interactive || hasFlag(input, 'json')) {
    if (!hasFlag(input, 'json')) io.out('Nothing was written. To write these changes, add --write\n')
    return false
  }
  return confirmCommand(io, 'Write these changes?', input.options)
}

function nextCommands({ dir, info }: Subject, word: string): string[] {
  const again = info
    ? [`svc plugins enable ${info.manifest.name}   (its code changed, so consent is asked for again)`]
    : []
  return [
    `svc plugins verify ${quotePath(dir)}`,
    ...again,
    `svc plugins migrate ${quotePath(word)} --undo   (restores the files)`,
  ]
}

function undo(ctx: Context, dir: string, input: CliArguments, io: CliContext): number {
  const restored = undoChanges(ctx, dir)
  if (hasFlag(input, 'json')) printJson(io, { dir, restored })
  else io.out(`Restored in ${safeLine(dir)}: ${safeLine(restored.join(', '))}\n`)
  return 0
}
