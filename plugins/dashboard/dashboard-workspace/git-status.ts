/** The output of `git status --porcelain=v2 --branch -z`: https://git-scm.com/docs/git-status#_porcelain_format_version_2 */

/** Submodules have settings of their own, so git does not look into them. */
export const STATUS_ARGUMENTS: readonly string[] = [
  ...['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--no-renames'],
  ...['--ignore-submodules=dirty', '.'],
]

export interface ChangedFile {
  readonly path: string
  readonly staged: boolean
  readonly unstaged: boolean
  readonly untracked: boolean
  readonly conflicted: boolean
}

export interface GitStatus {
  readonly branch: string | null
  readonly ahead: number
  readonly behind: number
  readonly files: ChangedFile[]
  readonly truncated: boolean
}

const MAX_FILES = 200

export function parseStatus(output: string): GitStatus {
  const lines = output.split('\0')
  const [, head] = find(lines, /^# branch\.head (.+)$/)
  const [, ahead = '0', behind = '0'] = find(lines, /^# branch\.ab \+(\d+) -(\d+)$/)
  const files = lines.flatMap(parseFile)
  return {
    branch: head === undefined || head === '(detached)' ? null : head,
    ahead: Number(ahead),
    behind: Number(behind),
    files: files.slice(0, MAX_FILES),
    truncated: files.length > MAX_FILES,
  }
}

function find(lines: readonly string[], pattern: RegExp): readonly (string | undefined)[] {
  for (const line of lines) {
    const match = pattern.exec(line)
    if (match) return match
  }
  return []
}

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`. */
function parseFile(line: string): ChangedFile[] {
  const [kind, xy = ''] = line.split(' ', 2)
  const none = { staged: false, unstaged: false, untracked: false, conflicted: false }
  if (kind === '?') return [{ ...none, path: line.slice(2), untracked: true }]
  if (kind === 'u') return [{ ...none, path: rest(line, 10), conflicted: true }]
  if (kind !== '1') return []
  return [{ ...none, path: rest(line, 8), staged: xy[0] !== '.', unstaged: xy[1] !== '.' }]
}

/** What is behind so many words. */
function rest(line: string, words: number): string {
  return line.split(' ').slice(words).join(' ')
}
