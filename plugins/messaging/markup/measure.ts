/** How long a text is, as a platform counts. */
import type { PieceLimits } from 'svc/sdk'

export type Measure = (text: string) => number

const measures: Readonly<Record<NonNullable<PieceLimits['measure']>, Measure>> = {
  utf16: (text) => text.length,
  codepoints: (text) => {
    let count = text.length
    for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1
    return count
  },
  bytes: (text) => Buffer.byteLength(text),
}

export function measureOf({ measure = 'utf16' }: PieceLimits): Measure {
  return measures[measure]
}
