/** `svc status`. */
import { type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import type { Health } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine, type TextStyle, wrapText } from 'svc/sdk/kit/terminal'
import type { StatusLine, StatusReport } from 'svc/sdk/operations'

type Sections = Awaited<ReturnType<StatusReport['read']>>

export interface StatusDeps {
  readonly report: () => StatusReport
  readonly health: () => Promise<Health | undefined>
}

const STYLES: Readonly<Record<NonNullable<StatusLine['state']>, TextStyle>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
}

export function statusCommand({ report, health }: StatusDeps): CliCommand {
  return {
    name: 'status',
    description: 'Show what is set up and what runs. Exit code 1 when --deep finds a problem.',
    arguments: '[section]',
    options: [
      { flags: '--deep', description: 'Run the checks of svc doctor, too; they ask the model server' },
      { flags: '--json', description: 'Print the result as JSON' },
    ],
    examples: ['status', 'status gateway', 'status --deep', 'status --json | jq .sections'],
    async run(input, io) {
      const read = await report().read(io.signal)
      const shown = chooseSections(read, input.args[0])
      const checked = hasFlag(input, 'deep') ? await readChecks(await health(), io.signal) : []
      const all = [...shown, ...checked]
      const problems = count(all, 'problem')
      if (hasFlag(input, 'json')) printJson(io, { problems, warnings: count(all, 'warning'), sections: all })
      else print(all, io)
      return checked.length > 0 && count(checked, 'problem') > 0 ? 1 : 0
    },
  }
}

/** Throws `STATUS_SECTION_UNKNOWN`. */
function chooseSections(read: Sections, wanted: string | undefined): Sections {
  if (wanted === undefined) return read
  const found = read.filter(({ section }) => section === wanted)
  if (found.length > 0) return found
  const names = read.map(({ section }) => section).join(', ')
  throw new SvcError('STATUS_SECTION_UNKNOWN', `There is no section "${wanted}". Sections: ${names}.`)
}

/** The findings of `svc doctor`, as a section. */
async function readChecks(health: Health | undefined, signal: AbortSignal): Promise<Sections> {
  if (!health) throw new SvcError('STATUS_NO_CHECKS', 'The plugin doctor is off, so nothing can be checked.')
  const checks = await health.run(signal)
  const lines = checks.flatMap(({ title, findings }) =>
    findings.map(({ state, text, fix }) => ({ label: title, text, state, ...(fix !== undefined && { fix }) })),
  )
  return [{ section: 'checks', title: 'Checks', lines }]
}

function count(sections: Sections, state: StatusLine['state']): number {
  return sections.flatMap(({ lines }) => lines).filter((line) => line.state === state).length
}

function print(sections: Sections, io: CliContext): void {
  const width = Math.max(0, ...sections.flatMap(({ lines }) => lines.map(({ label }) => label.length)))
  const indent = ' '.repeat(width + 4)
  for (const [at, { title, lines }] of sections.entries()) {
    io.out(`${at === 0 ? '' : '\n'}${paint(io, 'bold', safeLine(title))}\n`)
    for (const { label, text, state, fix } of lines) {
      const mark = state === 'warning' || state === 'problem' ? '!' : ' '
      const head = paint(io, state && STYLES[state], `${mark} ${safeLine(label).padEnd(width)}`)
      // Colours have no width, so they are added after the text is broken.
      const body = wrapText(io, `${indent}${safeLine(text)}`, indent).slice(indent.length)
      io.out(`${head}  ${body}\n`)
      if (fix !== undefined) io.out(`${wrapText(io, `${indent}-> ${fix}`, `${indent}   `)}\n`)
    }
  }
}
