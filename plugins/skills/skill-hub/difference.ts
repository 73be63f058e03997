/** The differences between two folders of a skill, as a unified diff. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'

const MAX_LINES = 400

export function diffFolders(before: string, after: string): string {
  const paths = [...new Set([...list(before), ...list(after)])].sort()
  const parts = paths.flatMap((path) => {
    const one = read(join(before, path))
    const two = read(join(after, path))
    return one === two
      ? []
      : [createTwoFilesPatch(`a/${path}`, `b/${path}`, one, two, undefined, undefined, { context: 3 })]
  })
  const lines = parts.join('').split('\n')
  const rest = lines.length - MAX_LINES
  return rest > 0 ? `${lines.slice(0, MAX_LINES).join('\n')}\n(${rest} more lines)\n` : lines.join('\n')
}

function list(dir: string, inner = ''): string[] {
  if (!statSync(join(dir, inner), { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(join(dir, inner), { withFileTypes: true }).flatMap((entry) => {
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`
    return entry.isDirectory() ? list(dir, path) : entry.isFile() ? [path] : []
  })
}

/** Empty for a file that is not there; a binary one is told by its size. */
function read(file: string): string {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (!facts?.isFile()) return ''
  const bytes = readFileSync(file)
  return bytes.includes(0) ? `(${bytes.length} bytes that are no text)\n` : bytes.toString('utf8')
}
