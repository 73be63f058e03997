/** `svc export`: chooses what moves, and takes out what must stay. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, Home, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { formatCount, formatMegabytes, hasFlag, printJson, quotePath, safeLine } from 'svc/sdk/kit/terminal'
import { Backups } from 'svc/sdk/operations'
import { CONFIG_FILE, chooseParts, findPart, getSecretPart, type Part } from './parts.ts'
import { choosePassphrase } from './passphrase.ts'
import { makePortable, type PortableConfig } from './portable-config.ts'

type Context = PluginContext<undefined>

const MAX_TEXT_BYTES = 2 ** 20

export async function runExport(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const withSecrets = hasFlag(input, 'withSecrets')
  const chosen = chooseParts(ctx, readNames(input))
  const parts = withSecrets ? [...chosen, getSecretPart(ctx)] : chosen
  const { texts, notes, broken } = prepareTexts(ctx, chosen, withSecrets)
  const foreign = listForeign(ctx)
  if (foreign.length > 0) notes.push(`Plugins to install: ${foreign.join(', ')}.`)
  const counts = new Map<string, number>()
  const includes = (path: string) => {
    const part = broken.has(path) ? undefined : findPart(parts, path)
    if (part) counts.set(part.name, (counts.get(part.name) ?? 0) + 1)
    return part !== undefined
  }
  requireAny(ctx, parts)
  const passphrase = withSecrets || hasFlag(input, 'encrypt') ? await choosePassphrase(ctx, io) : undefined
  const { out } = input.options
  const file = resolve(io.cwd, typeof out === 'string' ? out : nameExport(ctx, passphrase))
  const made = await (await findBackups(ctx)).export({
    ...{ file, includes, texts, notes, signal: io.signal },
    ...(passphrase !== undefined && { passphrase }),
  })
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, ...made, secrets: withSecrets, parts: Object.fromEntries(counts), notes })
    return 0
  }
  for (const warning of made.warnings) io.err(`${warning}\n`)
  const said = [...counts].map(([name, count]) => `${name} (${formatCount(count, 'file')})`).join(', ')
  io.out(`${made.file}: ${formatMegabytes(made.bytes)}. In it: ${said}.\n`)
  for (const note of notes) io.out(`${safeLine(note)}\n`)
  if (!withSecrets) io.out('Keys are not in it: set them there, or use --with-secrets.\n')
  io.out(
    made.isEncrypted
      ? 'It is encrypted: it cannot be imported without the passphrase.\n'
      : 'It is not encrypted: conversations and memories in it can be read by who has the file.\n',
  )
  io.out(`On the other machine: svc import ${quotePath(basename(made.file))}\n`)
  return 0
}

/** Throws `TRANSFER_UNAVAILABLE`. */
export async function findBackups(ctx: Context): Promise<Backups> {
  const backups = await ctx.use(Plugins).bring(Backups)
  if (backups) return backups
  const message = 'The plugin that copies homes does not run. Which plugins do, and why others do not: svc plugins list'
  throw new SvcError('TRANSFER_UNAVAILABLE', message, { status: 503 })
}

function readNames({ options }: CliArguments): readonly string[] {
  const { only, sessions } = options
  const typed = (Array.isArray(only) ? only : typeof only === 'string' ? [only] : []) as readonly string[]
  const names = typed.flatMap((each) => each.split(',')).filter(Boolean)
  return sessions === true ? [...names, 'sessions'] : names
}

/** Plugins that a person installed: their code does not move. */
function listForeign(ctx: Context): readonly string[] {
  const found = ctx.use(Plugins).list()
  return found.filter(({ origin }) => origin === 'home' || origin === 'npm').map(({ manifest }) => manifest.name)
}

interface Prepared {
  readonly texts: Map<string, string>
  readonly notes: string[]
  /** Settings that cannot be read, so that it is not known what is secret in them. */
  readonly broken: Set<string>
}

/** The files that are not in the export as they are on the disk. */
function prepareTexts(ctx: Context, parts: readonly Part[], withSecrets: boolean): Prepared {
  const { dir } = ctx.use(Home)
  const mask = withSecrets ? undefined : (text: string) => ctx.use(Secrets).mask(text)
  const prepared: Prepared = { texts: new Map(), notes: [], broken: new Set() }
  for (const path of listTexts(dir, parts)) {
    const text = readText(join(dir, path))
    if (text === undefined) continue
    if (basename(path) === CONFIG_FILE) {
      prepareSettings(path, makePortable(text, { exists: existsSync, mask }), prepared)
      continue
    }
    const shown = mask?.(text) ?? text
    if (shown === text) continue
    prepared.texts.set(path, shown)
    prepared.notes.push(`*** stands for keys in ${path}.`)
  }
  return prepared
}

function prepareSettings(path: string, portable: PortableConfig | undefined, { texts, notes, broken }: Prepared): void {
  if (!portable) {
    broken.add(path)
    notes.push(`${path} was left out: it cannot be read. See svc config check.`)
    return
  }
  texts.set(path, portable.text)
  for (const { path: key, why } of portable.leftOut)
    notes.push(`${key} of ${path} was left out: ${why === 'path' ? 'it names a file of the machine' : 'it is secret'}.`)
}

/** Files of the parts that are text, in the home and in its profiles. */
function listTexts(dir: string, parts: readonly Part[]): string[] {
  const found: string[] = []
  const visit = (path: string) => {
    const stats = lstatSync(join(dir, path), { throwIfNoEntry: false })
    if (stats?.isDirectory()) for (const name of readdirSync(join(dir, path)).sort()) visit(`${path}/${name}`)
    else if (stats?.isFile() && stats.size <= MAX_TEXT_BYTES && findPart(parts, path)?.isText) found.push(path)
  }
  const profiles = existsSync(join(dir, 'profiles')) ? readdirSync(join(dir, 'profiles')) : []
  const homes = ['', ...profiles.map((name) => `profiles/${name}/`)]
  for (const home of homes)
    for (const { paths, isText } of parts) if (isText) for (const path of paths) visit(`${home}${path}`)
  return found
}

/** Undefined for what is not text. */
function readText(file: string): string | undefined {
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/** Throws `TRANSFER_EMPTY`. */
function requireAny(ctx: Context, parts: readonly Part[]): void {
  const { dir } = ctx.use(Home)
  const has = (home: string) => parts.some(({ paths }) => paths.some((path) => existsSync(join(home, path))))
  const profiles = existsSync(join(dir, 'profiles')) ? readdirSync(join(dir, 'profiles')) : []
  if (has(dir) || profiles.some((name) => has(join(dir, 'profiles', name)))) return
  const names = parts.map(({ name }) => name).join(', ')
  throw new SvcError('TRANSFER_EMPTY', `There is nothing to export: ${dir} has none of ${names}.`, { status: 404 })
}

function nameExport(ctx: Context, passphrase: string | undefined): string {
  const time = new Date(ctx.use(Clock).now()).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
  const { profile } = ctx.use(Home)
  const of = profile === undefined ? '' : `-${profile}`
  return `svc-export${of}-${time}.tar.gz${passphrase === undefined ? '' : '.age'}`
}
