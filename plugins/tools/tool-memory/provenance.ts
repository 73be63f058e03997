/** Where an entry came from, as its first line says. Entries without such a line are the user's own. Pure. */

/** An entry taken apart. */
export interface Entry {
  readonly content: string
  /** Noun phrases; undefined for what was written while nothing foreign had been read. */
  readonly origin?: string
  /** The user has agreed to it. */
  readonly isConfirmed: boolean
}

const LINE = /^\[origin: ([^\]\n]{1,300}?)(; not confirmed)?\]\n/

export function parseEntry(text: string): Entry {
  const [line, origin, open] = LINE.exec(text) ?? []
  if (line === undefined || origin === undefined) return { content: text, isConfirmed: true }
  return { content: text.slice(line.length), origin, isConfirmed: open === undefined }
}

export function formatEntry({ content, origin, isConfirmed }: Entry): string {
  return origin === undefined ? content : `[origin: ${origin}${isConfirmed ? '' : '; not confirmed'}]\n${content}`
}

/** Several origins in one phrase that can stand in the line; undefined without origins. */
export function joinOrigins(origins: readonly string[]): string | undefined {
  const plain = origins
    .map((origin) => origin.replace(/[^\p{L}\p{N} .,:/_-]/gu, '').trim())
    .filter((origin) => origin !== '')
  return plain.length === 0 ? undefined : plain.join(', ').slice(0, 200)
}

/** Whether a text poses as an entry with an origin. */
export function claimsOrigin(text: string): boolean {
  return /^\s*\[origin:/i.test(text)
}
