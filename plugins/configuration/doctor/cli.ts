/** `svc doctor`. */
import type { CliCommand, CliContext } from 'svc/sdk'
import type { Health } from 'svc/sdk/host'
import { wrapText } from 'svc/sdk/kit/terminal'

type Reports = Awaited<ReturnType<Health['run']>>

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const

export function doctorCommand(health: () => Health): CliCommand {
  return {
    name: 'doctor',
    description:
      'Check config, keys, model, storage, confinement, clock and disk. Exit code 1 when there is a problem.',
    options: [{ flags: '--json', description: 'Print the result as JSON' }],
    examples: ['doctor', 'doctor --json | jq .problems'],
    async run({ options }, io) {
      const checks = await health().run(io.signal)
      const findings = checks.flatMap((check) => check.findings)
      const count = (state: string) => findings.filter((finding) => finding.state === state).length
      const [problems, warnings] = [count('problem'), count('warning')]
      if (options['json'] === true) io.out(`${JSON.stringify({ ok: problems === 0, problems, warnings, checks })}\n`)
      else
        io.out(
          `${formatChecks(checks, io)}\n${problems === 0 ? 'No problems' : `Problems: ${problems}`}, warnings: ${warnings}\n`,
        )
      return problems === 0 ? 0 : 1
    },
  }
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
