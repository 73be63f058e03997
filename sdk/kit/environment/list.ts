/** What is in a folder of an environment, by `find` and `stat`. */
import type { EnvironmentEntry, EnvironmentListing, EnvironmentListOptions } from '../../environments.ts'
import type { Run } from './run-script.ts'
import { LIST } from './scripts.ts'
import { readState } from './state.ts'

/** The kinds of stat(2), by the first bits of the raw mode. */
const KINDS: Readonly<Record<number, EnvironmentEntry['kind']>> = { 8: 'file', 4: 'folder', 10: 'link' }
const MAX_REMARKS = 3
const MAX_DEPTH = 1000

/** Conditions of find for folders with one of these names, which are patterns to it. */
export function namedFolders(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return ['-type', 'd', '(', ...names.flatMap((name, at) => (at === 0 ? ['-name', name] : ['-o', '-name', name])), ')']
}

/** `list` of `EnvironmentFiles`. */
export async function listFolder(
  run: Run,
  folder: string,
  options: EnvironmentListOptions,
): Promise<EnvironmentListing> {
  const { depth = MAX_DEPTH, closed = [], limit, targets = false, signal } = options
  const conditions = closed.length === 0 ? [] : [...namedFolders(closed), '-prune']
  const rest = conditions.length === 0 ? ['-type', 'd'] : conditions
  const { output, mark, said } = await run({
    script: LIST,
    args: [folder, targets ? '1' : '', String(depth), ...rest],
    signal,
  })
  const links = new Map<string, string>()
  const entries: EnvironmentEntry[] = []
  for (const part of output.toString().split(mark)) {
    if (part.startsWith('@')) {
      const [path = '', target = ''] = part.slice(1).split('\0')
      links.set(path.slice(2), target.replace(/\n$/, ''))
    } else if (part.startsWith(' ')) entries.push(...readEntry(part, links))
  }
  return { entries: entries.slice(0, limit), cut: entries.length > limit, remarks: listRemarks(said, 'find') }
}

function readEntry(text: string, links: ReadonlyMap<string, string>): EnvironmentEntry[] {
  const at = text.indexOf('/.')
  const path = text.slice(at + 3).replace(/\n$/, '')
  if (at === -1 || path === '') return []
  const { mode, size, version } = readState(text.slice(1, at))
  const target = links.get(path)
  return [
    {
      path,
      kind: KINDS[mode >> 12] ?? 'other',
      size,
      mode: mode & 0o7777,
      version,
      ...(target !== undefined && { target }),
    },
  ]
}

/** Complaints of a program, as remarks for people. */
export function listRemarks(said: string, program: string): string[] {
  const lines = said.split('\n').filter((line) => line.startsWith(`${program}: `))
  const shown = lines.slice(0, MAX_REMARKS).map((line) => line.slice(program.length + 2, 200).replace(/^\.\//, ''))
  const more = lines.length - shown.length
  return more > 0 ? [...shown, `${more} more could not be read`] : shown
}
