/** What people and programs are shown of the input of a tool call. Secrets are masked. */

/** Returns a text with its secrets replaced. @since 0.2 */
export type Mask = (text: string) => string

const MAX_LABEL = 80

/**
 * One line for a call: the first text of its input, such as the command, the path or the query. Masked before it is cut, so
 * that no half of a secret is left.
 * @since 0.2
 */
export function toolCallLabel(input: unknown, mask: Mask): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const text = values.find((value) => typeof value === 'string') ?? ''
  const line = mask(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_LABEL ? line : `${line.slice(0, MAX_LABEL - 1)}…`
}

/** The input with its texts masked. @since 0.2 */
export function maskToolInput(input: unknown, mask: Mask): unknown {
  const shown = JSON.stringify(input, (_key, value: unknown) => (typeof value === 'string' ? mask(value) : value))
  return shown === undefined ? undefined : JSON.parse(shown)
}
