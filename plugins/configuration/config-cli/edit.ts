/** `svc config edit`: the user's editor on a draft, which replaces the file only when it is good. */
import { spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import {
  type CliContext,
  Config,
  errorCode,
  errorMessage,
  type PluginContext,
  Random,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'

type Context = PluginContext<undefined>

/** A text that is being edited. */
interface Draft {
  readonly file: string
  /** What the edit began with. */
  readonly base: string
}

/** Opens the editor until the draft is good, unchanged or given up. Exit code 1 when it was given up. */
export async function edit(ctx: Context, io: CliContext): Promise<number> {
  const { file } = ctx.use(Config)
  if (!io.interactive)
    throw new SvcError(
      'CONFIG_EDITOR',
      `An editor needs a terminal. Use svc config set, or edit ${file} in another way.`,
      { status: 400 },
    )
  const base = await ctx.use(ConfigFile).text()
  const draft = { file: join(ctx.dataDir, `draft-${ctx.use(Random).hex(4)}${extname(file)}`), base }
  await mkdir(ctx.dataDir, { recursive: true, mode: 0o700 })
  await writeFile(draft.file, base, { flag: 'wx', mode: 0o600 })
  for (;;) {
    const problem = await editOnce(ctx, draft, io)
    if (problem === undefined) return 0
    io.err(`${problem}\n`)
    const answer = await io.ask('Edit again? [Y/n] ')
    if (answer !== undefined && !/^\s*n/i.test(answer)) continue
    io.err(`${file} is as it was. Your draft is kept: ${draft.file}\n`)
    return 1
  }
}

/** Edits and takes the draft; returns what is wrong with it when the user can mend that. */
async function editOnce(ctx: Context, draft: Draft, io: CliContext): Promise<string | undefined> {
  try {
    await runEditor(ctx, draft.file, io)
    const by = { author: 'svc config edit', reason: 'edited by hand' }
    const change = await ctx.use(ConfigFile).replace(decodeUtf8(await readDraft(draft)), draft.base, by)
    io.out(change ? change.diff : 'Nothing was changed.\n')
  } catch (error) {
    if (['CONFIG_UNREADABLE', 'CONFIG_INVALID'].includes(errorCode(error))) return errorMessage(error)
    if ((await readDraft(draft)).equals(Buffer.from(draft.base))) await rm(draft.file, { force: true })
    else io.err(`Your draft is kept: ${draft.file}\n`)
    throw error
  }
  await rm(draft.file, { force: true })
  return undefined
}

/** A draft that the editor removed was not changed. */
async function readDraft({ file, base }: Draft): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.from(base)
    throw error
  })
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new SvcError('CONFIG_UNREADABLE', 'The draft is not UTF-8 text. Save it as UTF-8.', { status: 400, cause })
  }
}

/** $VISUAL or $EDITOR may hold options, so a shell reads them, as it does for git. */
async function runEditor(ctx: Context, draft: string, io: CliContext): Promise<void> {
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
