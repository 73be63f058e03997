/** The files of plugins as they were before a migration. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, type PluginContext, SvcError } from 'svc/sdk'
import { keepNewest, writeAtomicallySync } from 'svc/sdk/kit/files'
import type { FileChange } from './files.ts'

const MAX_COPIES = 50

interface Copy {
  readonly dir: string
  readonly files: readonly FileChange[]
}

/** Writes the changes after a copy of the files as they were; returns the file of the copy. On a failure all files are as before. */
export async function applyChanges(
  ctx: PluginContext<undefined>,
  dir: string,
  files: readonly FileChange[],
): Promise<string> {
  const folder = copyFolder(ctx)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, `${prefix(dir)}${ctx.use(Clock).now()}.json`)
  writeFileSync(copy, JSON.stringify({ dir, files } satisfies Copy), { mode: 0o600 })
  const written: FileChange[] = []
  try {
    for (const change of files) {
      writeAtomicallySync(join(dir, change.file), change.after)
      written.push(change)
    }
  } catch (error) {
    for (const { file, before } of written) writeAtomicallySync(join(dir, file), before)
    rmSync(copy, { force: true })
    throw error
  }
  await keepNewest(folder, MAX_COPIES)
  return copy
}

/** Restores the files of the last migration of a folder; returns their names. Throws `PLUGIN_MIGRATION` where they were changed since. */
export function undoChanges(ctx: PluginContext<undefined>, dir: string): readonly string[] {
  const copies = existsSync(copyFolder(ctx)) ? readdirSync(copyFolder(ctx)) : []
  const last = copies
    .filter((name) => name.startsWith(prefix(dir)))
    .sort()
    .at(-1)
  if (last === undefined)
    throw new SvcError('PLUGIN_MIGRATION', `There is no migration of ${dir} that could be undone.`)
  const path = join(copyFolder(ctx), last)
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as Copy
  const changed = files.filter(({ file, after }) => read(join(dir, file)) !== after).map(({ file }) => file)
  if (changed.length > 0)
    throw new SvcError(
      'PLUGIN_MIGRATION',
      `${changed.join(', ')} changed since the migration; nothing was restored. The files as they were: ${path}`,
    )
  for (const { file, before } of files) writeAtomicallySync(join(dir, file), before)
  rmSync(path)
  return files.map(({ file }) => file)
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function copyFolder(ctx: PluginContext<undefined>): string {
  return join(ctx.dataDir, 'migrations')
}

function prefix(dir: string): string {
  return `${createHash('sha256').update(dir).digest('hex').slice(0, 16)}-`
}
