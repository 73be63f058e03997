/** What git has changed in the folder of a session. Nothing that a repository names is run. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { PLAIN_DIFF, runGit } from './git-program.ts'
import { parseStatus, STATUS_ARGUMENTS } from './git-status.ts'
import { type Context, findChanged, findRoot, path, session } from './workspace.ts'

const statusSchema = z.object({
  branch: z.string().nullable(),
  ahead: z.number(),
  behind: z.number(),
  files: z.array(
    z.object({
      path: z.string(),
      staged: z.boolean(),
      unstaged: z.boolean(),
      untracked: z.boolean(),
      conflicted: z.boolean(),
    }),
  ),
  truncated: z.boolean(),
})

export function gitRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/status',
      summary: 'The branch and the changed files of the workspace; null where there is no repository',
      query: z.object({ session }),
      response: z.object({ status: statusSchema.nullable() }),
      async handle({ query, signal }) {
        const root = await findRoot(ctx, query.session)
        try {
          return { status: parseStatus(await runGit(ctx, { cwd: root, signal }, STATUS_ARGUMENTS)) }
        } catch (error) {
          if (error instanceof SvcError && /not a git repository/.test(error.message)) return { status: null }
          throw error
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/diff',
      summary: 'The unified diff of a file; files that hold secrets are not shown',
      query: z.object({ session, path: path.min(1), staged: z.enum(['true', 'false']).default('false') }),
      response: z.object({ diff: z.string() }),
      async handle({ query, signal }) {
        const { root, name } = await findChanged(ctx, query.session, query.path)
        const kind = query.staged === 'true' ? ['--cached'] : []
        const args = ['diff', ...PLAIN_DIFF, ...kind, '--', `:(literal)${name}`]
        return { diff: await runGit(ctx, { cwd: root, signal }, args) }
      },
    }),
  ]
}
