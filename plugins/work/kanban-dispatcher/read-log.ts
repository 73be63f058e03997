/** Reads the log of a task, in parts. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { TaskDispatch, TaskLog } from 'svc/sdk/kanban'
import { logFiles } from './worker-log.ts'

const DEFAULT_BYTES = 65_536
const MAX_BYTES = 2_000_000
const NEWLINE = 10

type Options = NonNullable<Parameters<TaskDispatch['log']>[1]>

/** `mask` replaces secrets. */
export function readLog(
  { folder, mask }: { readonly folder: string; readonly mask: (text: string) => string },
  taskId: string,
  { after, maxBytes = DEFAULT_BYTES, isWhole = false }: Options = {},
): TaskLog {
  const { file } = logFiles(folder, taskId)
  const descriptor = openIfThere(file)
  if (descriptor === undefined) return { file, exists: false, size: 0, from: 0, to: 0, text: '' }
  try {
    const { size } = fstatSync(descriptor)
    const most = Math.min(Math.max(1, maxBytes), MAX_BYTES)
    const start = after === undefined ? Math.max(0, size - most) : after > size ? 0 : after
    const bytes = Buffer.alloc(Math.min(most, size - start))
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
    const skipped = after === undefined && start > 0 ? countPartial(read) : 0
    const kept = read.subarray(skipped, findEnd(read, isWhole))
    const from = start + skipped
    return { file, exists: true, size, from, to: from + kept.length, text: mask(kept.toString('utf8')) }
  } finally {
    closeSync(descriptor)
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A part from the middle begins with a whole line where it has one, and never inside of a character. */
function countPartial(bytes: Uint8Array): number {
  const line = bytes.indexOf(NEWLINE) + 1
  if (line > 0 && line < bytes.length) return line
  return Math.max(
    0,
    bytes.findIndex((byte) => !isInside(byte)),
  )
}

/** No character is cut: its rest is in the next part. A line longer than a part is cut all the same. */
function findEnd(bytes: Uint8Array, isWhole: boolean): number {
  const line = bytes.lastIndexOf(NEWLINE) + 1
  if (isWhole && (line > 0 || bytes.length < DEFAULT_BYTES)) return line
  let start = bytes.length - 1
  while (start > 0 && bytes.length - start < 4 && isInside(bytes[start] ?? 0)) start--
  return start >= 0 && start + countBytes(bytes[start] ?? 0) > bytes.length ? start : bytes.length
}

/** Source: RFC 3629, section 3. */
const isInside = (byte: number) => (byte & 0xc0) === 0x80
const countBytes = (byte: number) => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1)
