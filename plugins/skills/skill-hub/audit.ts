/** `svc skills inspect` and `svc skills audit`. Neither changes a skill. */
import { type CliArguments, type CliContext, SvcError } from 'svc/sdk'
import { formatColumns, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { AuditedSkill, SkillHub, UnauditedSkill } from './hub.ts'
import { formatCandidate, formatFindings, toJson } from './report.ts'
import { resolveIdentifier } from './sources/local.ts'

const NEXT = {
  allow: 'It can be installed.',
  forced: 'It is installed with --force only.',
  block: 'It cannot be installed.',
} as const

export async function inspectSkill(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  return await hub.inspect(resolveIdentifier(input.args[0] ?? '', io.cwd), io.signal, async (scanned) => {
    const candidate = hasFlag(input, 'deep') ? await hub.review(scanned, io.signal) : scanned
    if (hasFlag(input, 'json')) printJson(io, toJson(candidate))
    else {
      io.out(formatCandidate(candidate, io))
      io.out(`${NEXT[candidate.decision]} Nothing was installed.\n`)
    }
    return 0
  })
}

/** Exit code 1 when one is worse than at its installation, or cannot be scanned. */
export async function auditSkills(hub: SkillHub, input: CliArguments, io: CliContext): Promise<number> {
  const [wanted] = input.args
  if (wanted !== undefined && !hub.installed[wanted])
    throw new SvcError('SKILL_NOT_INSTALLED', `No skill ${safeLine(wanted)} was installed from elsewhere.`, {
      status: 404,
    })
  const isDeep = hasFlag(input, 'deep')
  if (isDeep && wanted === undefined)
    throw new SvcError('CLI_USAGE', 'A model is asked about one skill at a time: give its name with --deep.')
  const names = wanted === undefined ? Object.keys(hub.installed).sort() : [wanted]
  const results: Result[] = []
  for (const name of names)
    results.push(isDeep ? await hub.audit(name, io.signal, true) : await hub.tryAudit(name, io.signal))
  if (hasFlag(input, 'json')) printJson(io, { skills: results })
  else if (results.length === 0) io.out('No skills were installed from elsewhere.\n')
  else printResults(results, io)
  return results.some((each) => 'reason' in each || each.isWorse) ? 1 : 0
}

type Result = AuditedSkill | UnauditedSkill

function printResults(results: readonly Result[], io: CliContext): void {
  const rows = results.map((each) =>
    'reason' in each
      ? [each.name, 'not scanned', '', safeLine(each.reason)]
      : [each.name, each.verdict, each.before, each.local],
  )
  io.out(`${formatColumns([['NAME', 'SCAN', 'AT INSTALLATION', 'HERE'], ...rows]).join('\n')}\n`)
  for (const each of results) {
    if ('reason' in each || each.findings.length === 0) continue
    io.out(`\n${each.name}\n${formatFindings(each.findings, io).join('\n')}\n`)
  }
  const worse = results.flatMap((each) => ('reason' in each || !each.isWorse ? [] : [each.name]))
  if (worse.length > 0)
    io.out(`\nWorse than at installation: ${worse.join(', ')}. \`svc skills remove NAME\` takes one away.\n`)
}
