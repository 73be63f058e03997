/** `svc skills check` and `svc skills update`. */
import { type CliArguments, type CliContext, confirmCommand } from 'svc/sdk'
import { formatColumns, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import { diffFolders } from './difference.ts'
import type { Candidate, SkillCheck, SkillHub } from './hub.ts'
import { checkAllowed } from './install.ts'
import type { LockEntry } from './lock.ts'
import { formatFindings } from './report.ts'

interface Checked extends SkillCheck {
  /** What the newer version changes of what was installed. */
  readonly diff?: string
  /** What was changed here since. */
  readonly edits?: string
}

export async function checkSkills(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const checked: Checked[] = []
  for (const name of listNames(hub, input)) checked.push(await checkOne(hub, name, io.signal))
  if (hasFlag(input, 'json')) {
    printJson(io, { skills: checked.map(({ entry, ...each }) => ({ ...each, ...entry })) })
    return 0
  }
  if (checked.length === 0) {
    io.out('No skills were installed from elsewhere. `svc skills search QUERY` finds some.\n')
    return 0
  }
  const rows = checked.map(({ name, status, local, entry }) => [name, status, local, safeLine(entry.identifier)])
  io.out(`${formatColumns([['NAME', 'SOURCE', 'HERE', 'FROM'], ...rows]).join('\n')}\n`)
  for (const { name, reason } of checked) if (reason !== undefined) io.out(`${name}: ${safeLine(reason)}\n`)
  if (hasFlag(input, 'diff'))
    await printParts(
      io,
      checked.flatMap((each) => formatDiffs(each)),
    )
  return 0
}

function formatDiffs({ name, diff, edits }: Checked): string[] {
  const parts: string[] = []
  if (diff) parts.push(`\nNewer version of ${name}:\n${safeBlock(diff)}\n`)
  if (edits) parts.push(`\nYour edits of ${name}:\n${safeBlock(edits)}\n`)
  return parts
}

function listNames(hub: SkillHub, { args }: CliArguments): string[] {
  return args[0] === undefined ? Object.keys(hub.installed).sort() : [args[0]]
}

async function checkOne(hub: SkillHub, name: string, signal: AbortSignal): Promise<Checked> {
  let diff: string | undefined
  const check = await hub.check(name, signal, async (newer) => {
    diff = diffFolders(hub.findBase(name), newer.folder)
  })
  const edits = check.local === 'edited' ? diffFolders(hub.findBase(name), check.folder) : undefined
  return { ...check, ...(diff !== undefined && { diff }), ...(edits !== undefined && { edits }) }
}

type Outcome = 'updated' | 'up_to_date' | 'edited' | 'missing' | 'unavailable' | 'declined'

const FAILED: ReadonlySet<Outcome> = new Set<Outcome>(['edited', 'unavailable', 'declined'])

export async function updateSkills(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const results: Record<string, Outcome> = {}
  const isJson = hasFlag(input, 'json')
  for (const name of listNames(hub, input)) {
    results[name] = await updateOne(hub, name, input, io)
    if (!isJson) io.out(`${name}: ${explain(results[name], name)}\n`)
  }
  if (isJson) printJson(io, { skills: results })
  else if (Object.keys(results).length === 0) io.out('No skills were installed from elsewhere.\n')
  return Object.values(results).some((each) => FAILED.has(each)) ? 1 : 0
}

function explain(outcome: Outcome, name: string): string {
  switch (outcome) {
    case 'updated':
      return 'updated'
    case 'up_to_date':
      return 'there is no newer version'
    case 'edited':
      return `left as it is, because you edited it. \`svc skills check ${name} --diff\` shows your edits and the newer version.`
    case 'missing':
      return `its folder is gone. \`svc skills remove ${name}\` forgets it.`
    case 'unavailable':
      return `its source cannot be read. \`svc skills check ${name}\` says why.`
    case 'declined':
      return 'left as it is'
  }
}

async function updateOne(hub: SkillHub, name: string, input: CliArguments, io: CliContext): Promise<Outcome> {
  let outcome: Outcome | undefined
  const check = await hub.check(name, io.signal, async (newer, { local, entry }) => {
    if (local === 'unchanged') outcome = await replace(hub, { name, entry }, newer, input, io)
  })
  if (outcome) return outcome
  if (check.status === 'unavailable') return 'unavailable'
  if (check.status === 'up_to_date' && check.local === 'unchanged') return 'up_to_date'
  if (check.local === 'missing') return 'missing'
  return check.status === 'up_to_date' ? 'up_to_date' : 'edited'
}

async function replace(
  hub: SkillHub,
  { name, entry }: { readonly name: string; readonly entry: LockEntry },
  newer: Candidate,
  input: CliArguments,
  io: CliContext,
): Promise<Outcome> {
  checkAllowed(newer, hasFlag(input, 'force'))
  const show = () =>
    io.out(
      `${safeBlock(diffFolders(hub.findBase(name), newer.folder))}\n${formatFindings(newer.scan.findings, io).join('\n')}\n`,
    )
  if (!hasFlag(input, 'json') && input.options['yes'] === true) show()
  if (!(await confirmCommand(io, `Replace ${name} by this version?`, input.options, show))) return 'declined'
  await hub.install(newer, name, entry.path, entry)
  return 'updated'
}
