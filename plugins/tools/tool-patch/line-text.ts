/** A text seen with plain line feeds, and changes of it that leave every other byte alone. Pure. */

/** A piece of the plain text and what stands there afterwards. Both with plain line feeds. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text with its byte order mark and carriage returns put aside. */
export interface LineText {
  /** Without byte order mark, every line end a line feed. */
  readonly plain: string
  readonly lines: readonly string[]
  /** Where each line begins in `plain`. */
  readonly starts: readonly number[]
}

const MARK = '\uFEFF'

export function plainText(text: string): string {
  return (text.startsWith(MARK) ? text.slice(1) : text).replaceAll('\r\n', '\n')
}

/** Opens a text. A line feed at its end begins no further line. */
export function openText(text: string): LineText {
  const plain = plainText(text)
  const lines = plain.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const starts: number[] = []
  let at = 0
  for (const line of lines) {
    starts.push(at)
    at += line.length + 1
  }
  return { plain, lines, starts }
}

/** Makes the edits, which must be in order and apart. New lines end as the lines they replace did, or as most do. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const origin = createPositionMap(text)
  const usual = usualEnd(text)
  const parts: string[] = []
  let from = 0
  for (const edit of edits) {
    const [start, end] = [origin(edit.start), origin(edit.end)]
    const firstEnd = /\r?\n/.exec(text.slice(start, end))?.[0] ?? usual
    parts.push(text.slice(from, start), edit.text.replaceAll('\n', firstEnd))
    from = end
  }
  return [...parts, text.slice(from)].join('')
}

/** Turns places of the plain text into places of the text. Ask in rising order of places. */
function createPositionMap(text: string): (place: number) => number {
  let [plainAt, at] = [0, text.startsWith(MARK) ? 1 : 0]
  return (place) => {
    while (plainAt < place) {
      const next = text.indexOf('\r\n', at)
      const step = next === -1 ? place - plainAt : Math.min(next - at, place - plainAt)
      plainAt += step
      at += step
      if (plainAt < place) {
        plainAt++
        at += 2
      }
    }
    return at
  }
}

function usualEnd(text: string): '\n' | '\r\n' {
  const feeds = text.split('\n').length - 1
  const returns = text.split('\r\n').length - 1
  return returns * 2 > feeds ? '\r\n' : '\n'
}
