/** `svc usage`: what was spent; `svc budget confirm`: continues after the ledger was lost. */
import { type CliCommand, type CliContext, type Clock, confirmCommand, SvcError } from 'svc/sdk'
import { type Ledger, type Summary, type SummaryColumn, summaryColumns } from './ledger.ts'

const DAY_MS = 86_400_000

export function usageCommand(ledger: Ledger, clock: () => Clock): CliCommand {
  return {
    name: 'usage',
    description: 'Show spending by provider, model and purpose. Unknown prices are never shown as zero',
    options: [
      { flags: '--by <column>', description: `One of ${Object.keys(summaryColumns).join(', ')} (default model)` },
      { flags: '--days <count>', description: 'Number of days to include (default 30)' },
      { flags: '--json', description: 'As JSON' },
    ],
    examples: ['usage', 'usage --by day --days 7', 'usage --by session --json'],
    async run({ options }, io) {
      const by = parseColumn(options['by'] ?? 'model')
      const days = parseDays(options['days'] ?? '30')
      const rows = ledger.summary(by, clock().now() - days * DAY_MS)
      if (options['json'] === true) io.out(`${JSON.stringify({ by, days, rows })}\n`)
      else print(io, rows, days)
    },
  }
}

export function budgetCommand(ledger: Ledger): CliCommand {
  return {
    name: 'budget',
    description: 'Goes on after the record of what was spent was lost.',
    subcommands: [
      {
        name: 'confirm',
        description: 'Lets caps count from now on, after the record of what was spent was removed or emptied',
        options: [{ flags: '-y, --yes', description: 'Do not ask' }],
        examples: ['budget confirm'],
        async run({ options }, io) {
          const question = 'Caps count from now on, and what was spent before in their time is forgotten. Go on?'
          if (!(await confirmCommand(io, question, options))) return 1
          io.out(ledger.accept() ? 'Caps count from now on.\n' : 'Nothing was lost; caps count as before.\n')
          return 0
        },
      },
    ],
  }
}

function parseColumn(text: unknown): SummaryColumn {
  if (typeof text === 'string' && Object.hasOwn(summaryColumns, text)) return text as SummaryColumn
  const all = Object.keys(summaryColumns).join(', ')
  throw new SvcError('USAGE_UNKNOWN_COLUMN', `Cannot group by "${text}". Choose one of: ${all}.`)
}

function parseDays(text: unknown): number {
  const days = Number(text)
  if (days > 0 && days < 100_000) return days
  throw new SvcError('CLI_USAGE', `--days takes a number above zero, not "${text}".`)
}

function print(io: CliContext, rows: readonly Summary[], days: number): void {
  if (rows.length === 0) {
    io.out(`Nothing was spent in the last ${days} days.\n`)
    return
  }
  const cells = rows.map((row) => [row.name, `${row.calls}`, count(row.input), count(row.output), describeCost(row)])
  const table = [['', 'calls', 'read', 'written', 'cost'], ...cells]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  for (const line of table)
    io.out(
      `${line
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd()}\n`,
    )
}

const pad = (cell: string, width: number, column: number) =>
  column === 0 || column === 4 ? cell.padEnd(width) : cell.padStart(width)

const count = (tokens: number | undefined) => (tokens === undefined ? '?' : tokens.toLocaleString('en'))

/** "$0.42", "$0.42 and 3 calls of unknown price", "unknown (3 calls)". */
export function describeCost({ costUsd, unpricedCalls = 0, unsettled }: Summary): string {
  const unknown = unpricedCalls + unsettled
  const calls = `${unknown} ${unknown === 1 ? 'call' : 'calls'}`
  if (costUsd === undefined) return `unknown (${calls})`
  const known = `$${costUsd.toFixed(4)}`
  return unknown > 0 ? `${known} and ${calls} of unknown price` : known
}
