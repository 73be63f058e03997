/** `svc plugins install SPEC`: fetched and checked aside, agreed to, verified, placed, switched on; or nothing at all. */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, confirmCommand, Home, type PluginContext, SvcError } from 'svc/sdk'
import { type ConfigChange, type PluginInfo, Plugins } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { Consents } from 'svc/sdk/safety'
import { record } from './consent.ts'
import { announce, printSwitchedOn, type SwitchedOn } from './enable.ts'
import { type Finding, scanFolder } from './findings.ts'
import { copyFolder } from './folder.ts'
import { exitCode } from './live.ts'
import { npm, npmRun } from './npm.ts'
import { type PackageSource, packageJson, stagePackage } from './packages.ts'
import { abilities } from './relations.ts'
import { type Candidate, inspectStaged, readManifestName, Staging } from './staging.ts'
import { writeSwitch } from './switches.ts'
import { failedCases, runKit } from './verify.ts'

/** As npm has it: a scope, a name, and a version or tag; nothing that a command line could take for more than a word. */
const packageSpec = /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[\w.^~+-]+)?$/i

/** What is to be installed. */
type Source = { readonly kind: 'folder'; readonly path: string } | PackageSource

type Context = PluginContext<undefined>

export async function install(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const source = parseSource(input.args[0] as string, io.cwd)
  const staging = new Staging(ctx)
  try {
    const candidate = await stageSource(ctx, source, staging, io)
    const info = await inspectStaged(staging.home, candidate.dir)
    checkNameIsFree(ctx, info.manifest.name)
    const findings = scanFolder(candidate.dir)
    const code = await ctx.use(Consents).inspect(info)
    if (!hasFlag(input, 'json')) present(io, info, { source, candidate, findings, hash: code.hash })
    if (!(await confirmCommand(io, `Install ${info.manifest.name}?`, input.options))) return 1
    if (input.options['verify'] !== false) await verifyStaged(ctx, candidate.dir, info.manifest.name, input, io)
    io.signal.throwIfAborted()
    const placed = candidate.place(info.manifest.name)
    const subject = { ...info, dir: placed.dir }
    const change = await agreedChange(ctx, input, subject, code.hash).catch(async (error) => {
      await ctx.use(Consents).forget(subject)
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

function parseSource(spec: string, cwd: string): Source {
  const path = resolve(cwd, spec)
  const looksLocal = /^(\.{0,2}[\\/]|\.{1,2}$|[A-Za-z]:[\\/])/.test(spec) || /\.(tgz|tar\.gz)$/.test(spec)
  const stat = existsSync(path) ? statSync(path) : undefined
  if (stat?.isDirectory()) return { kind: 'folder', path }
  if (stat?.isFile() && /\.(tgz|tar\.gz)$/.test(path)) return { kind: 'tarball', path }
  if (stat || looksLocal)
    throw new SvcError('PLUGIN_FOLDER', `${path} is ${stat ? 'neither a folder nor a .tgz file' : 'not there'}.`)
  if (packageSpec.test(spec)) return { kind: 'package', spec }
  const known = 'a folder (./my-plugin), a tarball (my-plugin-1.0.0.tgz) or an npm package (name, name@version)'
  throw new SvcError('PLUGIN_SPEC', `"${spec}" is not one of these: ${known}.`, { status: 400 })
}

function stageSource(ctx: Context, source: Source, staging: Staging, io: CliContext): Promise<Candidate> {
  return source.kind === 'folder' ? stageFolder(ctx, source.path, staging, io) : stagePackage(ctx, source, staging, io)
}

async function stageFolder(ctx: Context, path: string, staging: Staging, io: CliContext): Promise<Candidate> {
  const dir = join(staging.home, 'plugins', readManifestName(path) ?? 'unnamed')
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

function checkNameIsFree(ctx: Context, name: string): void {
  const other = ctx
    .use(Plugins)
    .list()
    .find(({ manifest }) => manifest.name === name)
  if (!other) return
  const replaceable = other.origin === 'home' || other.origin === 'npm'
  const how = replaceable
    ? `To replace it, first: svc plugins remove ${name}`
    : 'Give this one another name in its plugin.json.'
  throw createNameTaken(`A plugin "${name}" is there already (${other.origin}). ${how}`)
}

function createNameTaken(message: string): SvcError {
  return new SvcError('PLUGIN_NAME_TAKEN', message, { status: 409 })
}

interface InstallPreview {
  readonly source: Source
  readonly candidate: Candidate
  readonly findings: readonly Finding[]
  readonly hash: string
}

function present(
  io: CliContext,
  { manifest }: PluginInfo,
  { source, candidate, findings, hash }: InstallPreview,
): void {
  const from = source.kind === 'package' ? `the npm package ${source.spec}` : source.path
  io.out(`${paint(io, 'bold', manifest.name)} ${safeLine(`${manifest.version}: ${manifest.description}`)}\n`)
  for (const line of [`comes from ${from} (SHA-256 ${hash.slice(0, 16)})`, ...abilities(manifest)])
    io.out(`  ${line}\n`)
  if (candidate.packages.length) io.out(`  brings packages: ${safeLine(candidate.packages.join(', '))}\n`)
  if (!findings.length) return
  io.out('Seen in its code\n')
  for (const { what, file, line, count } of findings) {
    const more = count > 1 ? ` and ${count - 1} more` : ''
    io.out(`  ${paint(io, 'yellow', safeLine(`${what}: ${file}:${line}${more}`))}\n`)
  }
}

async function verifyStaged(
  ctx: Context,
  dir: string,
  name: string,
  input: CliArguments,
  io: CliContext,
): Promise<void> {
  const report = await runKit(ctx, dir, io)
  if (!report.ok) {
    const how = 'To install it all the same: --no-verify'
    throw new SvcError('PLUGIN_VERIFY_FAILED', `${name} was not installed. ${failedCases(report).join('; ')}. ${how}`)
  }
  if (!hasFlag(input, 'json')) io.out(`${name} keeps the contracts of svc (${report.cases.length} cases).\n`)
}

/** The consent is recorded first: a process that sees the switch must know it. */
async function agreedChange(
  ctx: Context,
  input: CliArguments,
  info: PluginInfo,
  hash: string,
): Promise<ConfigChange | undefined> {
  if (input.options['enable'] === false) return undefined
  await record(ctx, info, hash)
  return writeSwitch(ctx, info, 'on')
}

function report(
  input: CliArguments,
  io: CliContext,
  result: { name: string; dir: string; findings: readonly Finding[] },
  switched: SwitchedOn | undefined,
): void {
  const { name, dir } = result
  if (hasFlag(input, 'json')) {
    printJson(io, { ...result, enabled: switched !== undefined, ...switched })
    return
  }
  io.out(`Installed in ${dir}\n`)
  if (switched) printSwitchedOn(io, name, switched)
  else io.out(`It does not run yet: svc plugins enable ${name}\n`)
}
