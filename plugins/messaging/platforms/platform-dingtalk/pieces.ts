/** Text as messages of robots carry it: lines that break, in messages of so many bytes. */

const BACKTICKS = '```'

/** A single line end means nothing in Markdown; two blanks before it make it one. Within a fence it counts already. */
export function withBreaks(text: string): string {
  let isFenced = false
  const lines = text.split('\n')
  return lines
    .map((line, at) => {
      const isMark = line.startsWith(BACKTICKS)
      if (isMark) isFenced = !isFenced
      const next = lines[at + 1]
      const breaks = !isFenced && !isMark && line !== '' && next !== undefined && next !== ''
      return breaks ? `${line}  ` : line
    })
    .join('\n')
}

/** Cut at lines, and within a line only if it alone is too long; never within a character. Each is well-formed. */
export function pieces(text: string, maxBytes: number): readonly string[] {
  if (Buffer.byteLength(text) <= maxBytes) return [text]
  return wholeFences(cutAtLines(text, maxBytes - 2 * (BACKTICKS.length + 1)))
}

/** A fence that was cut is closed, and opened again. */
function wholeFences(parts: readonly string[]): readonly string[] {
  let isOpen = false
  return parts.map((part) => {
    const before = isOpen ? `${BACKTICKS}\n` : ''
    const marks = part.split('\n').filter((line) => line.startsWith(BACKTICKS)).length
    isOpen = isOpen !== (marks % 2 === 1)
    return `${before}${part}${isOpen ? `\n${BACKTICKS}` : ''}`
  })
}

function cutAtLines(text: string, maxBytes: number): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (const line of text.split('\n').flatMap((each) => shortLines(each, maxBytes))) {
    const longer = part === '' ? line : `${part}\n${line}`
    if (Buffer.byteLength(longer) <= maxBytes) part = longer
    else {
      parts.push(part)
      part = line
    }
  }
  return [...parts, part].filter((each) => each.trim() !== '')
}

function shortLines(line: string, maxBytes: number): readonly string[] {
  if (Buffer.byteLength(line) <= maxBytes) return [line]
  const lines: string[] = []
  let start = ''
  let size = 0
  for (const character of line) {
    const bytes = Buffer.byteLength(character)
    if (size + bytes > maxBytes) {
      lines.push(start)
      start = ''
      size = 0
    }
    start += character
    size += bytes
  }
  return [...lines, start]
}
