/** Commits by their names, and what changes are compared with. */
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import { findDefaultBranch } from './git-branches.ts'
import { type GitOptions, runGit } from './git-program.ts'
import type { Context } from './workspace.ts'

/** The tree without files, which a first commit is compared with: https://git-scm.com/docs/git-hash-object */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Nothing in it is an option or an operator of git. */
export const ref = z
  .string()
  .max(200)
  .regex(/^[^\s\-~^:?*[\\][^\s~^:?*[\\]*$/)
  .meta({ description: 'A branch, a tag or a commit.' })

/** Which changes: those that are not committed, or those of the branch since it left its base. */
export const scope = { scope: z.enum(['uncommitted', 'branch']).default('uncommitted'), base: ref.optional() }

/** The commit of a name; undefined if it is not found. Throws `DASHBOARD_GIT` outside of repositories. */
export async function findCommit(ctx: Context, at: GitOptions, name: string): Promise<string | undefined> {
  await runGit(ctx, at, ['rev-parse', '--git-dir'])
  try {
    return (await runGit(ctx, at, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])).trim()
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'DASHBOARD_GIT') throw error
    return undefined
  }
}

/** The commit that is checked out; the empty tree before the first commit. */
export async function findHead(ctx: Context, at: GitOptions): Promise<string> {
  return (await findCommit(ctx, at, 'HEAD')) ?? EMPTY_TREE
}

/** The commit that changes of a scope are compared with. Throws `DASHBOARD_GIT` for a base that is not found. */
export async function findBase(
  ctx: Context,
  at: GitOptions,
  { scope, base }: { readonly scope: 'uncommitted' | 'branch'; readonly base?: string | undefined },
): Promise<string> {
  const head = await findHead(ctx, at)
  if (scope !== 'branch' || head === EMPTY_TREE) return head
  return (await runGit(ctx, at, ['merge-base', base ?? (await findDefaultBranch(ctx, at)), head])).trim()
}
