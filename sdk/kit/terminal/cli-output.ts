/** The common forms of what commands print. */
import type { CliArguments, CliContext } from '../../cli.ts'
import { safeJson, safeLine } from './safe-text.ts'

/** A style of `paint`. @since 0.1 */
export type TextStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const CODES: Readonly<Record<TextStyle, string>> = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' }

/** Styles a text if the terminal shows colours. `CliIo.color` follows https://no-color.org. @since 0.1 */
export function paint(io: Pick<CliContext, 'color'>, style: TextStyle | undefined, text: string): string {
  return io.color && style ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text
}

/** Characters that are written at once. */
const CHUNK = 65_536

/** Prints a long output part by part, no faster than it is read. @since 0.1 */
export async function printParts(io: Pick<CliContext, 'out' | 'drained'>, parts: Iterable<string>): Promise<void> {
  let waiting = ''
  for (const part of parts) {
    waiting += part
    if (waiting.length < CHUNK) continue
    io.out(waiting)
    waiting = ''
    await io.drained()
  }
  io.out(waiting)
  await io.drained()
}

/** Prints a value as indented JSON, for programs. @since 0.1 */
export function printJson(io: Pick<CliContext, 'out'>, value: unknown): void {
  io.out(`${safeJson(value ?? null, 2)}\n`)
}

/** Rows as lines with aligned columns. Cells are made safe; the last column is not padded. @since 0.1 */
export function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(safeLine))
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells.map((row) => {
    const padded = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
    return padded.join('  ').trimEnd()
  })
}

/** A number with its noun: `1 case`, `3,000 cases`. @since 0.1 */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`
}

/** Bytes as megabytes: `12.3 MB`. @since 0.1 */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** A moment (milliseconds since 1970) in local time: `2026-11-24 09:30`, with seconds if asked. @since 0.1 */
export function formatMoment(at: number, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return new Date(at).toLocaleString('sv-SE').slice(0, precision === 'minutes' ? 16 : 19)
}

/** A path as it is typed into a shell. @since 0.1 */
export function quotePath(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)
}

/** Whether a flag without a value was given. @since 0.1 */
export function hasFlag(input: Pick<CliArguments, 'options'>, name: string): boolean {
  return input.options[name] === true
}
