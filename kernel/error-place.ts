/** Where in the source of a plugin an error came from. */
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `file:line:column` of the first frame inside the folder, with the file relative to it; undefined if no frame is. */
export function findPlace(error: unknown, dir: string): string | undefined {
  if (dir === '' || !(error instanceof Error)) return undefined
  for (const line of (error.stack ?? '').split('\n')) {
    const [, path, row, column] = /^\s+at (?:.*\()?((?:file:\/\/)?[^()]+?):(\d+):(\d+)\)?$/.exec(line) ?? []
    const file = path?.startsWith('file://') ? fileURLToPath(path) : path
    if (!file || !isAbsolute(file) || !file.startsWith(join(dir, sep))) continue
    const inside = relative(dir, file)
    if (!inside.split(sep).includes('node_modules')) return `${inside}:${row}:${column}`
  }
  return findPlace(error.cause, dir)
}
