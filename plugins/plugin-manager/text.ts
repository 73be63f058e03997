/** How `svc plugins` speaks: columns, colours, questions. */
import type { CliInput, CliIo } from 'svc/sdk'

const codes = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' } as const

/** Colours a text when the terminal shows colours. */
export function paint(io: CliIo, style: keyof typeof codes, text: string): string {
  return io.color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}

/** What plugins say of themselves, on one line and without what could steer a terminal. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
}

/** Rows in columns; the last column is not padded. */
export function columns(raw: readonly (readonly string[])[]): string[] {
  const rows = raw.map((row) => row.map(plain))
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => {
    return row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  })
}

/** Words broken into lines that fit the terminal, all but the first indented. */
export function wrap(io: CliIo, text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line.trim() && line.length + 1 + word.length > io.columns) lines.push(`  ${word}`)
    else lines[lines.length - 1] = line.trim() ? `${line} ${word}` : line + word
  }
  return lines.join('\n')
}

/** A count with its noun: `1 case`, `3 cases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A moment (milliseconds since 1970) in local time, to the second. */
export function moment(at: number): string {
  return new Date(at).toLocaleString('sv-SE')
}

/** A path as it is typed into a shell. */
export function quoted(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)
}

export function isSet(input: CliInput, option: string): boolean {
  return input.options[option] === true
}

/** The result as JSON for programs. */
export function printJson(io: CliIo, value: unknown): void {
  io.out(`${JSON.stringify(value, undefined, 2)}\n`)
}
