/** What people read of a skill before they decide. */
import type { CliContext } from 'svc/sdk'
import { formatColumns, formatCount, formatMegabytes, paint, safeLine, wrapText } from 'svc/sdk/kit/terminal'
import type { SkillFinding, SkillFolder, SkillScan } from 'svc/sdk/skills'
import type { Candidate } from './hub.ts'

const COLORS = { low: 'dim', medium: 'yellow', high: 'red', critical: 'red' } as const
const MAX_SHOWN = 20

export function formatCandidate({ fetched, skill, scan }: Candidate, io: CliContext): string {
  const { header } = skill
  const rows = [
    ['name', header.name],
    ['description', safeLine(header.description)],
    ['from', safeLine(fetched.identifier)],
    ['trust', fetched.trust],
    ['files', formatFiles(skill)],
    ...formatNeeds(skill),
    ['hash', skill.hash],
    ['scan', formatVerdict(scan)],
  ]
  return `${[...formatColumns(rows), ...formatFindings(scan.findings, io)].join('\n')}\n`
}

function formatFiles({ files }: SkillFolder): string {
  const scripts = files
    .filter(({ path }) => /\.(?:sh|py|js|mjs|cjs|ts|ps1|rb|pl|bat)$/i.test(path))
    .map(({ path }) => safeLine(path))
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0)
  return `${formatCount(files.length, 'file')}, ${formatMegabytes(bytes)}${scripts.length ? `; scripts: ${scripts.join(', ')}` : ''}`
}

/** What it may touch. */
function formatNeeds({ header }: SkillFolder): string[][] {
  const rows: string[][] = []
  if (header.variables.length)
    rows.push(['reads variables', header.variables.map(({ name }) => safeLine(name)).join(', ')])
  if (header.commands.length) rows.push(['needs programs', header.commands.map((each) => safeLine(each)).join(', ')])
  if (header.conditions.requiresTools?.length)
    rows.push(['needs tools', header.conditions.requiresTools.map((each) => safeLine(each)).join(', ')])
  return rows
}

function formatVerdict({ verdict, findings }: SkillScan): string {
  return `${verdict}, ${formatCount(findings.length, 'finding')}`
}

export function formatFindings(findings: readonly SkillFinding[], io: CliContext): string[] {
  const shown = findings
    .slice(0, MAX_SHOWN)
    .flatMap(({ severity, rule, path, line, message, excerpt }) => [
      paint(
        io,
        COLORS[severity],
        `${severity.toUpperCase()}  ${rule}  ${safeLine(path || 'the skill')}${line === undefined ? '' : `:${line}`}`,
      ),
      wrapText(io, `  It ${safeLine(message)}${excerpt ? `: ${safeLine(excerpt)}` : ''}`, '  '),
    ])
  const rest = findings.length - MAX_SHOWN
  return rest > 0 ? [...shown, `and ${formatCount(rest, 'more finding', 'more findings')}`] : shown
}

export function toJson({ fetched, skill, scan, decision }: Candidate): object {
  return {
    identifier: fetched.identifier,
    source: fetched.source,
    trust: fetched.trust,
    name: skill.header.name,
    description: skill.header.description,
    files: skill.files,
    warnings: skill.warnings,
    hash: skill.hash,
    verdict: scan.verdict,
    findings: scan.findings,
    decision,
  }
}
