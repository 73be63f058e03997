/** The log of a task: what all of its workers wrote, one after the other. */
import { existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The file of a task, and the one that was put aside before it. */
export function logFiles(folder: string, taskId: string): { readonly file: string; readonly old: string } {
  const file = join(folder, `${taskId}.log`)
  return { file, old: `${file}.1` }
}

/**
 * Opens the log for another worker and writes its heading. A file over `maxBytes` is put aside first; the one that was put aside
 * before is lost. Returns a descriptor that is to be closed.
 */
export function openLog(
  folder: string,
  taskId: string,
  options: { readonly maxBytes: number; readonly heading: string },
): number {
  const { file, old } = logFiles(folder, taskId)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (existsSync(file) && statSync(file).size > options.maxBytes) renameSync(file, old)
  const descriptor = openSync(file, 'a', 0o600)
  writeSync(descriptor, `--- ${options.heading}\n`)
  return descriptor
}
