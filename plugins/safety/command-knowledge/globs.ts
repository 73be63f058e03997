/** Files that a pattern of the shell fits, looked up. Work is bounded; links of folders are followed as a shell does. */
import { readdirSync } from 'node:fs'

const MAX_ENTRIES = 5000
const MAX_FOUND = 2000

/**
 * Paths as the shell would write them, in the order of the folders; empty when none fits, undefined when there are too
 * many entries to look at. In `pattern`, a backslash makes the next sign an ordinary one.
 */
export function matchFiles(pattern: string, cwd: string): readonly string[] | undefined {
  const [first = '', ...segments] = pattern.split('/')
  const budget = { left: MAX_ENTRIES }
  // An absolute path begins with an empty segment.
  const start = first === '' ? ['/'] : findMatches([''], first, cwd, budget)
  let paths: readonly string[] | undefined = start
  for (const segment of segments) {
    if (paths === undefined) return undefined
    paths =
      segment === ''
        ? paths.map((path) => (path.endsWith('/') ? path : `${path}/`))
        : findMatches(paths, segment, cwd, budget)
  }
  return paths && paths.length <= MAX_FOUND ? paths : undefined
}

function findMatches(
  paths: readonly string[],
  segment: string,
  cwd: string,
  budget: { left: number },
): readonly string[] | undefined {
  if (segment.split('*').length > 8) return undefined
  const plain = segment.replace(/\\(.)/g, '$1')
  if (!/(?:^|[^\\])[*?[]/.test(segment)) return paths.map((path) => joinPath(path, plain))
  // With and without the depth that some shells give it.
  if (segment === '**') return deep(paths, cwd, budget)
  const expression = compilePattern(segment)
  const all: string[] = []
  for (const path of paths) {
    const names = listNames(path, cwd)
    budget.left -= names.length
    if (budget.left < 0) return undefined
    for (const name of names)
      if ((segment.startsWith('.') || !name.startsWith('.')) && expression.test(name)) all.push(joinPath(path, name))
    if (segment.startsWith('.'))
      for (const name of ['.', '..']) if (expression.test(name)) all.push(joinPath(path, name))
  }
  return all
}

function deep(paths: readonly string[], cwd: string, budget: { left: number }): readonly string[] | undefined {
  const all: string[] = []
  const waiting = [...paths]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    all.push(path)
    const names = listFolders(path, cwd)
    budget.left -= names.length + 1
    if (budget.left < 0) return undefined
    waiting.push(...names.map((name) => joinPath(path as string, name)))
  }
  return all
}

function joinPath(path: string, name: string): string {
  if (path === '') return name
  return path.endsWith('/') ? path + name : `${path}/${name}`
}

function listNames(path: string, cwd: string): readonly string[] {
  try {
    return readdirSync(path.startsWith('/') ? path : `${cwd}/${path}`)
  } catch {
    // No such folder: nothing fits in it.
    return []
  }
}

function listFolders(path: string, cwd: string): readonly string[] {
  try {
    return readdirSync(path.startsWith('/') ? path : `${cwd}/${path}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
  } catch {
    return []
  }
}

/** Bracket expressions stand for any one sign here, so what is found is never less than what a shell finds. */
function compilePattern(segment: string): RegExp {
  const source = segment.replace(
    /\\(.)|\[!?\^?\]?[^\]]*\]|\*+|\?|[.+^${}()|[\]\\]/g,
    (all, escaped: string | undefined) => {
      if (escaped !== undefined) return escaped.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      if (all.startsWith('*')) return '.*'
      return all === '?' || (all.startsWith('[') && all.length > 1) ? '.' : `\\${all}`
    },
  )
  return new RegExp(`^${source}$`, 's')
}
