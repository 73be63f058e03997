/** `svc security audit`. */
import { type CliArguments, type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import { formatCount, hasFlag, paint, printJson, safeLine, wrapText } from 'svc/sdk/kit/terminal'
import {
  AUDIT_SEVERITIES,
  type AuditFinding,
  type AuditKind,
  type AuditReport,
  type AuditSeverity,
  type SecurityAudit,
} from 'svc/sdk/safety'

const TIERS: readonly string[] = AUDIT_SEVERITIES.filter((severity) => severity !== 'unknown')
const COLORS = { unknown: 'dim', low: 'dim', moderate: 'yellow', high: 'red', critical: 'red' } as const

export function securityCommand(service: () => SecurityAudit): CliCommand {
  return {
    name: 'security',
    description: 'Look for known vulnerabilities in packages, plugins and MCP servers.',
    examples: ['security audit', 'security audit --fail-on high --json'],
    subcommands: [
      {
        name: 'audit',
        description:
          'Look installed packages, plugins and pinned MCP servers up in the OSV database. Exit code 1 when a finding has at least the severity of --fail-on, 2 when the audit was not possible.',
        options: [
          { flags: '--json', description: 'Print the report as JSON' },
          { flags: '--fail-on <severity>', description: 'low, moderate, high or critical (default)' },
          { flags: '--skip-venv', description: 'Leave out the packages that svc itself runs on' },
          { flags: '--skip-plugins', description: 'Leave out plugins' },
          { flags: '--skip-mcp', description: 'Leave out MCP servers' },
        ],
        examples: ['security audit', 'security audit --fail-on high', 'security audit --json | jq .findings'],
        run: (input, io) => run(service(), input, io),
      },
    ],
  }
}

async function run(service: SecurityAudit, input: CliArguments, io: CliContext): Promise<number> {
  const tier = readTier(input)
  const skip: AuditKind[] = []
  if (hasFlag(input, 'skipVenv')) skip.push('packages')
  if (hasFlag(input, 'skipPlugins')) skip.push('plugins')
  if (hasFlag(input, 'skipMcp')) skip.push('mcp')
  let report: AuditReport
  try {
    report = await service.run({ signal: io.signal, skip, ...showProgress(io) })
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'AUDIT_FAILED') throw error
    io.err(`${wrapText(io, `svc: ${error.message} (${error.code})`, '')}\n`)
    return 2
  }
  if (hasFlag(input, 'json')) printJson(io, toJson(report))
  else io.out(formatReport(report, io))
  return report.findings.some(({ severity }) => reaches(severity, tier)) ? 1 : 0
}

function readTier({ options }: CliArguments): AuditSeverity {
  const value = options['failOn'] ?? 'critical'
  if (typeof value === 'string' && TIERS.includes(value)) return value as AuditSeverity
  throw new SvcError('CLI_USAGE', `--fail-on is ${TIERS.join(', ')}, not ${safeLine(String(value))}.`)
}

function reaches(severity: AuditSeverity, tier: AuditSeverity): boolean {
  return AUDIT_SEVERITIES.indexOf(severity) >= AUDIT_SEVERITIES.indexOf(tier)
}

function showProgress(io: CliContext): { progress?: (done: number, total: number) => void } {
  if (!io.interactive) return {}
  return {
    progress: (done, total) => io.err(`\rReading advisories: ${done} of ${total}${done === total ? '\n' : ''}`),
  }
}

/** The fields that scripts of other agents read. */
function toJson({ scanned, findings, notes }: AuditReport): object {
  return {
    total_components_scanned: scanned,
    finding_count: findings.length,
    findings: findings.map((finding) => ({
      package: finding.name,
      version: finding.version,
      ecosystem: finding.ecosystem,
      source: finding.source,
      vuln_id: finding.advisory,
      severity: finding.severity.toUpperCase(),
      summary: finding.summary,
      fixed_versions: finding.fixedVersions,
    })),
    notes,
  }
}

function formatReport({ scanned, findings, notes }: AuditReport, io: CliContext): string {
  const lines = findings.flatMap((finding) => formatFinding(finding, io))
  if (notes.length) lines.push('Not audited:', ...notes.map((note) => wrapText(io, `  ${safeLine(note)}`, '    ')), '')
  const total = `${formatCount(scanned, 'package')} looked up`
  const counts = [...AUDIT_SEVERITIES].reverse().flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return count ? `${count} ${severity}` : []
  })
  lines.push(
    findings.length
      ? `${total}, ${formatCount(findings.length, 'finding')}: ${counts.join(', ')}`
      : `${total}, no findings`,
  )
  return `${lines.join('\n')}\n`
}

function formatFinding(finding: AuditFinding, io: CliContext): string[] {
  const { name, version, severity, advisory, summary, fixedVersions, source } = finding
  const fix = fixedVersions.length ? `Fixed in ${fixedVersions.join(', ')}` : 'No version fixes it'
  return [
    paint(io, COLORS[severity], `${severity.toUpperCase()}  ${safeLine(`${name} ${version}`)}  ${safeLine(advisory)}`),
    wrapText(io, `  ${safeLine(summary)}`, '  '),
    wrapText(io, `  ${safeLine(fix)}. From: ${safeLine(source)}`, '  '),
    '',
  ]
}
