/** What clients are told of a call of a tool: all of its input, or one line of it. Secrets are masked. */

type Mask = (text: string) => string

const MOST_LABEL = 80

/** The first text of the input: the command, the path, the query. Masked before it is cut, so that no half of a secret is left. */
export function labelOf(input: unknown, mask: Mask): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const text = values.find((value) => typeof value === 'string') ?? ''
  const line = mask(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= MOST_LABEL ? line : `${line.slice(0, MOST_LABEL - 1)}…`
}

/** The input with its texts masked. */
export function shownInput(input: unknown, mask: Mask): unknown {
  const shown = JSON.stringify(input, (_key, value: unknown) => (typeof value === 'string' ? mask(value) : value))
  return shown === undefined ? undefined : JSON.parse(shown)
}
