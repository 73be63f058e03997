/** `svc plugins install SPEC`: fetched and checked aside, agreed to, verified, placed, switched on; or nothing at all. */
import { lstatSync } from 'node:fs'
import { type CliArguments, type CliContext, Clock, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { type ConfigChange, type PluginInfo, Plugins } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { Consents } from 'svc/sdk/safety'
import { checkInstallation } from './check-installation.ts'
import { type Finding, scanFolder } from './code-findings.ts'
import { record } from './consent.ts'
import { announce, printSwitchedOn, type SwitchedOn } from './enable.ts'
import { abilities } from './plugin-relations.ts'
import { exitCode } from './running-processes.ts'
import { getBlockPath } from './settings.ts'
import { type Candidate, fetchCandidate } from './sources/fetch.ts'
import { formatExactSource, parseSource } from './sources/source.ts'
import { inspectStaged, Staging } from './staging.ts'
import { writeSwitch } from './switches.ts'
import { failedCases, runKit } from './verify.ts'
import { changeVersion, dropVersion } from './versions/change.ts'
import { createVersionId, forgetInstalled, type InstalledVersion } from './versions/records.ts'
import { deactivate, findSlot, type Slot, storeVersion } from './versions/slot.ts'

type Context = PluginContext<undefined>

export async function install(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const source = parseSource(input.args[0] as string, io.cwd)
  const staging = await Staging.open(ctx)
  try {
    const candidate = await fetchCandidate(ctx, source, staging, io)
    const info = await inspectStaged(staging.home, candidate.dir)
    const { name } = info.manifest
    checkNameIsFree(ctx, name)
    const findings = scanFolder(candidate.dir)
    const code = await ctx.use(Consents).inspect(info)
    if (!hasFlag(input, 'json')) present(io, info, { candidate, findings, hash: code.hash })
    await checkInstallation(ctx, { kind: 'install', info, candidate, hash: code.hash }, io)
    if (!(await confirmCommand(io, `Install ${name}?`, input.options))) return 1
    if (input.options['verify'] !== false) await verifyStaged(ctx, candidate, name, input, io)
    io.signal.throwIfAborted()
    const slot = findSlot(ctx, name, candidate)
    if (lstatSync(slot.link, { throwIfNoEntry: false }))
      throw new SvcError('PLUGIN_FOLDER', `${slot.link} is in the way. Move it away first.`)
    const version = createVersion(ctx, info, candidate, code.hash)
    const change = await place(ctx, info, { slot, version, candidate, isOn: input.options['enable'] !== false })
    const switched = input.options['enable'] === false ? undefined : await announce(ctx, info, change)
    report(input, io, { name, dir: slot.link, findings }, switched)
    return exitCode(switched?.processes ?? [])
  } finally {
    staging.close()
  }
}

function checkNameIsFree(ctx: Context, name: string): void {
  const other = ctx.use(Plugins).info(name)
  if (!other) return
  const replaceable = other.origin === 'home' || other.origin === 'npm'
  const how = replaceable
    ? `To replace it by another version: svc plugins update ${name} --from SPEC`
    : 'Give this one another name in its plugin.json.'
  const message = `A plugin "${name}" is there already (${other.origin}). ${how}`
  throw new SvcError('PLUGIN_NAME_TAKEN', message, { status: 409 })
}

/** The record of a version that becomes active now. */
export function createVersion(
  ctx: Context,
  { manifest }: PluginInfo,
  { source }: Candidate,
  hash: string,
): InstalledVersion {
  const { version } = manifest
  return { id: createVersionId(version, hash), version, hash, source, at: ctx.use(Clock).now() }
}

interface Placing {
  readonly slot: Slot
  readonly version: InstalledVersion
  readonly candidate: Candidate
  readonly isOn: boolean
}

/** The consent is recorded first: a process that sees the plugin must know it. */
async function place(
  ctx: Context,
  info: PluginInfo,
  { slot, version, candidate, isOn }: Placing,
): Promise<ConfigChange | undefined> {
  const { name } = info.manifest
  const dir = storeVersion(slot, version.id, candidate.dir)
  const { origin, packageName } = slot
  try {
    if (isOn) await record(ctx, { ...info, origin, dir }, version.hash)
    const after = {
      name,
      origin,
      ...(packageName !== undefined && { packageName }),
      current: version.id,
      versions: [version],
    }
    await changeVersion(ctx, { kind: 'install', name, block: getBlockPath(info), after, to: version })
    return isOn ? await writeSwitch(ctx, info, 'on') : undefined
  } catch (error) {
    deactivate(slot)
    forgetInstalled(ctx, name)
    await dropVersion(ctx, slot, name, version.id)
    throw error
  }
}

interface InstallPreview {
  readonly candidate: Candidate
  readonly findings: readonly Finding[]
  readonly hash: string
}

function present(io: CliContext, { manifest }: PluginInfo, { candidate, findings, hash }: InstallPreview): void {
  io.out(`${paint(io, 'bold', manifest.name)} ${safeLine(`${manifest.version}: ${manifest.description}`)}\n`)
  const from = `comes from ${formatExactSource(candidate.source)} (SHA-256 ${hash.slice(0, 16)})`
  for (const line of [from, ...abilities(manifest)]) io.out(`  ${safeLine(line)}\n`)
  presentContent(io, candidate, findings)
}

/** What comes with a plugin, and what its code does at first sight. */
export function presentContent(io: CliContext, { packages, unbuilt }: Candidate, findings: readonly Finding[]): void {
  if (packages.length) io.out(`  brings packages: ${safeLine(packages.join(', '))}\n`)
  if (unbuilt.length) io.out(`  ${paint(io, 'yellow', safeLine(explainUnbuilt(unbuilt)))}\n`)
  if (!findings.length) return
  io.out('Seen in its code\n')
  for (const { what, file, line, count } of findings) {
    const more = count > 1 ? ` and ${count - 1} more` : ''
    io.out(`  ${paint(io, 'yellow', safeLine(`${what}: ${file}:${line}${more}`))}\n`)
  }
}

function explainUnbuilt(names: readonly string[]): string {
  const what = `${names.join(', ')} would have to run an install script, and svc runs none`
  return `${what}: native code works only where the package itself brings it, in prebuilds/ or as an optional package for this machine`
}

/** Throws `PLUGIN_VERIFY_FAILED`, with the reason when native code is missing. */
export async function verifyStaged(
  ctx: Context,
  { dir, unbuilt }: Candidate,
  name: string,
  input: CliArguments,
  io: CliContext,
): Promise<void> {
  const report = await runKit(ctx, dir, io)
  if (!report.ok) {
    const native = unbuilt.length ? ` ${explainUnbuilt(unbuilt)}. For storage, a plugin can use ctx.use(Storage).` : ''
    const how = 'To install it all the same: --no-verify'
    throw new SvcError(
      'PLUGIN_VERIFY_FAILED',
      `${name} was not installed. ${failedCases(report).join('; ')}.${native} ${how}`,
    )
  }
  if (!hasFlag(input, 'json')) io.out(`${name} keeps the contracts of svc (${report.cases.length} cases).\n`)
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
