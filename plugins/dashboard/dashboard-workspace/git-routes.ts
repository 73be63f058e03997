/** What git has changed in the folder of a session. Nothing that a repository names is run. */
import { errorCode, Secrets, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { runProgram } from 'svc/sdk/kit/process'
import { z } from 'zod'
import { parseStatus } from './git-status.ts'
import { type Context, findPlace, findRoot, findTarget, path, session } from './workspace.ts'

const MAX_BYTES = 2 * 2 ** 20

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
        const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--no-renames', '.']
        try {
          return { status: parseStatus(await git(ctx, root, args, signal)) }
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
        const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--irreversible-delete']
        return { diff: await git(ctx, root, ['diff', ...plain, ...kind, '--', `:(literal)${name}`], signal) }
      },
    }),
  ]
}

/** Of a file that was deleted only that is shown, so it need not be there. */
async function findChanged(ctx: Context, id: string | undefined, typed: string) {
  try {
    return await findPlace(ctx, id, typed)
  } catch (error) {
    if (errorCode(error) !== 'DASHBOARD_FILE_ABSENT') throw error
    return await findTarget(ctx, id, typed)
  }
}

async function git(ctx: Context, cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const home = ctx.use(Secrets).get('HOME')
  const { output } = await runProgram({
    owner: ctx.name,
    program: 'git',
    // A repository may name a program to be run at every look at it.
    args: ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', ...args],
    cwd,
    environment: {
      PATH: ctx.use(Secrets).get('PATH') ?? '/usr/bin:/bin',
      GIT_OPTIONAL_LOCKS: '0',
      LC_ALL: 'C',
      ...(home !== undefined && { HOME: home }),
    },
    signal,
    maxBytes: MAX_BYTES,
    fail: (message, cause) => new SvcError('DASHBOARD_GIT', message, { status: 409, cause }),
  })
  return output
}
