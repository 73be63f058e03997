/** Where a push of the checked-out branch goes, and why it goes nowhere. */
import { SvcError } from 'svc/sdk'
import { type GitOptions, readGit, runGit } from './git-program.ts'
import type { Context } from './workspace.ts'

export interface PushTarget {
  readonly branch: string
  readonly remote: string
  /** As git connects to it: rewritten by the settings of the user, and without the name and password that it may have. */
  readonly url: string
  readonly address: string
  /** The branch there. */
  readonly target: string
  /** Null: the branch is new there. */
  readonly upstream: string | null
  /** Commits that the remote does not have, as far as it was looked at; null for a new branch. */
  readonly ahead: number | null
}

/** Of one repository at GitHub: what `--repo` of gh takes, with the host where it is not github.com. */
const WEB =
  /^(?:https?:\/\/(?:[^@/]+@)?|ssh:\/\/(?:[^@/]+@)?|[^@/:]+@)([^:/]+)(?::\d+)?[:/]([^/]+\/[^/]+?)(?:\.git)?\/?$/
const HEADS = 'refs/heads/'
/** Transports of git itself; `ext::` and helpers are programs. https://git-scm.com/docs/git#Documentation/git.txt-GITALLOWPROTOCOL */
export const PROTOCOLS = 'https:http:ssh:git:file'
/** Settings with which the repository itself would name a program that a push runs. https://git-scm.com/docs/git-config */
const PROGRAMS =
  /^(?:core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|credential(?:\..+)?\.helper|remote\..+\.(?:receivepack|uploadpack|vcs)|ssh\.variant)$/i

/** Throws `DASHBOARD_NO_REMOTE`, and `DASHBOARD_GIT` where no branch is checked out. */
export async function findPushTarget(ctx: Context, at: GitOptions): Promise<PushTarget> {
  const branch = (await runGit(ctx, at, ['branch', '--show-current'])).trim()
  if (branch === '') throw refuse('DASHBOARD_GIT', 'No branch is checked out. Switch to one, or begin one.')
  const format = '--format=%(refname)%00%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream:short)'
  const rows = (await runGit(ctx, at, ['for-each-ref', format, `${HEADS}${branch}`])).split('\n')
  const [name, ofUpstream = '', ref = '', short = ''] = rows.map((row) => row.split('\0')).find(isOf(branch)) ?? []
  if (name === undefined) throw refuse('DASHBOARD_GIT', `The branch ${branch} has no commit yet. Commit first.`)
  const remote = ofUpstream === '' || ofUpstream === '.' ? await findOnlyRemote(ctx, at, branch) : ofUpstream
  const isNew = ref === '' || ofUpstream !== remote
  const urls = (await runGit(ctx, at, ['remote', 'get-url', '--push', '--all', remote])).trim().split('\n')
  const [address = ''] = urls
  if (urls.length > 1)
    throw refuse('DASHBOARD_PUSH', `The remote ${remote} has ${urls.length} addresses for pushes. Push in a terminal.`)
  return {
    ...{ branch, remote, address },
    url: address.replace(/^(https?:\/\/)[^@/]*@/, '$1'),
    target: isNew ? branch : ref.replace(HEADS, ''),
    upstream: isNew ? null : short,
    ahead: isNew ? null : await countAhead(ctx, at, short),
  }
}

function isOf(branch: string): (row: readonly string[]) => boolean {
  return ([name]) => name === `${HEADS}${branch}`
}

async function findOnlyRemote(ctx: Context, at: GitOptions, branch: string): Promise<string> {
  const remotes = (await runGit(ctx, at, ['remote'])).split('\n').filter((each) => each !== '')
  const [first] = remotes
  const found = remotes.find((each) => each === 'origin') ?? (remotes.length === 1 ? first : undefined)
  if (found !== undefined) return found
  const text =
    first === undefined
      ? 'The repository has no remote. Add one in a terminal: git remote add origin ADDRESS'
      : `The branch ${branch} has no upstream, and none of the remotes is origin. Name one: git branch --set-upstream-to REMOTE/${branch}`
  throw refuse('DASHBOARD_NO_REMOTE', text)
}

/** The upstream may be gone from what was fetched. */
async function countAhead(ctx: Context, at: GitOptions, upstream: string): Promise<number | null> {
  const count = await runGit(ctx, at, ['rev-list', '--count', `${upstream}..HEAD`, '--']).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'DASHBOARD_GIT') return ''
    throw error
  })
  return count.trim() === '' ? null : Number(count)
}

/** The repository as gh names it; undefined for one that is at no such service. */
export function findRepositoryName(url: string): string | undefined {
  const [, host, name] = WEB.exec(url) ?? []
  if (host === undefined || name === undefined) return undefined
  return host.toLowerCase() === 'github.com' ? name : `${host}/${name}`
}

/** Throws `DASHBOARD_PUSH` where the repository names a program that a push would run, or an address that is not one of git's own transports. */
export async function requirePlainRemote(
  ctx: Context,
  at: GitOptions,
  { remote, url, address }: PushTarget,
): Promise<void> {
  const listed = await readGit(ctx, at, ['config', '--null', '--show-scope', '--includes', '--name-only', '--list'])
  const words = listed.split('\0')
  const isOwn = (at: number) => words[at - 1] === 'local' || words[at - 1] === 'worktree'
  const found = words.find((name, at) => at % 2 === 1 && isOwn(at) && PROGRAMS.test(name))
  if (found !== undefined)
    throw refuse('DASHBOARD_PUSH', `The repository names a program in ${found} that a push runs. Push in a terminal.`)
  const isPlain =
    /^(?:https?|ssh|git|file):\/\/[^\s-]/.test(address) || /^\//.test(address) || /^[\w.-]+@[\w.-]+:[^:]/.test(address)
  if (!isPlain || address.includes('::'))
    throw refuse(
      'DASHBOARD_PUSH',
      `The address of ${remote} is not one that pushes go to here: ${url}. Push in a terminal.`,
    )
}

/** Whether git itself receives a push on this machine, with the hooks of the repository there. */
export function isLocal(url: string): boolean {
  return url.startsWith('/') || url.startsWith('file://')
}

function refuse(code: string, message: string): SvcError {
  return new SvcError(code, message, { status: 409 })
}
