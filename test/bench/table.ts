/** Rows as text for people. Pure. */
import { contenders, type Row, type Target, verdict } from './row.ts'

const heads = ['work', 'unit', 'floor', 'bare', 'sdk', 'ours', '/ floor', '/ bare', '/ sdk', 'target', '']

/** The table, and below it what could not be measured. */
export function table(rows: readonly Row[]): string {
  const lines = [heads, ...rows.map(cells)]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [head = '', ...rest] = text
  const failures = failureLines(rows)
  return [head, rule.trimEnd(), ...rest, ...(failures.length ? ['', ...failures] : [])].join('\n')
}

/** A number with three digits that matter. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '-'
  const size = Math.abs(value)
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(size >= 10 ? 1 : 2)
}

function cells(row: Row): string[] {
  const { work, unit, values, ratios, target } = row
  const times = (value: number | undefined) => (value === undefined ? '-' : `${value.toFixed(2)} x`)
  return [
    work,
    unit,
    ...contenders.map((name) => (row.failures?.[name] ? 'failed' : figure(values[name]))),
    times(ratios.floor),
    times(ratios.bare),
    times(ratios.sdk),
    target ? limit(target, unit) : '',
    verdict(row) ?? '',
  ]
}

function limit({ max, of, above }: Target, unit: string): string {
  const most = `<= ${max.toLocaleString('en-US')}`
  if (of !== undefined) return `${most} x ${of}`
  return `${most} ${unit}${above === undefined ? '' : ` + ${above}`}`
}

function isText(column: number): boolean {
  return column < 2 || column > 8
}

/** One run may fill several rows; its failure is told once. */
function failureLines(rows: readonly Row[]): string[] {
  const told = new Map<string, string>()
  for (const { work, failures } of rows)
    for (const [name, reason] of Object.entries(failures ?? {})) {
      const text = `${name} failed: ${reason}`
      if (!told.has(text)) told.set(text, `${work}: ${text}`)
    }
  return [...told.values()]
}
