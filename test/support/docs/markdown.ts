/** Pieces of Markdown, and the markers between which they are generated. */

/** A table; a cell may hold anything that fits on a line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
}

export function code(text: string): string {
  if (text === '') return ''
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** The same order on every machine, whatever its language. */
export function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export function codes(texts: readonly string[]): string {
  return texts.map(code).join(', ')
}

/** Names of the markers in a text: `<!-- config:start -->` is `config`. */
export function markersIn(text: string): string[] {
  return [...text.matchAll(/^<!-- ([a-z-]+):start -->$/gm)].map(([, name = '']) => name)
}

/** The text with something new between the markers of a name. Throws when they are missing. */
export function fill(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const from = text.indexOf(`${start}\n`)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the lines "${start}" and "${end}" are missing`)
  return `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`
}
