/** Pushes the checked-out branch to the remote that a person has seen and confirmed. */
import { Secrets, SvcError } from 'svc/sdk'
import { type GitOptions, runGit } from './git-program.ts'
import { findPushTarget, isLocal, PROTOCOLS, type PushTarget, requirePlainRemote } from './git-remote.ts'
import type { Context } from './workspace.ts'

/** Git receives on this machine: without the hooks, the clean-up and the working folder of the repository there. */
const RECEIVE = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.alternateRefsCommand=true'],
  ...['receive.autogc=false', 'receive.denyCurrentBranch=refuse'],
]
const SETTINGS = [
  'core.askPass=',
  'push.gpgSign=false',
  'push.followTags=false',
  'push.recurseSubmodules=no',
  'protocol.ext.allow=never',
]
/** Where the agent of ssh listens. */
const AGENT = 'SSH_AUTH_SOCK'
const REJECTED = /\[rejected\]|\(non-fast-forward\)|\(fetch first\)/
const UNKNOWN =
  /terminal prompts disabled|authentication failed|permission denied|host key verification failed|\b40[13]\b/i

/** `url`: where the person wants it to go. Throws `DASHBOARD_PUSH`, `DASHBOARD_PUSH_REJECTED`, `DASHBOARD_PUSH_LOGIN` and others. */
export async function push(ctx: Context, at: GitOptions, url: string): Promise<PushTarget> {
  const target = await findPushTarget(ctx, at)
  if (target.url !== url)
    throw fail('DASHBOARD_PUSH', `The push would go to ${target.url}, not to ${url}. Look at it and confirm again.`)
  await requirePlainRemote(ctx, at, target)
  const { branch, remote } = target
  const receive = isLocal(url)
    ? [`--receive-pack=git ${RECEIVE.map((each) => `-c ${each}`).join(' ')} receive-pack`]
    : []
  const options = ['--porcelain', '--no-verify', ...receive, ...(target.upstream === null ? ['--set-upstream'] : [])]
  const refs = `refs/heads/${branch}:refs/heads/${target.target}`
  let told = ''
  const watched = {
    ...at,
    environment: await createEnvironment(ctx, at),
    onOutput: (text: string) => {
      told += text
    },
  }
  try {
    await runGit(ctx, watched, [...SETTINGS.flatMap((each) => ['-c', each]), 'push', ...options, remote, refs])
  } catch (error) {
    throw explain(error, told, target)
  }
  return findPushTarget(ctx, at)
}

function explain(error: unknown, told: string, { branch, remote, url }: PushTarget): unknown {
  if (!(error instanceof SvcError) || error.code !== 'DASHBOARD_GIT') return error
  if (REJECTED.test(told)) {
    const text = `${remote} has commits that ${branch} does not have. Take them over first: git pull --rebase`
    return fail('DASHBOARD_PUSH_REJECTED', text, error)
  }
  if (UNKNOWN.test(error.message)) {
    const text = `${url} wants a login, and git has not stored one. Sign in once in a terminal: ${error.message}`
    return fail('DASHBOARD_PUSH_LOGIN', text, error)
  }
  const reason = told.split('\n').find((line) => line.startsWith('!'))
  return fail('DASHBOARD_PUSH', reason?.split('\t').slice(1).join(' ') ?? error.message, error)
}

/** Nothing asks: neither git nor ssh. The command for ssh of the user stays. */
async function createEnvironment(ctx: Context, at: GitOptions): Promise<Readonly<Record<string, string>>> {
  const agent = ctx.use(Secrets).get(AGENT)
  const own = await runGit(ctx, at, ['config', '--global', '--get', 'core.sshCommand']).catch(() => '')
  return {
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    ...(own.trim() === '' && { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
    ...(agent !== undefined && { [AGENT]: agent }),
  }
}

function fail(code: string, message: string, cause?: unknown): SvcError {
  return new SvcError(code, message, { status: 409, cause })
}
