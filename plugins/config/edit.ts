/** `svc config edit`: the user's editor on a draft, which replaces the file only when it is good. */
import { spawn } from 'node:child_process'
import { extname, join } from 'node:path'
import { type CliIo, Config, errorCode, errorMessage, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { readText, removeFile, writeText } from './atomic-write.ts'
import { CONFIG_VERSION } from './migrations.ts'
import { mergeTexts } from './three-way.ts'
import type { ConfigWriter } from './writer.ts'

type Context = PluginContext<unknown>

/** Opens the editor until the draft is good, unchanged or given up. Exit code 1 when it was given up. */
export async function edit(ctx: Context, writer: ConfigWriter, io: CliIo): Promise<number> {
  const { file } = ctx.use(Config)
  if (!io.interactive)
    throw new SvcError(
      'CONFIG_EDITOR',
      `An editor needs a terminal. Use svc config set, or edit ${file} in another way.`,
      { status: 400 },
    )
  const { text: original } = await readText(file)
  const start = original ?? `config_version: ${CONFIG_VERSION}\n`
  const draft = join(ctx.dataDir, `draft-${ctx.use(Random).hex(4)}${extname(file)}`)
  await writeText(draft, start, { mode: 0o600 })
  for (;;) {
    await runEditor(ctx, draft, io).catch(async (error: unknown) => {
      if ((await readText(draft)).text === start) await removeFile(draft)
      else io.err(`Your draft is kept: ${draft}\n`)
      throw error
    })
    const problem = await store(writer, { file, draft, original, start }, io)
    if (problem === undefined) return 0
    io.err(`${problem}\n`)
    const answer = await io.ask('Edit again? [Y/n] ')
    if (answer !== undefined && !/^\s*n/i.test(answer)) continue
    io.err(`${file} is as it was. Your draft is kept: ${draft}\n`)
    return 1
  }
}

interface Draft {
  readonly file: string
  readonly draft: string
  readonly original: string | undefined
  readonly start: string
}

/** Writes the draft; returns what is wrong with it when the user can mend that. */
async function store(
  writer: ConfigWriter,
  { file, draft, original, start }: Draft,
  io: CliIo,
): Promise<string | undefined> {
  try {
    const { text = start } = await readText(draft)
    const merged = (now: string | undefined) => (now === original ? text : merge(file, start, now ?? '', text))
    const change =
      text === start ? undefined : await writer.rewrite(merged, { author: 'svc config edit', reason: 'edited by hand' })
    io.out(change ? change.diff : 'Nothing was changed.\n')
  } catch (error) {
    if (['CONFIG_UNREADABLE', 'CONFIG_INVALID'].includes(errorCode(error))) return errorMessage(error)
    io.err(`Your draft is kept: ${draft}\n`)
    throw error
  }
  await removeFile(draft)
  return undefined
}

/** Another program wrote while the editor was open: both edits are kept when they touch different lines. */
function merge(file: string, base: string, now: string, text: string): string {
  const result = mergeTexts(base, now, text)
  if ('text' in result) return result.text
  const message = `${file} was changed by another program at line ${result.conflictLine} while you edited.`
  throw new SvcError('CONFIG_EDIT_CONFLICT', `${message} Nothing was written; bring your change in again.`, {
    status: 409,
  })
}

/** $VISUAL or $EDITOR may hold options, so a shell reads them, as it does for git. */
async function runEditor(ctx: Context, draft: string, io: CliIo): Promise<void> {
  const secrets = ctx.use(Secrets)
  const isWindows = process.platform === 'win32'
  const editor = secrets.get('VISUAL') ?? secrets.get('EDITOR') ?? (isWindows ? 'notepad' : 'vi')
  const options = { stdio: 'inherit', signal: ctx.signal } as const
  const child = isWindows
    ? spawn(`${editor} "${draft}"`, { ...options, shell: true })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'svc', draft], options)
  // Ctrl-C belongs to the editor while it runs.
  const release = io.onInterrupt(() => undefined)
  try {
    const end = await new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`))
    })
    if (end === undefined) return
    const message = `The editor "${editor}" failed: ${end}. Nothing was changed. Set $VISUAL or $EDITOR to one that works.`
    throw new SvcError('CONFIG_EDITOR', message)
  } finally {
    release()
  }
}
