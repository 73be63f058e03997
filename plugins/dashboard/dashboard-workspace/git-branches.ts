/** Branches and worktrees, as git lists them. */
import { SvcError } from 'svc/sdk'
import { type GitOptions, runGit } from './git-program.ts'
import type { Context } from './workspace.ts'

export interface Worktree {
  /** Absolute. */
  readonly path: string
  /** Null for one whose head is no branch. */
  readonly branch: string | null
  readonly head: string | null
  readonly isBare: boolean
  readonly isLocked: boolean
}

const LOCAL = 'refs/heads/'
const REMOTE_OR_LOCAL = /^refs\/(?:heads|remotes)\//

/** The branch that others are compared with: that of `origin`, else `main` or `master`. Throws `DASHBOARD_GIT`. */
export async function findDefaultBranch(ctx: Context, at: GitOptions): Promise<string> {
  const heads = ['refs/remotes/origin/HEAD', `${LOCAL}main`, `${LOCAL}master`]
  const output = await runGit(ctx, at, ['for-each-ref', '--format=%(refname)%00%(symref)', ...heads])
  const rows = output.split('\n').map((row) => row.split('\0'))
  const found = heads.flatMap((head) => rows.filter(([name]) => name === head)).at(0)
  const name = found?.[1] || found?.[0]
  if (name) return name.replace(REMOTE_OR_LOCAL, '')
  throw new SvcError('DASHBOARD_GIT', 'The repository has no branch main or master. Name the base.', { status: 409 })
}

export async function listWorktrees(ctx: Context, at: GitOptions): Promise<readonly Worktree[]> {
  const output = await runGit(ctx, at, ['worktree', 'list', '--porcelain', '-z'])
  const blocks = output.split('\0\0').map((block) => block.split('\0').filter((line) => line !== ''))
  return blocks.filter((lines) => lines.length > 0).map(parseWorktree)
}

function parseWorktree(lines: readonly string[]): Worktree {
  const get = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? null
  const has = (word: string) => lines.some((line) => line === word || line.startsWith(`${word} `))
  return {
    path: get('worktree') ?? '',
    branch: get('branch')?.replace(LOCAL, '') ?? null,
    head: get('HEAD'),
    isBare: has('bare'),
    isLocked: has('locked'),
  }
}

/** Names of local branches, the one used last first, with the commit of each. */
export async function listBranches(ctx: Context, at: GitOptions): Promise<readonly { name: string; sha: string }[]> {
  const format = '--format=%(refname:lstrip=2)%00%(objectname)'
  const output = await runGit(ctx, at, ['for-each-ref', '--sort=-committerdate', '--count=500', format, LOCAL])
  const rows = output.split('\n').filter((row) => row !== '')
  return rows.map((row) => {
    const [name = '', sha = ''] = row.split('\0')
    return { name, sha }
  })
}

/** Local branches and those of remotes, the one used last first, with the commit of each. */
export async function listBaseBranches(ctx: Context, at: GitOptions) {
  const format = '--format=%(refname)%00%(objectname)%00%(symref)'
  const places = ['refs/heads', 'refs/remotes']
  const output = await runGit(ctx, at, ['for-each-ref', '--sort=-committerdate', '--count=500', format, ...places])
  const rows = output.split('\n').filter((row) => row !== '')
  return rows.flatMap((row) => {
    const [name = '', sha = '', symbolic] = row.split('\0')
    // `origin/HEAD` is a second name of a branch that is in the list.
    return symbolic ? [] : [{ name: name.replace(REMOTE_OR_LOCAL, ''), sha, is_remote: !name.startsWith(LOCAL) }]
  })
}

/** For a repository that no branch is compared with. */
export function withoutDefault(error: unknown): null {
  if (error instanceof SvcError && error.code === 'DASHBOARD_GIT') return null
  throw error
}
