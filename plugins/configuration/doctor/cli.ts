/** `svc doctor`. */
import type { CliCommand, CliContext } from 'svc/sdk'
import type { Health } from 'svc/sdk/host'
import { hasFlag, wrapText } from 'svc/sdk/kit/terminal'
import type { Repaired } from './repair.ts'

type Reports = Awaited<ReturnType<Health['run']>>

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const

export interface DoctorDeps {
  readonly health: () => Health
  readonly repair: (reports: Reports) => Promise<readonly Repaired[]>
}

export function doctorCommand({ health, repair }: DoctorDeps): CliCommand {
  return {
    name: 'doctor',
    description:
      'Check config, keys, model, files, storage, confinement, clock and disk. Exit code 1 when there is a problem.',
    options: [
      {
        flags: '--fix',
        description: 'Repair what needs no decision; what is changed is kept in the trash or in svc config undo',
      },
      { flags: '--json', description: 'Print the result as JSON' },
    ],
    examples: ['doctor', 'doctor --fix', 'doctor --json | jq .problems'],
    async run(input, io) {
      const isFixing = hasFlag(input, 'fix')
      const before = await health().run(io.signal)
      const repaired = isFixing ? await repair(before) : []
      // Checks run again after repairs, since one repair can reveal or end another finding.
      const checks = repaired.length > 0 ? await health().run(io.signal) : before
      const findings = checks.flatMap((check) => check.findings)
      const count = (state: string) => findings.filter((finding) => finding.state === state).length
      const [problems, warnings] = [count('problem'), count('warning')]
      if (hasFlag(input, 'json')) {
        const result = {
          ok: problems === 0,
          problems,
          warnings,
          ...(isFixing && { repaired }),
          checks: checks.map(toData),
        }
        io.out(`${JSON.stringify(result)}\n`)
        return problems === 0 ? 0 : 1
      }
      printReport({ repaired, checks, problems, warnings, isFixing }, io)
      return problems === 0 ? 0 : 1
    },
  }
}

interface Report {
  readonly repaired: readonly Repaired[]
  readonly checks: Reports
  readonly problems: number
  readonly warnings: number
  readonly isFixing: boolean
}

function printReport({ repaired, checks, problems, warnings, isFixing }: Report, io: CliContext): void {
  for (const each of repaired) io.out(`${formatRepair(each, io)}\n`)
  const ending = `${problems === 0 ? 'No problems' : `Problems: ${problems}`}, warnings: ${warnings}\n`
  io.out(`${formatChecks(checks, io)}\n${ending}`)
  const open = isFixing ? 0 : checks.flatMap(({ findings }) => findings).filter((finding) => finding.repair).length
  if (open > 0) io.out(`To repair ${open} of them: svc doctor --fix\n`)
}

function toData({ findings, ...check }: Reports[number]) {
  return {
    ...check,
    findings: findings.map(({ repair, ...finding }) => ({ ...finding, ...(repair && { canRepair: true }) })),
  }
}

function formatRepair({ text, outcome, isFixed }: Repaired, io: CliContext): string {
  return wrapText(io, `${isFixed ? 'repaired' : 'NOT repaired'}  ${text}\n  ${outcome}`, '  ')
}

function formatChecks(checks: Reports, io: CliContext): string {
  const width = Math.max(0, ...checks.map(({ title }) => title.length))
  const indent = ' '.repeat(MARKS.ok.length + width + 4)
  const findings = checks.flatMap(({ title, findings }) => findings.map((finding) => ({ title, ...finding })))
  return findings
    .map(({ title, state, text, fix }) => {
      const lines = [wrapText(io, `${MARKS[state]}  ${title.padEnd(width)}  ${text}`, indent)]
      if (fix !== undefined) lines.push(wrapText(io, `${indent}-> ${fix}`, `${indent}   `))
      return `${lines.join('\n')}\n`
    })
    .join('')
}
