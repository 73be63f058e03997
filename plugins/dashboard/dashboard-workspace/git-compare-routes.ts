/** One file compared with a commit, and the commits and branches that can be compared with. */
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { readText } from './file-routes.ts'
import { findDefaultBranch, listBaseBranches, withoutDefault } from './git-branches.ts'
import { type GitOptions, PLAIN_DIFF, runGit } from './git-program.ts'
import { findBase, findCommit, findHead, ref, scope } from './git-refs.ts'
import { openFile } from './opened-file.ts'
import { type Context, findChanged, findRoot, type Place, path, session } from './workspace.ts'

const diff = z.object({ diff: z.string() })
const isTrue = z.enum(['true', 'false']).default('false')

export function gitCompareRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/file-diff',
      summary: 'All that is not committed of a file, as a unified diff; of a file that git does not know, the whole',
      query: z.object({ session, path: path.min(1) }),
      response: diff,
      async handle({ query, signal }) {
        const place = await findChanged(ctx, query.session, query.path)
        const at = { cwd: place.root, signal }
        return { diff: await compare(ctx, at, { id: query.session, place, base: await findHead(ctx, at) }) }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/review/diff',
      summary:
        'The changes of a file in the scope of the list, as a unified diff; `staged`: what the next commit takes',
      query: z.object({ session, path: path.min(1), staged: isTrue, ...scope }),
      response: diff,
      async handle({ query, signal }) {
        const place = await findChanged(ctx, query.session, query.path)
        const at = { cwd: place.root, signal }
        if (query.staged === 'true') return { diff: await diffWith(ctx, at, place, '--cached') }
        return { diff: await compare(ctx, at, { id: query.session, place, base: await findBase(ctx, at, query) }) }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/rev-parse',
      summary: 'The commit of a branch or a tag; null where there is no such name',
      query: z.object({ session, ref: ref.default('HEAD') }),
      response: z.object({ sha: z.string().nullable() }),
      async handle({ query, signal }) {
        const at = { cwd: await findRoot(ctx, query.session), signal }
        return { sha: (await findCommit(ctx, at, query.ref)) ?? null }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/git/base-branches',
      summary: 'Branches that a new one can begin with: local ones and those of remotes, the one used last first',
      query: z.object({ session }),
      response: z.object({
        default_branch: z.string().nullable(),
        branches: z.array(z.object({ name: z.string(), sha: z.string(), is_remote: z.boolean() })),
      }),
      async handle({ query, signal }) {
        const at = { cwd: await findRoot(ctx, query.session), signal }
        const branches = await listBaseBranches(ctx, at)
        return { default_branch: await findDefaultBranch(ctx, at).catch(withoutDefault), branches: [...branches] }
      },
    }),
  ]
}

interface Compared {
  /** Of the session. */
  readonly id: string | undefined
  readonly place: Place
  readonly base: string
}

async function compare(ctx: Context, at: GitOptions, { id, place, base }: Compared): Promise<string> {
  const known = await diffWith(ctx, at, place, base)
  const args = ['ls-files', '--others', '--exclude-standard', '-z', '--', literal(place)]
  if (known !== '' || (await runGit(ctx, at, args)) !== `${place.name}\0`) return known
  await using file = await openFile(ctx, id, place.name)
  const { text } = await readText(file)
  if (text === null) return `Binary file ${place.name} is new.\n`
  const { createTwoFilesPatch } = await import('diff')
  return createTwoFilesPatch('/dev/null', `b/${place.name}`, '', text)
}

function diffWith(ctx: Context, at: GitOptions, place: Place, base: string): Promise<string> {
  return runGit(ctx, at, ['diff', ...PLAIN_DIFF, base, '--', literal(place)])
}

/** A name is never a pattern. */
function literal({ name }: Place): string {
  return `:(literal)${name}`
}
