/** Pull requests at GitHub through its own program `gh`, which is signed in or not: https://cli.github.com/manual/ */
import { Home, Secrets, SvcError } from 'svc/sdk'
import { runProgram } from 'svc/sdk/kit/process'
import { z } from 'zod'
import type { Context } from './workspace.ts'

const MAX_BYTES = 256 * 1024
const PASSED = ['HOME', 'XDG_CONFIG_HOME', 'GH_CONFIG_DIR']

const pullRequests = z.array(z.object({ number: z.number(), url: z.string(), state: z.string(), title: z.string() }))
export type PullRequest = z.infer<typeof pullRequests>[number]

export interface Proposal {
  readonly repository: string
  readonly branch: string
  readonly title: string
  readonly body: string
  readonly base: string | undefined
  readonly isDraft: boolean
}

/** Whether gh is installed and signed in where the repository is. */
export async function isSignedIn(ctx: Context, repository: string, signal: AbortSignal): Promise<boolean> {
  const [host] = repository.split('/').length > 2 ? repository.split('/') : ['github.com']
  try {
    await run(ctx, ['auth', 'status', '--hostname', host ?? ''], signal)
    return true
  } catch (error) {
    if (error instanceof SvcError && error.code === 'DASHBOARD_GH') return false
    throw error
  }
}

/** The newest pull request of a branch, whatever became of it. */
export async function findPullRequest(
  ctx: Context,
  { repository, branch }: Pick<Proposal, 'repository' | 'branch'>,
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  const fields = ['--state', 'all', '--limit', '1', '--json', 'number,url,state,title']
  const output = await run(ctx, ['pr', 'list', '--repo', repository, '--head', branch, ...fields], signal)
  return pullRequests.parse(JSON.parse(output)).at(0)
}

/** Resolves with its address. */
export async function createPullRequest(ctx: Context, proposal: Proposal, signal: AbortSignal): Promise<string> {
  const { repository, branch, title, body, base, isDraft } = proposal
  const options = [...(base === undefined ? [] : ['--base', base]), ...(isDraft ? ['--draft'] : [])]
  const args = ['pr', 'create', '--repo', repository, '--head', branch, '--title', title, '--body', body, ...options]
  const url = (await run(ctx, args, signal)).match(/https?:\/\/\S+/g)?.at(-1)
  if (url === undefined)
    throw new SvcError('DASHBOARD_GH', 'gh did not say where the pull request is.', { status: 502 })
  return url
}

/** Never in the repository: gh would run git there, and git what the repository names. */
async function run(ctx: Context, args: readonly string[], signal: AbortSignal): Promise<string> {
  const secrets = ctx.use(Secrets)
  const passed = PASSED.flatMap((name) => {
    const value = secrets.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const { output } = await runProgram({
    owner: ctx.name,
    program: 'gh',
    args,
    cwd: ctx.use(Home).path(),
    environment: {
      ...{ PATH: secrets.get('PATH') ?? '/usr/bin:/bin', LC_ALL: 'C', NO_COLOR: '1' },
      ...{ GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' },
      ...Object.fromEntries(passed),
    },
    signal,
    maxBytes: MAX_BYTES,
    fail: (message, cause) => new SvcError('DASHBOARD_GH', `gh: ${secrets.mask(message)}`, { status: 409, cause }),
  })
  return output
}
