/** `svc plugins update [NAME]`: the new version is shown, agreed to and verified before the old one stops being active. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  confirmCommand,
  errorMessage,
  logFault,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { type ConsentChange, Consents } from 'svc/sdk/safety'
import { checkInstallation } from './check-installation.ts'
import { differenceLines } from './code-difference.ts'
import { scanFolder } from './code-findings.ts'
import { record } from './consent.ts'
import { listPluginFiles } from './folder.ts'
import { createVersion, presentContent, verifyStaged } from './install.ts'
import { describeInstalled, readOption } from './installed.ts'
import { lookForNewer, outdated } from './outdated.ts'
import { abilities, findPlugin } from './plugin-relations.ts'
import { exitCode, type ProcessOutcome, printOutcomes } from './running-processes.ts'
import { getBlockPath } from './settings.ts'
import { childRun } from './sources/child.ts'
import { type Candidate, fetchCandidate } from './sources/fetch.ts'
import type { Newest } from './sources/newest.ts'
import { findNewest } from './sources/newest.ts'
import { formatExactSource, parseSource, type Source } from './sources/source.ts'
import { inspectStaged, Staging } from './staging.ts'
import { changeVersion, dropVersion } from './versions/change.ts'
import { findVersion, type Installed, type InstalledVersion } from './versions/records.ts'
import { findSlot, storeVersion } from './versions/slot.ts'

type Context = PluginContext<undefined>

/** What an update did, as programs are told it. */
interface UpdateResult {
  readonly name: string
  /** `declined`: the user said no. */
  readonly outcome: 'updated' | 'current' | 'pinned' | 'declined' | 'failed'
  readonly from?: string
  readonly to?: string
  readonly note?: string
  readonly processes?: readonly ProcessOutcome[]
}

export async function update(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  if (hasFlag(input, 'check')) return outdated(ctx, input, io)
  const [name] = input.args
  if (name === undefined) return updateAll(ctx, input, io)
  const result = await updateOne(ctx, name, input, io)
  if (hasFlag(input, 'json')) printJson(io, result)
  return result.outcome === 'declined' ? 1 : exitCode(result.processes ?? [])
}

async function updateAll(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  if (readOption(input, 'from') !== undefined)
    throw new SvcError('CLI_USAGE', '--from needs the name of a plugin: svc plugins update NAME --from SPEC')
  const results: UpdateResult[] = []
  for (const { name, status, note } of await lookForNewer(ctx, undefined, io)) {
    if (status !== 'newer' && status !== 'moved') continue
    try {
      results.push(await updateOne(ctx, name, input, io))
    } catch (error) {
      io.signal.throwIfAborted()
      logFault(ctx.log, `${name} was not updated`, error)
      io.err(`${safeLine(`${name} was not updated: ${errorMessage(error)}`)}\n`)
      results.push({ name, outcome: 'failed', note: note ?? errorMessage(error) })
    }
  }
  if (hasFlag(input, 'json')) printJson(io, results)
  else if (!results.length) io.out('No installed plugin has a newer version.\n')
  return results.some(({ outcome }) => outcome === 'failed' || outcome === 'declined') ? 1 : 0
}

async function updateOne(ctx: Context, name: string, input: CliArguments, io: CliContext): Promise<UpdateResult> {
  const staging = await Staging.open(ctx)
  try {
    const info = await findPlugin(ctx, name)
    const installed = await describeInstalled(ctx, info)
    const current = findVersion(installed, installed.current)
    if (!current) throw new SvcError('PLUGIN_RECORD', `The record of ${name} does not name its version. Use --from.`)
    const chosen = await chooseSource(ctx, current, name, { input, io, staging })
    if ('outcome' in chosen) return chosen
    const candidate = await fetchCandidate(ctx, chosen, staging, io)
    return await replace(ctx, { info, installed, current, candidate, staging }, input, io)
  } finally {
    staging.close()
  }
}

interface Choosing {
  readonly input: CliArguments
  readonly io: CliContext
  readonly staging: Staging
}

/** What to install; or the result, when there is nothing newer. */
async function chooseSource(
  ctx: Context,
  { source, version }: InstalledVersion,
  name: string,
  { input, io, staging }: Choosing,
): Promise<Source | UpdateResult> {
  const from = readOption(input, 'from')
  if (from !== undefined) return parseSource(from, io.cwd)
  if (!source) {
    const how = `Name it: svc plugins update ${name} --from SPEC`
    throw new SvcError('PLUGIN_SOURCE_UNKNOWN', `Where ${name} came from is not recorded. ${how}`, { status: 400 })
  }
  const newest = await findNewest(source, { ctx, version, run: childRun(ctx, io), cwd: staging.work })
  if (newest.status === 'unknown')
    throw new SvcError(
      'PLUGIN_SOURCE_UNKNOWN',
      `${name} was not updated: ${newest.note ?? 'its source cannot be read'}`,
    )
  if (newest.status === 'moved') await acceptMovedTag(name, newest, input, io)
  // The files of a folder may differ although its version is the same.
  if (newest.status === 'newer' || newest.status === 'moved' || source.kind === 'folder') return newest.source
  const outcome = newest.status === 'pinned' ? 'pinned' : 'current'
  const note = newest.note === undefined ? '' : ` (${newest.note})`
  if (!hasFlag(input, 'json'))
    io.out(`${safeLine(`${name} ${version} is ${outcome === 'pinned' ? 'an exact version' : 'the newest'}${note}.`)}\n`)
  return { name, outcome, from: version, ...(newest.note !== undefined && { note: newest.note }) }
}

/** Tags are expected to stay. A moved one may mean that an attacker writes to the repository, so `--yes` does not cover it. */
async function acceptMovedTag(name: string, { note }: Newest, input: CliArguments, io: CliContext): Promise<void> {
  if (hasFlag(input, 'movedTag')) return
  const how = `Ask its author; to update all the same: svc plugins update ${name} --moved-tag`
  const refused = new SvcError('PLUGIN_TAG_MOVED', `${name} was not updated: ${note ?? 'its tag moved'}. ${how}`, {
    status: 409,
  })
  if (!io.interactive || hasFlag(input, 'json')) throw refused
  if (!(await confirmCommand(io, `${name}: ${note}. Use it?`, {}))) throw refused
}

interface Replacement {
  readonly info: PluginInfo
  readonly installed: Installed
  readonly current: InstalledVersion
  readonly candidate: Candidate
  readonly staging: Staging
}

async function replace(
  ctx: Context,
  { info, installed, current, candidate, staging }: Replacement,
  input: CliArguments,
  io: CliContext,
): Promise<UpdateResult> {
  const { name } = installed
  const fresh = await inspectStaged(staging.home, candidate.dir)
  checkSamePlugin(installed, fresh, candidate)
  const { hash } = await ctx.use(Consents).inspect(fresh)
  const replaced = { ...createVersion(ctx, fresh, candidate, hash), replaced: current.id }
  const basics = { name, from: current.version, to: replaced.version }
  if (replaced.id === current.id) {
    if (!hasFlag(input, 'json')) io.out(`${name} ${current.version} has this code already.\n`)
    return { ...basics, outcome: 'current' }
  }
  if (!hasFlag(input, 'json')) await present(io, { info, fresh, candidate, current, installed })
  await checkInstallation(ctx, { kind: 'update', info: fresh, candidate, hash }, io)
  const question = `Update ${name} from ${current.version} to ${replaced.version}?`
  if (!(await confirmCommand(io, question, input.options))) return { ...basics, outcome: 'declined' }
  if (input.options['verify'] !== false) await verifyStaged(ctx, candidate, name, input, io)
  io.signal.throwIfAborted()
  const slot = findSlot(ctx, name, installed)
  const dir = storeVersion(slot, replaced.id, candidate.dir)
  const after = {
    ...installed,
    current: replaced.id,
    versions: [...installed.versions.filter(({ id }) => id !== replaced.id), replaced],
  }
  const block = getBlockPath(info)
  const change = { kind: 'update', name, block, before: installed, after, from: current, to: replaced } as const
  try {
    await record(ctx, { ...fresh, origin: slot.origin, dir }, hash)
  } catch (error) {
    if (!findVersion(installed, replaced.id)) await dropVersion(ctx, slot, name, replaced.id)
    throw error
  }
  const processes = await changeVersion(ctx, change)
  if (!hasFlag(input, 'json')) {
    io.out(`${name} is ${replaced.version} now. To go back: svc plugins rollback ${name}\n`)
    printOutcomes(io, processes)
  }
  return { ...basics, outcome: 'updated', processes }
}

function checkSamePlugin({ name, origin, packageName }: Installed, fresh: PluginInfo, candidate: Candidate): void {
  const other = fresh.manifest.name
  if (other !== name)
    throw new SvcError('PLUGIN_NAME_TAKEN', `That is the plugin "${other}", not "${name}". Nothing was changed.`)
  if (candidate.origin === origin && candidate.packageName === packageName) return
  const was = packageName === undefined ? 'a folder' : `the npm package ${packageName}`
  const is = candidate.packageName === undefined ? 'a folder' : `the npm package ${candidate.packageName}`
  const how = `To change that, remove and install it; data and settings stay: svc plugins remove ${name}`
  throw new SvcError('PLUGIN_NAME_TAKEN', `${name} was installed as ${was}, and this is ${is}. ${how}`)
}

async function present(
  io: CliContext,
  { info, fresh, candidate, current, installed }: Omit<Replacement, 'staging'> & { readonly fresh: PluginInfo },
): Promise<void> {
  const { name, version } = fresh.manifest
  io.out(`${paint(io, 'bold', name)} ${safeLine(`${current.version} -> ${version}`)}\n`)
  io.out(`  ${safeLine(`comes from ${formatExactSource(candidate.source)}`)}\n`)
  const { default: semver } = await import('semver')
  if (semver.valid(version) && semver.valid(current.version) && semver.lt(version, current.version)) {
    const older = installed.versions.find((each) => each.version === version)
    const how = older ? `; to go back with the data of then: svc plugins rollback ${name}` : ''
    const text = `${version} is older. It may not be able to read what ${current.version} wrote${how}`
    io.out(`  ${paint(io, 'yellow', safeLine(text))}\n`)
  }
  const [before, after] = [abilities(info.manifest), abilities(fresh.manifest)]
  for (const line of after) if (!before.includes(line)) io.out(`  ${paint(io, 'yellow', `new: ${line}`)}\n`)
  for (const line of before) if (!after.includes(line)) io.out(`  no longer: ${line}\n`)
  presentContent(io, candidate, scanFolder(candidate.dir))
  io.out('What changes in its files\n')
  for (const line of differenceLines(compareFolders(info.dir, candidate.dir))) io.out(`  ${line}\n`)
}

/** Texts are given for small files only. */
function compareFolders(before: string, after: string): ConsentChange[] {
  const [old, fresh] = [readTexts(before), readTexts(after)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  return names.flatMap((file): ConsentChange[] => {
    const [was, is] = [old.get(file), fresh.get(file)]
    if (was !== undefined && is !== undefined && was.equals(is)) return []
    const what = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    return [{ file, what, ...(isShown(was) && { before: String(was) }), ...(isShown(is) && { after: String(is) }) }]
  })
}

function isShown(text: Buffer | undefined): text is Buffer {
  return text !== undefined && text.length <= 64 * 1024 && !text.includes(0)
}

function readTexts(dir: string): Map<string, Buffer> {
  const files = listPluginFiles(dir).filter(({ kind, path }) => kind === 'file' && existsSync(join(dir, path)))
  return new Map(files.map(({ path }) => [path, readFileSync(join(dir, path))]))
}
