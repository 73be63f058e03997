/** `svc prompt trust`: the user agrees to the notes of a project. */
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type CliArguments, type CliContext, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { describeChange, openTrustStore } from './agree-to-notes.ts'
import type { Config } from './config.ts'
import { notesFiles } from './project-notes.ts'

/** Prints what is agreed to: all of a new file, the difference of one that has changed. Throws `PROMPT_NO_NOTES`. */
export async function trustNotes(
  ctx: PluginContext<Config>,
  { args, options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const folder = resolve(io.cwd, args[0] ?? '.')
  const cwd = await realpath(folder).catch(() => folder)
  const files = await notesFiles(cwd, ctx.config.context_file_max_chars)
  if (files.length === 0)
    throw new SvcError('PROMPT_NO_NOTES', `No project notes that can be told to the model are in ${folder}.`)
  const store = openTrustStore(ctx)
  const found = await Promise.all(files.map(async (file) => ({ file, known: await store.find(file) })))
  await store.agree(files)
  const changes = found.flatMap(({ file, known }) => (known === 'trusted' ? [] : [{ file, before: known?.before }]))
  if (options['json'] === true) {
    io.out(`${JSON.stringify({ agreed: changes.map(({ file }) => file.path) }, undefined, 2)}\n`)
    return 0
  }
  const texts = await Promise.all(changes.map(describeChange))
  const end = changes.length
    ? `Agreed: ${changes.map(({ file }) => file.shown).join(', ')}`
    : 'Agreed to before; nothing has changed.'
  io.out(`${ctx.use(Secrets).mask([...texts, end].join('\n\n'))}\n`)
  return 0
}
