/**
 * What is in a project and yet no program in it may change: files that svc, editors, shells and git run automatically.
 * Where such a file does not exist, it must not come to exist.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isWithin, readStats, realPath } from './machine.ts'

/** Run without a question by what opens or enters a folder, so they must not come to exist either. */
const NEVER_NEW = ['.svc', '.vscode', '.idea', '.envrc', '.mcp.json']
/** The same where they exist. */
const WHERE_THEY_ARE = [
  ...[
    '.claude',
    '.cursor',
    '.husky',
    '.devcontainer',
    '.windsurf',
    '.zed',
    '.fleet',
    '.gemini',
    '.codex',
    '.dir-locals.el',
    '.autoenv',
  ],
  ...['.exrc', '.vimrc', '.nvimrc', '.nvim.lua', '.lvimrc', '.lazy.lua', '.gitconfig', '.bashrc', '.bash_profile'],
  ...[
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
  ],
]
const MAX_MODULES = 200

/** What is guarded in a place that may be written to. All paths absolute. */
export interface Guarded {
  /** Exist, and must stay as they are. */
  readonly kept: readonly string[]
  /** Paths that do not exist and must not be created: an empty folder or a file with that text takes their place. */
  readonly absent: readonly { readonly path: string; readonly text?: string }[]
  /** Are links, which nothing can be put over: compared afterwards. */
  readonly links: readonly string[]
  /** Folders outside of the project that belong to it: of a work tree, its repository. */
  readonly besides: readonly string[]
}

/** The guarded file or folder that a path of a project is, or is in; undefined when it may be written to anyway. */
export function guardedRoot(path: string, project: string): string | undefined {
  const root = [...NEVER_NEW, ...WHERE_THEY_ARE].map((name) => join(project, name))
  const paths = [...listGitPaths(project).wanted.map((each) => each.path), ...root].filter((each) =>
    isWithin(path, each),
  )
  return paths.sort((one, two) => one.length - two.length)[0]
}

/** Of one project, as it is now. `allowed` are paths that may be written to after all. */
export function listGuarded(project: string, allowed: readonly string[]): Guarded {
  const git = listGitPaths(project)
  const root: GuardedPath[] = [...NEVER_NEW, ...WHERE_THEY_ARE].map((name) => ({ path: join(project, name) }))
  const wanted: GuardedPath[] = [...root, ...git.wanted].filter(
    ({ path }) => !allowed.some((each) => isWithin(path, each)),
  )
  const found = wanted.map((each) => ({ ...each, stats: readStats(each.path) }))
  const there = found.filter(({ path, text, stats }) => stats !== undefined && !isPlaceholder(path, text))
  const names = WHERE_THEY_ARE.map((name) => join(project, name))
  return {
    kept: there.flatMap(({ path, stats }) => (stats?.isSymbolicLink() ? keptTarget(path, project) : [path])),
    links: there.filter(({ stats }) => stats?.isSymbolicLink()).map(({ path }) => path),
    absent: found
      .filter((each) => !there.includes(each) && !names.includes(each.path))
      .map(({ path, text }) => (text === undefined ? { path } : { path, text })),
    besides: git.besides,
  }
}

interface GuardedPath {
  readonly path: string
  /** A placeholder if the path does not exist: git reads it. */
  readonly text?: string
}

function keptTarget(link: string, project: string): string[] {
  const target = realPath(link)
  return isWithin(target, project) && target !== project && readStats(target) !== undefined ? [target] : []
}

/** What of the repository decides which programs git runs. */
function listGitPaths(project: string): {
  readonly wanted: readonly GuardedPath[]
  readonly besides: readonly string[]
} {
  const git = join(project, '.git')
  const stats = readStats(git)
  if (stats === undefined || stats.isSymbolicLink()) return { wanted: [{ path: git }], besides: [] }
  if (isPlaceholder(git, undefined)) return { wanted: [{ path: git }], besides: [] }
  if (stats.isDirectory()) return { wanted: ofRepository(git, project), besides: [] }
  const repository = findRepository(git, project)
  if (repository === undefined) return { wanted: [{ path: git }], besides: [] }
  return { wanted: [{ path: git }, ...ofRepository(repository, project)], besides: [repository] }
}

function ofRepository(git: string, project: string): GuardedPath[] {
  const settings = readTextFile(join(git, 'config')) ?? ''
  const work = (path: string) => resolve(project, path.replace(/^"|"$/g, ''))
  const named = [
    ...[...settings.matchAll(/^\s*hookspath\s*=\s*(.+?)\s*$/gim)].map(([, path = '']) => work(path)),
    ...[...settings.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gim)].map(([, path = '']) => resolve(git, path)),
  ].filter((path) => isWithin(path, project) && path !== project)
  // A file `commondir` would send git elsewhere for its settings and hooks; "." is what it means without one.
  const own = [
    { path: join(git, 'config') },
    { path: join(git, 'hooks') },
    { path: join(git, 'commondir'), text: '.\n' },
  ]
  return [
    ...own,
    ...existing(join(git, 'config.worktree')),
    ...named.map((path) => ({ path })),
    ...ofModules(join(git, 'modules')),
    ...inFolder(join(git, 'worktrees')).flatMap((name) =>
      ['config.worktree', 'commondir', 'gitdir'].flatMap((file) => existing(join(git, 'worktrees', name, file))),
    ),
  ]
}

/** The repositories of submodules, which may be in folders: `modules/lib/one`. */
function ofModules(folder: string): GuardedPath[] {
  const found: GuardedPath[] = []
  const left = [folder]
  for (let looked = 0; left.length > 0 && looked < MAX_MODULES; looked++) {
    const at = left.pop() as string
    if (readStats(join(at, 'HEAD')) === undefined) {
      left.push(...inFolder(at).map((name) => join(at, name)))
      continue
    }
    found.push({ path: join(at, 'config') }, { path: join(at, 'hooks') }, { path: join(at, 'commondir'), text: '.\n' })
    left.push(join(at, 'modules'))
  }
  return found
}

/**
 * The repository that a file `.git` names, if that one knows the project: a pointer alone could name any repository.
 * For a work tree it is the one that all of them share.
 */
function findRepository(file: string, project: string): string | undefined {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(readTextFile(file) ?? '')?.[1]
  if (named === undefined) return undefined
  const git = realPath(resolve(project, named))
  const back = readTextFile(join(git, 'gitdir'))?.trim()
  if (back !== undefined && realPath(resolve(git, back)) === file) {
    const shared = realPath(resolve(git, readTextFile(join(git, 'commondir'))?.trim() ?? '../..'))
    return dirname(dirname(git)) === shared ? shared : undefined
  }
  const tree = /^\s*worktree\s*=\s*(.+?)\s*$/im.exec(readTextFile(join(git, 'config')) ?? '')?.[1]
  return tree !== undefined && realPath(resolve(git, tree)) === project ? git : undefined
}

/** Whether the content is disposable: an empty folder, or a placeholder file. */
export function isPlaceholder(path: string, text: string | undefined): boolean {
  const stats = readStats(path)
  if (text !== undefined) return stats?.isFile() === true && readTextFile(path) === text
  return stats?.isDirectory() === true && inFolder(path).length === 0
}

function existing(path: string): GuardedPath[] {
  return readStats(path) === undefined ? [] : [{ path }]
}

function inFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
