/** `svc config get`, `set` and `unset`: one value. */
import { type CliArguments, type CliContext, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { type ConfigEntry, ConfigFile } from 'svc/sdk/host'
import { stringify } from 'yaml'
import { oneLine, toJson } from './output.ts'

type Context = PluginContext<undefined>

const MIN_TYPO = 4

/** Prints one value; exit code 1 when it is not set. */
export async function get(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const key = await ctx.use(ConfigFile).read(args[0] as string)
  const { value } = key
  if (value === undefined) {
    io.err(`${key.path} is not set${key.default === undefined ? '.' : `; the default is ${oneLine(key.default)}.`}\n`)
    warn(io, unknownWarning(key))
    return 1
  }
  if (key.fixed !== undefined) warn(io, `${key.path} is fixed for this machine, in whole or in part, by ${key.fixed}.`)
  if (options['json'] === true) io.out(toJson(value))
  else io.out(typeof value === 'object' && value !== null ? stringify(value, { lineWidth: 0 }) : `${value}\n`)
  return 0
}

/** Writes one value after its owner accepted it. */
export async function set(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const file = ctx.use(ConfigFile)
  const before = await file.read(args[0] as string)
  const { path } = before
  if (isMisspelt(before) && options['force'] !== true)
    throw new SvcError(
      'CONFIG_KEY_UNKNOWN',
      `There is no setting ${path}. Did you mean ${before.unknown?.nearest}? Nothing was written; --force writes it as typed.`,
    )
  const text = args[1] ?? (await readTypedValue(before, io))
  if (text === undefined) {
    io.err(`svc: a value is missing: svc config set ${path} <value>\n`)
    return 2
  }
  const edit = { path, value: text, typed: true } as const
  const change = await file.write([edit], { author: 'svc config set', reason: `set ${path}` })
  const now = await file.read(path)
  const warning = findShadow(ctx, path) ?? unknownWarning(now)
  const done = { path, value: now.written, file: now.file, changed: change !== undefined, change: change?.id, warning }
  if (options['json'] === true) io.out(toJson(done))
  else if (change) io.out(`${path} = ${oneLine(now.written)} (${now.file})\n`)
  else io.out(`${path} is ${oneLine(now.written)} already; nothing was written.\n`)
  warn(io, warning)
  return 0
}

/** Removes one value. */
export async function unset(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const file = ctx.use(ConfigFile)
  const key = await file.read(args[0] as string)
  const { path } = key
  const by = { author: 'svc config unset', reason: `unset ${path}` }
  const change = await file.write([{ path, value: undefined }], by)
  if (options['json'] === true)
    io.out(toJson({ path, changed: change !== undefined, change: change?.id, default: key.default }))
  else if (!change) io.out(`${path} was not set; nothing was written.\n`)
  else io.out(`${path} is unset${key.default === undefined ? '' : `; the default is ${oneLine(key.default)}`}.\n`)
  if (!change) warn(io, unknownWarning(key))
  return 0
}

/** A value that was not typed beside its key: from a pipe, or asked for, so that a secret stays out of the history. */
async function readTypedValue({ path, secret }: ConfigEntry, io: CliContext): Promise<string | undefined> {
  const piped = io.interactive ? undefined : await io.stdin(1024 * 1024)
  const text = piped ? new TextDecoder().decode(piped).replace(/\r?\n$/, '') : undefined
  const answer = io.interactive ? await io.ask(`${path}: `, { secret }) : text
  return answer === '' ? undefined : answer
}

/** Short names are near to many others. */
function isMisspelt({ unknown }: ConfigEntry): boolean {
  const typed = unknown?.path.split('.').at(-1) ?? ''
  return unknown?.nearest !== undefined && typed.length >= MIN_TYPO
}

function unknownWarning({ unknown }: ConfigEntry): string | undefined {
  const meant = unknown?.nearest ? ` Did you mean ${unknown.nearest}?` : ''
  return unknown && `nothing reads ${unknown.path}.${meant}`
}

function findShadow(ctx: Context, path: string): string | undefined {
  const isShadowed = ctx.use(Secrets).source(path) === 'environment'
  return isShadowed ? `${path} is also set in the environment, which wins over .env.` : undefined
}

function warn(io: CliContext, warning: string | undefined): void {
  if (warning) io.err(`svc: ${warning}\n`)
}
