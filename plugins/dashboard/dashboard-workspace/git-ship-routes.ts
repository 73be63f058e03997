/** What leaves the machine: pushes and pull requests. A person names the address, so that a push goes only where the person looked. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { push } from './git-push.ts'
import { findPushTarget, findRepositoryName, type PushTarget } from './git-remote.ts'
import { createPullRequest, findPullRequest, isSignedIn } from './github.ts'
import { type Context, findRoot, session } from './workspace.ts'

export const pushUrl = z.string().min(1).max(2000).meta({
  description: 'The address that ship-info told and the person confirmed; another one is refused.',
})
const targetSchema = z.object({
  branch: z.string(),
  remote: z.string(),
  url: z.string(),
  upstream: z.string().nullable().meta({ description: 'Null: the branch is new there.' }),
  ahead: z.number().nullable().meta({ description: 'Commits to push, as far as is known; null for a new branch.' }),
})
const pullRequestSchema = z.object({ number: z.number(), url: z.string(), state: z.string(), title: z.string() })

export function gitShipRoutes(ctx: Context): readonly DashboardRoute[] {
  return [infoRoute(ctx), pushRoute(ctx), pullRequestRoute(ctx)]
}

function infoRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/git/review/ship-info',
    summary: 'Where a push of the branch goes, and its pull request; `reason` says why it goes nowhere',
    query: z.object({ session }),
    response: z.object({
      target: targetSchema.nullable(),
      reason: z.string().nullable(),
      gh_ready: z.boolean().meta({ description: 'gh is installed and signed in where the remote is.' }),
      pr: pullRequestSchema.nullable(),
    }),
    async handle({ query, signal }) {
      const at = { cwd: await findRoot(ctx, query.session), signal }
      const found = await findPushTarget(ctx, at).catch((error: unknown) => {
        if (error instanceof SvcError && /^DASHBOARD_(?:GIT|PUSH|NO_REMOTE)$/.test(error.code)) return error
        throw error
      })
      if (found instanceof SvcError) return { target: null, reason: found.message, gh_ready: false, pr: null }
      const target = toWire(found)
      const repository = findRepositoryName(found.url)
      const isReady = repository !== undefined && (await isSignedIn(ctx, repository, signal))
      const pr =
        isReady && found.upstream !== null
          ? await findPullRequest(ctx, { repository, branch: found.target }, signal)
          : undefined
      return { target, reason: null, gh_ready: isReady, pr: pr ?? null }
    },
  })
}

function pushRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/review/push',
    summary:
      'Pushes the branch to the address that was confirmed. Programs that the repository names do not run, and nothing is asked',
    body: z.strictObject({ session, url: pushUrl }),
    response: z.object({ ok: z.literal(true), target: targetSchema }),
    async handle({ body, signal }) {
      const at = { cwd: await findRoot(ctx, body.session), signal }
      return { ok: true as const, target: toWire(await push(ctx, at, body.url)) }
    },
  })
}

function pullRequestRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/git/review/create-pr',
    summary: 'Opens a pull request of the pushed branch with gh',
    body: z.strictObject({
      session,
      title: z.string().trim().min(1).max(256),
      body: z.string().max(60_000).default(''),
      base: z
        .string()
        .regex(/^[^\s-][^\s]*$/)
        .max(200)
        .optional()
        .meta({ description: 'Left out: the default branch there.' }),
      draft: z.boolean().default(false),
    }),
    response: z.object({ url: z.string() }),
    async handle({ body, signal }) {
      const found = await findPushTarget(ctx, { cwd: await findRoot(ctx, body.session), signal })
      const repository = findRepositoryName(found.url)
      if (repository === undefined)
        throw refuse(`The remote ${found.remote} is at no GitHub: ${found.url}. Open the pull request where it is.`)
      if (found.upstream === null || found.ahead !== 0)
        throw refuse(`The branch ${found.branch} has commits that ${found.remote} does not have. Push first.`)
      if (!(await isSignedIn(ctx, repository, signal)))
        throw refuse(
          'gh is not installed, or not signed in. Install it from https://cli.github.com and run: gh auth login',
        )
      const { title, body: text, base, draft: isDraft } = body
      return {
        url: await createPullRequest(
          ctx,
          { repository, branch: found.target, title, body: text, base, isDraft },
          signal,
        ),
      }
    },
  })
}

function toWire({ branch, remote, url, upstream, ahead }: PushTarget): z.infer<typeof targetSchema> {
  return { branch, remote, url, upstream, ahead }
}

function refuse(message: string): SvcError {
  return new SvcError('DASHBOARD_GH', message, { status: 409 })
}
