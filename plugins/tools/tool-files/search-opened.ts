/**
 * Searches files a second time, from descriptors that were judged. The first search finds them by their paths, and what is
 * at a path may have been exchanged for a secret file at that moment: what it said of their content is not shown.
 */
import { join } from 'node:path'
import { type OpenedFile, openReadable } from './opened.ts'
import { chooseStyle, excerpt, type FoundLine, type SearchResult, type SearchScope } from './own-search.ts'
import { holdsPrivateKey } from './protection.ts'
import { type RipgrepLine, type RipgrepOptions, searchWithRipgrep } from './ripgrep.ts'

/** Files that are open at the same time. */
const AT_ONCE = 64

/** How files are searched. */
export interface OpenedSearch {
  readonly program: string
  readonly options: RipgrepOptions
  /** Lines that match, of all files together, after which no more is needed. */
  readonly enough: number | undefined
}

/** What is in those of the files that may be read, in their order. */
export async function searchOpened(
  paths: readonly string[],
  place: SearchScope,
  search: OpenedSearch,
): Promise<Pick<SearchResult, 'lines' | 'counts'>> {
  const lines: FoundLine[] = []
  const counts = new Map<string, number>()
  let matches = 0
  for (let from = 0; from < paths.length && !place.signal.aborted; from += AT_ONCE) {
    if (search.enough !== undefined && matches >= search.enough) break
    const files = await openAll(paths.slice(from, from + AT_ONCE), place)
    try {
      for (const { path, found, count } of await searchGroup(files, place, search)) {
        if (count > 0) counts.set(path, count)
        matches += count
        lines.push(...found)
      }
    } finally {
      await Promise.all(files.map(({ opened }) => opened.file.close()))
    }
  }
  return { lines, counts }
}

interface Candidate {
  readonly path: string
  readonly opened: OpenedFile
}

async function openAll(paths: readonly string[], place: SearchScope): Promise<Candidate[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      // What may not be read after all is left out, as the first search leaves it out.
      const opened = await openReadable(join(place.folder, path), place.judge).catch(() => undefined)
      if (opened === undefined) return []
      const { buffer, bytesRead } = await opened.file.read(Buffer.alloc(8192), 0, 8192, 0)
      if (!holdsPrivateKey(buffer.toString('latin1', 0, bytesRead))) return [{ path, opened }]
      await opened.file.close()
      return []
    }),
  )
  return files.flat()
}

/** What is in one file. */
interface Group {
  readonly path: string
  readonly found: FoundLine[]
  count: number
}

async function searchGroup(
  files: readonly Candidate[],
  place: SearchScope,
  { program, options, enough }: OpenedSearch,
): Promise<readonly Group[]> {
  const groups = files.map(({ path }): Group => ({ path, found: [], count: 0 }))
  if (files.length === 0) return groups
  const isOpen = process.platform === 'linux'
  // Elsewhere a descriptor is no path, and the path is searched that was just judged.
  const targets = files.map(({ path }, at) => (isOpen ? `/proc/self/fd/${at + 3}` : join(place.folder, path)))
  const open = isOpen ? files.map(({ opened }) => opened.file.fd) : []
  const places = new Map(targets.map((target, at) => [target, at]))
  const take = ({ path: target, line, match, text, at }: RipgrepLine) => {
    const group = groups[places.get(target) ?? -1]
    if (group === undefined) return true
    group.count += Number(match)
    // Without an end, only the counts are shown.
    if (enough !== undefined)
      group.found.push({ path: group.path, line, match, text: excerpt(text, at, chooseStyle(options.context)) })
    return true
  }
  const { signal } = place
  await searchWithRipgrep({ program, folder: '/', target: targets, open, glob: undefined, signal }, options, take)
  return groups
}
