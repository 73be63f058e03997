/** Work on the installation that its shell commands do: each is a process of its own, which is followed as an action. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { Checkpoints } from 'svc/sdk/sessions'
import { z } from 'zod'
import { beginCommand, begunSchema, profileQuery } from './action-routes.ts'
import type { Actions } from './actions.ts'

type Context = PluginContext<undefined>

interface Work {
  readonly path: string
  readonly name: string
  readonly summary: string
  /** As typed after `svc`. */
  readonly command: string
  /** Fields of the body that are a flag of the command. */
  readonly flags?: Readonly<Record<string, string>>
  readonly results?: readonly number[]
}

/** The words are those of a command that a manifest names; a test compares them. */
export const WORK: readonly Work[] = [
  {
    ...{ path: '/api/ops/doctor', name: 'doctor', command: 'doctor', flags: { fix: '--fix' }, results: [1] },
    summary: 'Runs the checks of `svc doctor`; with `fix` it repairs what needs no decision',
  },
  {
    ...{ path: '/api/ops/security-audit', name: 'security-audit', command: 'security audit', results: [1] },
    summary: 'Looks installed packages, plugins and MCP servers up in a database of advisories',
  },
  {
    ...{ path: '/api/ops/prompt-size', name: 'prompt-size', command: 'prompt-size' },
    summary: 'Measures what the system prompt and the tools cost',
  },
  {
    ...{ path: '/api/ops/dump', name: 'dump', command: 'debug show' },
    summary: 'Writes the state of the installation as text, without keys and conversations',
  },
  {
    ...{ path: '/api/ops/config-migrate', name: 'config-migrate', command: 'config migrate' },
    summary: 'Brings config.yaml to the newest version; `svc config undo` takes it back',
  },
  {
    ...{ path: '/api/ops/checkpoints/prune', name: 'checkpoints-prune', command: 'checkpoints prune' },
    summary: 'Deletes old and excess checkpoints now, which also happens daily',
  },
  {
    ...{ path: '/api/curator/run', name: 'curator-run', command: 'skills curator run' },
    ...{ flags: { dry_run: '--dry-run', consolidate: '--consolidate' }, results: [1] },
    summary: 'Makes a pass over the skills that the agent wrote; with `consolidate` a model is asked, too',
  },
  {
    ...{ path: '/api/skills/hub/check', name: 'skills-check', command: 'skills check', flags: { diff: '--diff' } },
    summary: 'Asks the sources of installed skills for newer versions; with `diff` it says what they change',
  },
  {
    ...{ path: '/api/skills/hub/update', name: 'skills-update', command: 'skills update', flags: { accept: '--yes' } },
    summary:
      'Updates installed skills that the scan allows and that were not edited; without `accept` nothing is changed',
  },
]

export function opsRoutes(ctx: Context, actions: Actions): readonly DashboardRoute[] {
  return [...WORK.map((work) => workRoute(ctx, actions, work)), checkpointsRoute(ctx)]
}

function workRoute(ctx: Context, actions: Actions, { path, name, summary, command, flags = {}, results }: Work) {
  const fields = Object.keys(flags).map((field) => [field, z.boolean().default(false)] as const)
  return defineDashboardRoute({
    ...{ method: 'POST' as const, path, summary: `${summary}; GET /api/actions/${name}/status follows it` },
    query: profileQuery,
    body: z.strictObject(Object.fromEntries(fields)),
    response: begunSchema,
    handle({ query: { profile }, body }) {
      const typed = Object.entries(flags).flatMap(([field, flag]) => (body[field] === true ? [flag] : []))
      return beginCommand(ctx, actions, {
        ...{ name, words: [...command.split(' '), ...typed], profile },
        ...(results && { results }),
      })
    },
  })
}

function checkpointsRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/ops/checkpoints',
    summary: 'How many checkpoints there are of each folder, and what they take',
    response: z.object({
      folders: z.array(z.object({ root: z.string(), checkpoints: z.number(), newest_at: z.number() })),
      total_bytes: z.number(),
    }),
    async handle() {
      const checkpoints = requireService(await ctx.use(Plugins).bring(Checkpoints), Checkpoints.id)
      const { bytes, folders } = await checkpoints.summarize()
      return {
        folders: folders.map(({ root, snapshots, newestAt }) => ({
          root,
          checkpoints: snapshots,
          newest_at: newestAt,
        })),
        total_bytes: bytes,
      }
    },
  })
}
