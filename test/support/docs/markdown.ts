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
  return text === '' ? '' : `\`${text}\``
}

export function codes(texts: readonly string[]): string {
  return texts.map(code).join(', ')
}

/** Names of the markers in a text: `<!-- config:start -->` is `config`. */
export function markersIn(text: string): string[] {
  return [...text.matchAll(/^<!-- ([a-z-]+):start -->$/gm)].map(([, name = '']) => name)
}

/** The text with something new between the markers of each name. Throws when a pair of markers is missing. */
export function fill(text: string, sections: Readonly<Record<string, string>>): string {
  let filled = text
  for (const [name, content] of Object.entries(sections)) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
    const from = filled.indexOf(`${start}\n`)
    const to = filled.indexOf(end)
    if (from < 0 || to < from) throw new Error(`the lines "${start}" and "${end}" are missing`)
    filled = `${filled.slice(0, from)}${start}\n\n${content}\n\n${filled.slice(to)}`
  }
  return filled
}
