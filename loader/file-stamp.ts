/** Tells whether a file is still the one that was read, without reading it again. */
import type { BigIntStats } from 'node:fs'

/** Longer than the steps in which file systems count time (FAT: two seconds). */
const SETTLED_MS = 2000

/**
 * What was read after this stat is still there while the stamp stays the same. Undefined for a file that was changed a moment
 * ago, as a further change may get the same time, and on Windows, where a program can set the time of the last change.
 */
export function readStamp({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats, now: number): string | undefined {
  const age = now - Number(ctimeNs / 1_000_000n)
  if (process.platform === 'win32' || age < SETTLED_MS) return undefined
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(' ')
}
