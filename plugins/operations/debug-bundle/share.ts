/** The bundle: `svc debug share` writes it and says what is in it, `svc debug show` prints it, other plugins get it as bytes. */
import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { formatCount, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { DebugBundle, DebugBundles } from 'svc/sdk/operations'
import { type CollectOptions, type Contents, collect } from './contents.ts'

const LINES = 200
const MAX_LINES = 2000
const TITLES: readonly (readonly [RegExp, string])[] = [
  [/^system\.json$/, 'versions of svc and Node, system'],
  [/^doctor\.json$/, 'findings of svc doctor'],
  [/^plugins\.json$/, 'plugins with their states and problems'],
  [/^config\.yaml$/, 'settings, with *** for secrets and without comments'],
  [/^databases\.json$/, 'schema versions and sizes of databases'],
  [/^logs\//, 'the newest entries of this log'],
]
const LEFT_OUT: readonly string[] = [
  'keys and passwords: *** stands for them; .env is not read',
  'conversations, also where a log repeats them; memories, skills, contents of files',
  'the name of this machine, your user name, addresses of mail',
]

export async function share(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const { out } = input.options
  const file = resolve(io.cwd, typeof out === 'string' ? out : nameBundle(ctx.use(Clock).now()))
  requireFree(file)
  const { contents, bytes } = await bundle(ctx, { lines: readLines(input), signal: io.signal })
  await write(file, bytes)
  const files = [...contents.files].map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }))
  const { missing } = contents
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, file, bytes: bytes.length, files, missing, leftOut: LEFT_OUT })
    return 0
  }
  io.out(describe(contents))
  io.out(
    `\n${file}: ${formatCount(files.length, 'file')}, ${Math.ceil(bytes.length / 1000)} kB. Only you can read it; nothing was sent.\n`,
  )
  io.out('Look at it before you give it to others.\n')
  return 0
}

/** Contract: `DebugBundles.create` of the SDK. */
export async function create(
  ctx: PluginContext<undefined>,
  { signal, lines = LINES }: Parameters<DebugBundles['create']>[0],
): Promise<DebugBundle> {
  const name = nameBundle(ctx.use(Clock).now())
  const { contents, bytes } = await bundle(ctx, { signal, lines: Math.min(Math.max(lines, 0), MAX_LINES) })
  return { name, bytes, summary: describe(contents) }
}

async function bundle(
  ctx: PluginContext<undefined>,
  options: CollectOptions,
): Promise<{ readonly contents: Contents; readonly bytes: Uint8Array }> {
  const contents = await collect(ctx, options)
  return { contents, bytes: await pack(new Map([['README.txt', describe(contents)], ...contents.files])) }
}

/** `svc debug show`: the same as text. */
export async function show(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const { files, missing } = await collect(ctx, { lines: readLines(input), signal: io.signal })
  await printParts(
    io,
    [...files].map(([name, text]) => `== ${name}\n${io.interactive ? safeBlock(text) : text}`),
  )
  for (const { name, reason } of missing) io.err(`${name} could not be collected: ${safeLine(reason)}\n`)
}

function describe({ files, missing }: Contents): string {
  const lines = [...files].map(([name, text]) => {
    const title = TITLES.find(([pattern]) => pattern.test(name))?.[1] ?? ''
    const count = name.endsWith('.jsonl') ? ` (${formatCount(text.split('\n').length - 1, 'entry', 'entries')})` : ''
    return `  ${name.padEnd(20)} ${title}${count}`
  })
  const gaps = missing.map(({ name, reason }) => `  ${name}: ${safeLine(reason)}`)
  return [
    'In the bundle:',
    ...lines,
    'Not in it:',
    ...LEFT_OUT.map((text) => `  ${text}`),
    ...(gaps.length > 0 ? ['Could not be collected:', ...gaps] : []),
    'Names of hosts, chats, people and folders in settings and logs are in it.',
    '',
  ].join('\n')
}

function nameBundle(now: number): string {
  return `svc-debug-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')}.zip`
}

function readLines({ options }: CliArguments): number {
  const { lines } = options
  if (lines === undefined) return LINES
  const count = Number(lines)
  if (Number.isSafeInteger(count) && count >= 0 && count <= MAX_LINES) return count
  const message = `--lines ${String(lines)} is not valid: write a number of entries up to ${MAX_LINES}.`
  throw new SvcError('DEBUG_OPTION', message, { status: 400 })
}

function requireFree(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new SvcError('DEBUG_TARGET', `${file} is there already. Choose another file with --out.`, { status: 409 })
  if (!existsSync(dirname(file)))
    throw new SvcError('DEBUG_TARGET', `The folder of ${file} was not found. Create it, or choose another file.`, {
      status: 404,
    })
}

async function pack(files: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const { zip } = await import('fflate')
  const entries = Object.fromEntries([...files].map(([name, text]) => [name, Buffer.from(text)]))
  return await new Promise((done, fail) => {
    zip(entries, { level: 9 }, (error, data) => (error ? fail(error) : done(data)))
  })
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeAtomically(file, bytes, { mode: 0o600, enforceMode: true })
  } catch (cause) {
    const message = `${basename(file)} cannot be written in ${dirname(file)}: ${errorMessage(cause)}. Choose another file with --out.`
    throw new SvcError('DEBUG_TARGET', message, { status: 507, cause })
  }
}
