/** Changes that wait to be committed: list, stage, take back, commit. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { PLAIN_DIFF, runGit } from './git-program.ts'
import { push } from './git-push.ts'
import { EMPTY_TREE, findBase, findHead, scope } from './git-refs.ts'
import { pushUrl } from './git-ship-routes.ts'
import { type ChangedFile, parseStatus, STATUS_ARGUMENTS } from './git-status.ts'
import { keepCopy } from './kept-copy.ts'
import { type Context, findChanged, findRoot, path, session } from './workspace.ts'

const MAX_MESSAGE = 20_000
const RECENT = 10

const fileSchema = z.object({
  path: z.string(),
  added: z.number().nullable().meta({ description: 'Lines; null for a file that is not text.' }),
  removed: z.number().nullable(),
  status: z.enum(['changed', 'untracked', 'conflicted']),
  staged: z.boolean(),
})
const done = z.object({ ok: z.literal(true) })
const one = z.object({ session, path: path.min(1) })

export function gitReviewRoutes(ctx: Context): readonly DashboardRoute[] {
  return [listRoute(ctx), contextRoute(ctx), ...stageRoutes(ctx), revertRoute(ctx), commitRoute(ctx)]
}

function listRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/git/review/list',
    summary: 'Changed files with their lines: those that are not committed, or those of the branch since its base',
    query: z.object({ session, ...scope }),
    response: z.object({ base: z.string(), files: z.array(fileSchema), truncated: z.boolean() }),
    async handle({ query, signal }) {
      const at = { cwd: await findRoot(ctx, query.session), signal }
      const { files, truncated } = parseStatus(await runGit(ctx, at, STATUS_ARGUMENTS))
      const base = await findBase(ctx, at, query)
      const lines = parseLines(await runGit(ctx, at, ['diff', ...PLAIN_DIFF, '--numstat', '-z', base, '--', '.']))
      return { base, files: mergeFiles(files, lines), truncated }
    },
  })
}

/** What `git diff --numstat -z` says of each file; `-` for one that is not text. */
function parseLines(output: string): ReadonlyMap<string, { added: number | null; removed: number | null }> {
  const count = (text: string | undefined) => (text === '-' || text === undefined ? null : Number(text))
  const rows = output.split('\0').map((row) => row.split('\t'))
  return new Map(
    rows.flatMap(([added, removed, ...name]) =>
      name.length > 0 ? [[name.join('\t'), { added: count(added), removed: count(removed) }]] : [],
    ),
  )
}

function mergeFiles(files: readonly ChangedFile[], lines: ReturnType<typeof parseLines>): z.infer<typeof fileSchema>[] {
  const known = new Map(files.map((file) => [file.path, file]))
  const names = [...new Set([...lines.keys(), ...known.keys()])].sort()
  return names.map((name) => {
    const file = known.get(name)
    const status = file?.conflicted ? 'conflicted' : file?.untracked ? 'untracked' : 'changed'
    return { path: name, ...(lines.get(name) ?? { added: null, removed: null }), status, staged: file?.staged ?? false }
  })
}

function contextRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/git/review/commit-context',
    summary: 'What a message for the next commit is written from: which files are staged, and the newest messages',
    query: z.object({ session }),
    response: z.object({ stat: z.string(), recent: z.array(z.string()) }),
    async handle({ query, signal }) {
      const at = { cwd: await findRoot(ctx, query.session), signal }
      const hasCommits = (await findHead(ctx, at)) !== EMPTY_TREE
      const log = hasCommits ? await runGit(ctx, at, ['log', `-${RECENT}`, '--format=%s%x00', '--', '.']) : ''
      return {
        stat: await runGit(ctx, at, ['diff', ...PLAIN_DIFF, '--cached', '--stat', '--', '.']),
        recent: log.split('\0').flatMap((line) => line.trim() || []),
      }
    },
  })
}

function stageRoutes(ctx: Context): DashboardRoute[] {
  const change = (name: 'stage' | 'unstage', summary: string, args: readonly string[]) =>
    defineDashboardRoute({
      method: 'POST',
      path: `/api/git/review/${name}`,
      summary,
      body: one,
      response: done,
      async handle({ body, signal }) {
        const { root, name: file } = await findChanged(ctx, body.session, body.path)
        await runGit(ctx, { cwd: root, signal }, [...args, '--', `:(literal)${file}`])
        return { ok: true as const }
      },
    })
  return [
    change('stage', 'Takes the changes of a file or folder into the next commit', ['add', '--all']),
    change('unstage', 'Leaves the changes of a file or folder out of the next commit', ['reset', '--quiet']),
  ]
}

function revertRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/review/revert',
    summary:
      'Puts a file or folder back to the last commit; a checkpoint is taken first, which brings the changes back',
    body: one,
    response: done.extend({ checkpoint: z.string() }),
    async handle({ body, signal }) {
      const { root, name } = await findChanged(ctx, body.session, body.path)
      const checkpoint = await keepCopy(ctx, root, `before ${name} was reverted in the dashboard`)
      const args = ['restore', '--source=HEAD', '--staged', '--worktree', '--', `:(literal)${name}`]
      await runGit(ctx, { cwd: root, signal }, args)
      return { ok: true as const, checkpoint }
    },
  })
}

function commitRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/review/commit',
    summary:
      'Commits what is staged, and pushes the branch if an address is given. Hooks of the repository do not run and nothing is signed',
    body: z.object({ session, message: z.string().trim().min(1).max(MAX_MESSAGE), push: pushUrl.optional() }),
    response: done.extend({
      sha: z.string(),
      pushed: z.boolean(),
      push_error: z.object({ code: z.string(), detail: z.string() }).nullable().meta({
        description: 'Why the commit was not pushed; it was made all the same.',
      }),
    }),
    async handle({ body, signal }) {
      const at = { cwd: await findRoot(ctx, body.session), signal }
      await runGit(ctx, at, ['commit', '--quiet', '--cleanup=strip', `--message=${body.message}`])
      const sha = (await runGit(ctx, at, ['rev-parse', 'HEAD'])).trim()
      if (body.push === undefined) return { ok: true as const, sha, pushed: false, push_error: null }
      const failure = await push(ctx, at, body.push).then(() => undefined, toFailure)
      return { ok: true as const, sha, pushed: failure === undefined, push_error: failure ?? null }
    },
  })
}

/** As clients get the codes of errors. */
function toFailure(error: unknown): { readonly code: string; readonly detail: string } {
  if (!(error instanceof SvcError)) throw error
  return { code: error.code.replace(/^DASHBOARD_/, '').toLowerCase(), detail: error.message }
}
