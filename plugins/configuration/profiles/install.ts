/** `svc profile install` and `update`: a profile whose files come from a git repository. */
import { copyFileSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CliArguments, type CliContext, Clock, confirmCommand, Random } from 'svc/sdk'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { changeProfiles } from './changes.ts'
import { addProfile } from './create.ts'
import { readDescription, writeDescription } from './description.ts'
import {
  type Distribution,
  fetchDistribution,
  hashFile,
  nameSource,
  readRecord,
  refuse,
  writeRecord,
} from './distribution.ts'
import { type GitSource, parseSource } from './git.ts'
import { parseNewName } from './names.ts'
import { copyFiles } from './portable.ts'
import { type Context, findFolder, requireFree } from './profile-folders.ts'
import { judgeSkills } from './scan.ts'

const CONFIG = 'config.yaml'

export async function install(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const source = parseSource(input.args[0] as string)
  const isWithoutSkills = input.options['skills'] === false
  using found = await fetchDistribution(ctx, source, { isWithoutSkills, signal: io.signal })
  const { name: wanted } = input.options
  const name = parseNewName(nameSource(source, typeof wanted === 'string' ? wanted : found.facts.name))
  requireFree(ctx, name)
  // Before the question: what is harmful is not asked about.
  await judgeSkills(ctx, found.dir, { isForced: hasFlag(input, 'force'), isWithoutSkills, signal: io.signal })
  const show = () => showDistribution(io, source, found)
  if (!(await confirmCommand(io, `Create the profile ${name} from it?`, input.options, show))) return 1
  const { dir } = await addProfile(ctx, name, async (draft) => {
    copyFiles(found.dir, draft, found.files)
    const { description } = found.facts
    if (description !== undefined && description.trim() !== '')
      await writeDescription(draft, { description, description_auto: false }, ctx.use(Clock).now())
    await writeRecord(draft, toRecord(source, found, isWithoutSkills))
    return []
  })
  const required = found.facts.env_requires.filter((each) => each.required).map((each) => each.name)
  if (hasFlag(input, 'json')) {
    const { commit, files, skipped } = found
    printJson(io, { ok: true, name, path: dir, commit, files: files.length, skipped, env_requires: required })
    return 0
  }
  io.out(`The profile ${name} is in ${dir}: ${formatCount(found.files.length, 'file')}.\n`)
  for (const variable of required) io.out(`It needs ${variable}: svc -p ${name} config set ${variable} VALUE\n`)
  io.out(`Talk in it: svc -p ${name} chat. Later versions: svc profile update ${name}\n`)
  return 0
}

function showDistribution(io: CliContext, { url, ref }: GitSource, found: Distribution): void {
  const { version, description } = found.facts
  io.out(
    `from      ${safeLine(url)}${ref === undefined ? '' : ` at ${safeLine(ref)}`}, commit ${found.commit.slice(0, 12)}\n`,
  )
  if (version !== undefined) io.out(`version   ${safeLine(version)}\n`)
  if (description !== undefined) io.out(`is for    ${safeLine(description)}\n`)
  for (const { path } of found.files.slice(0, 40)) io.out(`file      ${safeLine(path)}\n`)
  if (found.files.length > 40) io.out(`          and ${found.files.length - 40} more\n`)
  if (found.skipped.length > 0) io.out(`leaves    ${found.skipped.map(safeLine).join(', ')}\n`)
  if (found.files.some(({ path }) => path === CONFIG))
    io.out('Its settings can name programs that svc starts: read its config.yaml if you do not know who wrote it.\n')
}

const toRecord = ({ url, ref }: GitSource, found: Distribution, isWithoutSkills: boolean) => ({
  ...{ url, commit: found.commit, isWithoutSkills },
  ...(ref !== undefined && { ref }),
  ...(found.facts.version !== undefined && { version: found.facts.version }),
  files: Object.fromEntries(found.files.map(({ path }) => [path, hashFile(join(found.dir, path)) ?? ''])),
})

/** What an update does with each file. */
interface Changes {
  readonly written: string[]
  readonly removed: string[]
  /** A person changed them. */
  readonly kept: string[]
}

/** Each file is replaced whole, and the record is written last: an update that was cut is completed by the next one. */
export async function update(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { name, dir } = findFolder(ctx, input.args[0] as string)
  const before = readRecord(dir)
  if (!before) throw refuse(`${name} does not come from a repository, or its distribution.json is damaged`)
  const { isWithoutSkills } = before
  const source = before.ref === undefined ? { url: before.url } : { url: before.url, ref: before.ref }
  using found = await fetchDistribution(ctx, source, { isWithoutSkills, signal: io.signal })
  await judgeSkills(ctx, found.dir, { isForced: hasFlag(input, 'force'), isWithoutSkills, signal: io.signal })
  const changes = compare(dir, found, before.files, hasFlag(input, 'forceConfig'))
  const { written, removed, kept } = changes
  const count = written.length + removed.length
  const show = () => {
    io.out(`from      ${safeLine(source.url)}, commit ${before.commit.slice(0, 12)} to ${found.commit.slice(0, 12)}\n`)
    for (const path of written) io.out(`write     ${safeLine(path)}\n`)
    for (const path of removed) io.out(`remove    ${safeLine(path)}\n`)
    for (const path of kept) io.out(`keep      ${safeLine(path)}, which was changed here\n`)
  }
  if (count > 0 && !(await confirmCommand(io, `Update the profile ${name}?`, input.options, show))) return 1
  await changeProfiles(ctx, async () => {
    for (const path of written) replace(join(found.dir, path), dir, path, ctx.use(Random).hex(4))
    for (const path of removed) rmSync(join(dir, path), { force: true })
    const { description } = found.facts
    const own = readDescription(dir)
    if (description !== undefined && own.description === '')
      await writeDescription(dir, { description, description_auto: false }, ctx.use(Clock).now())
    await writeRecord(dir, toRecord(source, found, isWithoutSkills))
  })
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, commit: found.commit, ...changes })
  else if (count === 0) io.out(`The profile ${name} is up to date, at commit ${found.commit.slice(0, 12)}.\n`)
  else
    io.out(
      `The profile ${name} is updated: ${formatCount(count, 'file')}. What runs in it sees that when it starts again.\n`,
    )
  return 0
}

function compare(
  dir: string,
  found: Distribution,
  before: Readonly<Record<string, string>>,
  isConfigForced: boolean,
): Changes {
  const changes: Changes = { written: [], removed: [], kept: [] }
  for (const { path } of found.files) {
    const [own, next] = [hashFile(join(dir, path)), hashFile(join(found.dir, path))]
    if (own === next) continue
    const isOurs = own === before[path] || (path === CONFIG && isConfigForced)
    changes[isOurs ? 'written' : 'kept'].push(path)
  }
  const paths = new Set(found.files.map(({ path }) => path))
  for (const [path, hash] of Object.entries(before)) {
    if (paths.has(path)) continue
    const own = hashFile(join(dir, path))
    if (own !== undefined) changes[own === hash ? 'removed' : 'kept'].push(path)
  }
  return changes
}

/** Never through a link: the agent of the profile could have made one. */
function replace(from: string, dir: string, path: string, mark: string): void {
  const to = join(dir, path)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  if (realpathSync(dirname(to)) !== join(realpathSync(dir), dirname(path)))
    throw refuse(`${dirname(path)} of the profile is a link`)
  const draft = `${to}.${mark}.draft`
  copyFileSync(from, draft)
  renameSync(draft, to)
}
