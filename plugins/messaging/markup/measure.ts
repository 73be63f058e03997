/** How long a text is, as a platform counts. */
import type { ChunkLimits } from 'svc/sdk/platform'

export type Measure = (text: string) => number

const measures: Readonly<Record<NonNullable<ChunkLimits['measure']>, Measure>> = {
  utf16: (text) => text.length,
  codepoints: (text) => {
    let count = text.length
    for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1
    return count
  },
  bytes: (text) => Buffer.byteLength(text),
}

export function chooseMeasure({ measure = 'utf16' }: ChunkLimits): Measure {
  return measures[measure]
}
