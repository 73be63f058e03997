/** Branches and worktrees of the repository of a session: list, add, remove, switch. */
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { findDefaultBranch, listBranches, listWorktrees, withoutDefault } from './git-branches.ts'
import { type GitOptions, runGit } from './git-program.ts'
import { type Context, findRoot, session } from './workspace.ts'

/** Below the root of the repository, as for tasks of the board. */
const FOLDER = '.worktrees'

const branch = z
  .string()
  .max(200)
  .regex(/^(?!.*(?:\.\.|@\{|\/\/|\.lock$|[/.]$))[^\s\-~^:?*[\\/.][^\s~^:?*[\\]*$/)
  .meta({ description: 'The name of a branch.' })
const worktreeSchema = z.object({
  path: z.string(),
  branch: z.string().nullable(),
  head: z.string().nullable(),
  bare: z.boolean(),
  locked: z.boolean(),
})

export function gitBranchRoutes(ctx: Context): readonly DashboardRoute[] {
  return [...listRoutes(ctx), addRoute(ctx), removeRoute(ctx), switchRoute(ctx)]
}

function listRoutes(ctx: Context): DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/branches',
      summary: 'Local branches, the one used last first, and where each is checked out',
      query: z.object({ session }),
      response: z.object({
        default_branch: z.string().nullable(),
        branches: z.array(z.object({ name: z.string(), sha: z.string(), worktree_path: z.string().nullable() })),
      }),
      async handle({ query, signal }) {
        const at = { cwd: await findRoot(ctx, query.session), signal }
        const [branches, worktrees] = [await listBranches(ctx, at), await listWorktrees(ctx, at)]
        const places = new Map(worktrees.map((each) => [each.branch, each.path]))
        return {
          default_branch: await findDefaultBranch(ctx, at).catch(withoutDefault),
          branches: branches.map((each) => ({ ...each, worktree_path: places.get(each.name) ?? null })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/worktrees',
      summary: 'Worktrees of the repository, the main one first',
      query: z.object({ session }),
      response: z.object({ worktrees: z.array(worktreeSchema) }),
      async handle({ query, signal }) {
        const worktrees = await listWorktrees(ctx, { cwd: await findRoot(ctx, query.session), signal })
        return {
          worktrees: worktrees.map(({ path, branch: name, head, isBare, isLocked }) => {
            return { path, branch: name, head, bare: isBare, locked: isLocked }
          }),
        }
      },
    }),
  ]
}

function addRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/worktree/add',
    summary: `Checks a branch out in a folder of its own below ${FOLDER}; a branch that does not exist is made`,
    body: z.object({
      session,
      branch,
      base: branch.optional().meta({ description: 'What a new branch begins with; left out: what is checked out.' }),
    }),
    response: z.object({ path: z.string(), branch: z.string() }),
    async handle({ body, signal }) {
      const at = { cwd: await findRoot(ctx, body.session), signal }
      const path = join(await findMainFolder(ctx, at), FOLDER, body.branch.replace(/[^\w.-]+/g, '-'))
      const isKnown = (await listBranches(ctx, at)).some(({ name }) => name === body.branch)
      const wanted = isKnown ? [path, body.branch] : ['-b', body.branch, path, body.base ?? 'HEAD']
      await runGit(ctx, at, ['worktree', 'add', '--quiet', ...wanted])
      return { path, branch: body.branch }
    },
  })
}

function removeRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/worktree/remove',
    summary: 'Removes the folder of a worktree; its branch stays. One with changes that are not committed is refused',
    body: z.object({ session, worktree_path: z.string().min(1).max(4096) }),
    response: z.object({ removed: z.string() }),
    async handle({ body, signal }) {
      const at = { cwd: await findRoot(ctx, body.session), signal }
      const [, ...others] = await listWorktrees(ctx, at)
      const found = others.find(({ path }) => path === body.worktree_path)
      if (!found)
        throw new SvcError('DASHBOARD_GIT', 'The repository has no such worktree beside its main one.', { status: 404 })
      await runGit(ctx, at, ['worktree', 'remove', found.path])
      return { removed: found.path }
    },
  })
}

function switchRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/branch/switch',
    summary: 'Switches the folder to a local branch; git refuses where changes would be lost',
    body: z.object({ session, branch }),
    response: z.object({ branch: z.string() }),
    async handle({ body, signal }) {
      const at = { cwd: await findRoot(ctx, body.session), signal }
      await runGit(ctx, at, ['switch', '--quiet', '--no-guess', body.branch])
      return { branch: body.branch }
    },
  })
}

/** The folder of the main worktree, also when the session works in another one. */
async function findMainFolder(ctx: Context, at: GitOptions): Promise<string> {
  const [main] = await listWorktrees(ctx, at)
  return main?.path ?? at.cwd
}
