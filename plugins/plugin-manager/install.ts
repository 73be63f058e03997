/** `svc plugins install SPEC`: fetched and checked aside, agreed to, verified, placed, switched on; or nothing at all. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type CliInput,
  type CliIo,
  Clock,
  type ConfigChange,
  errorMessage,
  Home,
  type PluginContext,
  type PluginInfo,
  Plugins,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { announce, printSwitchedOn, type SwitchedOn } from './enable.ts'
import { type Finding, findingsIn } from './findings.ts'
import { copyFolder } from './folder.ts'
import { exitCode } from './live.ts'
import { npm } from './npm.ts'
import { abilities } from './relations.ts'
import { inspected, nameIn, Staging } from './staging.ts'
import { writeSwitch } from './switches.ts'
import { confirmed, isSet, paint, printJson } from './text.ts'
import { failedCases, runKit } from './verify.ts'

const MAX_TARBALL = 50 * 2 ** 20
/** As npm has it: a scope, a name, and a version, range or tag. */
const packageSpec = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(@[\w.^~<>=|* +-]+)?$/i

/** What is to be installed. */
type Source =
  | { readonly kind: 'folder' | 'tarball'; readonly path: string }
  | { readonly kind: 'package'; readonly spec: string }

/** A plugin that lies in the staging home. */
interface Candidate {
  readonly dir: string
  /** Packages that come along. */
  readonly packages: readonly string[]
  /** Moves it into the real home; returns where it is now and how to undo that. */
  place(name: string): { readonly dir: string; undo(): void }
}

type Context = PluginContext<undefined>

export async function install(ctx: Context, input: CliInput, io: CliIo): Promise<number> {
  const source = sourceOf(input.args[0] as string, io.cwd)
  const staging = new Staging(ctx)
  try {
    const candidate = await staged(ctx, source, staging, io)
    const info = await inspected(staging.home, candidate.dir)
    refuseTaken(ctx, info.manifest.name)
    const findings = findingsIn(candidate.dir)
    if (!isSet(input, 'json')) present(io, info, candidate, findings)
    if (!(await confirmed(input, io, `Install ${info.manifest.name}?`))) return 1
    if (input.options['verify'] !== false) await verified(candidate.dir, info.manifest.name, input, io)
    io.signal.throwIfAborted()
    const placed = candidate.place(info.manifest.name)
    const change = await agreedChange(ctx, input, info).catch((error) => {
      placed.undo()
      throw error
    })
    const switched = input.options['enable'] === false ? undefined : await announce(ctx, info, change)
    report(input, io, { name: info.manifest.name, dir: placed.dir, findings }, switched)
    return exitCode(switched?.processes ?? [])
  } finally {
    staging.close()
  }
}

function sourceOf(spec: string, cwd: string): Source {
  const path = resolve(cwd, spec)
  const looksLocal = /^(\.{0,2}[\\/]|\.{1,2}$|[A-Za-z]:[\\/])/.test(spec) || /\.(tgz|tar\.gz)$/.test(spec)
  const stat = existsSync(path) ? statSync(path) : undefined
  if (stat?.isDirectory()) return { kind: 'folder', path }
  if (stat?.isFile() && /\.(tgz|tar\.gz)$/.test(path)) return { kind: 'tarball', path }
  if (stat || looksLocal)
    throw new SvcError('PLUGIN_FOLDER', `${path} is ${stat ? 'neither a folder nor a .tgz file' : 'not there'}.`)
  if (packageSpec.test(spec)) return { kind: 'package', spec }
  const known = 'a folder (./my-plugin), a tarball (my-plugin-1.0.0.tgz) or an npm package (name, name@version)'
  throw new SvcError('PLUGIN_SPEC', `"${spec}" is none of these: ${known}.`, { status: 400 })
}

function staged(ctx: Context, source: Source, staging: Staging, io: CliIo): Promise<Candidate> {
  return source.kind === 'folder' ? stageFolder(ctx, source.path, staging, io) : stagePackage(ctx, source, staging, io)
}

async function stageFolder(ctx: Context, path: string, staging: Staging, io: CliIo): Promise<Candidate> {
  const dir = join(staging.home, 'plugins', nameIn(path) ?? 'unnamed')
  copyFolder(path, dir)
  const { dependencies = {} } = packageJson(dir)
  const packages = Object.keys(dependencies)
  if (packages.length) await npm(['install'], dir, npmRun(ctx, io))
  return {
    dir,
    packages,
    place(name) {
      const target = ctx.use(Home).path('plugins', name)
      if (existsSync(target)) throw new SvcError('PLUGIN_FOLDER', `${target} is in the way. Move it away first.`)
      mkdirSync(ctx.use(Home).path('plugins'), { recursive: true, mode: 0o700 })
      renameSync(dir, target)
      return { dir: target, undo: () => rmSync(target, { recursive: true, force: true }) }
    },
  }
}

/** npm works on a copy of what is installed, which then takes its place in one step. */
async function stagePackage(
  ctx: Context,
  source: Exclude<Source, { kind: 'folder' }>,
  staging: Staging,
  io: CliIo,
): Promise<Candidate> {
  const root = join(staging.home, 'npm')
  copyNpm(ctx, root)
  const before = packageJson(root).dependencies ?? {}
  const known = packagesIn(root)
  const spec = source.kind === 'package' ? source.spec : keepTarball(source.path, root)
  await npm(['install', spec], root, npmRun(ctx, io))
  const name = installedName(source, spec, { before, after: packageJson(root).dependencies ?? {} })
  const dir = join(root, 'node_modules', name)
  const keywords = packageJson(dir).keywords ?? []
  if (!keywords.includes('svc-plugin'))
    throw new SvcError('PLUGIN_FOLDER', `The package ${name} is no plugin of svc: it lacks the keyword "svc-plugin".`)
  return {
    dir,
    packages: packagesIn(root).filter((other) => other !== name && !known.includes(other)),
    place() {
      const undo = staging.swapNpm()
      return { dir: ctx.use(Home).path('npm', 'node_modules', name), undo }
    },
  }
}

/** Copies what npm has installed in the home so far; begins an empty one. */
export function copyNpm(ctx: Context, to: string): void {
  const real = ctx.use(Home).path('npm')
  if (existsSync(real)) cpSync(real, to, { recursive: true, verbatimSymlinks: true })
  else {
    mkdirSync(to, { mode: 0o700 })
    writeFileSync(join(to, 'package.json'), `${JSON.stringify({ private: true }, undefined, 2)}\n`)
  }
}

/** How npm is run for this command. */
export function npmRun(ctx: Context, { signal }: CliIo): Parameters<typeof npm>[2] {
  return { clock: ctx.use(Clock), secrets: ctx.use(Secrets), signal }
}

/** A tarball is kept beside what npm makes of it, or npm would miss it at its next run. */
function keepTarball(path: string, root: string): string {
  const bytes = readFileSync(path)
  if (bytes.length > MAX_TARBALL) throw new SvcError('PLUGIN_UNSAFE', `${path} is over ${MAX_TARBALL / 2 ** 20} MiB.`)
  const file = `tarballs/${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.tgz`
  mkdirSync(join(root, 'tarballs'), { recursive: true })
  writeFileSync(join(root, file), bytes)
  return `./${file}`
}

/** The name under which npm wrote the package down. Throws `PLUGIN_NAME_TAKEN` when it had it before. */
function installedName(
  source: Source,
  spec: string,
  { before, after }: Record<'before' | 'after', Dependencies>,
): string {
  const name =
    source.kind === 'package'
      ? spec.replace(/(.)@.*$/, '$1')
      : Object.keys(after).find((other) => after[other]?.endsWith(spec.replace('./', '')))
  if (name === undefined || !(name in after))
    throw new SvcError('PLUGIN_NPM_FAILED', `npm did not say what it made of ${spec}.`)
  if (!(name in before)) return name
  throw taken(`The package ${name} is installed already. svc plugins shows its plugin; remove that first.`)
}

type Dependencies = Readonly<Record<string, string>>

interface PackageJson {
  readonly dependencies?: Dependencies
  readonly keywords?: readonly string[]
}

function packageJson(dir: string): PackageJson {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PackageJson
  } catch (cause) {
    throw new SvcError('PLUGIN_NOT_USABLE', `${file} cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

function packagesIn(root: string): string[] {
  const file = join(root, 'package-lock.json')
  if (!existsSync(file)) return []
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8')) as { packages?: Record<string, unknown> }
  return Object.keys(packages).flatMap((path) => path.split('node_modules/').at(-1) || [])
}

function refuseTaken(ctx: Context, name: string): void {
  const other = ctx
    .use(Plugins)
    .list()
    .find(({ manifest }) => manifest.name === name)
  if (!other) return
  const replaceable = other.origin === 'home' || other.origin === 'npm'
  const how = replaceable
    ? `To replace it, first: svc plugins remove ${name}`
    : 'Give this one another name in its plugin.json.'
  throw taken(`A plugin "${name}" is there already (${other.origin}). ${how}`)
}

function taken(message: string): SvcError {
  return new SvcError('PLUGIN_NAME_TAKEN', message, { status: 409 })
}

function present(io: CliIo, { manifest }: PluginInfo, { packages }: Candidate, findings: readonly Finding[]): void {
  io.out(`${paint(io, 'bold', manifest.name)} ${manifest.version}: ${manifest.description}\n`)
  for (const line of abilities(manifest)) io.out(`  ${line}\n`)
  if (packages.length) io.out(`  brings packages: ${packages.join(', ')}\n`)
  if (!findings.length) return
  io.out('Seen in its code\n')
  for (const { what, file, line, count } of findings) {
    const more = count > 1 ? ` and ${count - 1} more` : ''
    io.out(`  ${paint(io, 'yellow', `${what}: ${file}:${line}${more}`)}\n`)
  }
}

async function verified(dir: string, name: string, input: CliInput, io: CliIo): Promise<void> {
  const report = await runKit(dir, io)
  if (!report.ok) {
    const how = 'To install it all the same: --no-verify'
    throw new SvcError('PLUGIN_VERIFY_FAILED', `${name} was not installed. ${failedCases(report).join('; ')}. ${how}`)
  }
  if (!isSet(input, 'json')) io.out(`${name} keeps the contracts of svc (${report.cases.length} cases).\n`)
}

/** The staged plugin was looked at as part of another home; in this one it is foreign all the same. */
async function agreedChange(ctx: Context, input: CliInput, info: PluginInfo): Promise<ConfigChange | undefined> {
  return input.options['enable'] === false ? undefined : writeSwitch(ctx, info, 'on')
}

function report(
  input: CliInput,
  io: CliIo,
  result: { name: string; dir: string; findings: readonly Finding[] },
  switched: SwitchedOn | undefined,
): void {
  const { name, dir } = result
  if (isSet(input, 'json')) {
    printJson(io, { ...result, enabled: switched !== undefined, ...switched })
    return
  }
  io.out(`Installed in ${dir}\n`)
  if (switched) printSwitchedOn(io, name, switched)
  else io.out(`It does not run yet: svc plugins enable ${name}\n`)
}
