/** Fetches a repository with the program git: no hooks, no filters, no submodules, no questions, no keys of other programs. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Clock, errorMessage, Secrets, SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import type { HomeContext } from './profile-folders.ts'

const LIMIT_MS = 300_000
const MAX_OUTPUT = 2 ** 20
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'advice.detachedHead=false']
const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh:file:http',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_CONFIG_NOSYSTEM: '1',
}
const NAMES = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'SSH_AUTH_SOCK', 'HTTPS_PROXY', 'https_proxy']

/** Where a profile comes from. */
export interface GitSource {
  readonly url: string
  /** A branch, a tag, or a commit with all of its digits; undefined: the default branch. */
  readonly ref?: string
}

/** `https://host/team.git#v2`, `git@host:team.git`, or a folder of this machine. Throws `PROFILE_SOURCE`. */
export function parseSource(typed: string): GitSource {
  const [address = '', ref] = typed.replace(/^git\+/, '').split(/#(.*)/s)
  const url = isAbsolute(address) ? pathToFileURL(address).href : address
  const isAddress = /^(?:https?|ssh|file):\/\/[^\s-][^\s]*$/.test(url) || /^[\w.-]+@[\w.-]+:[^\s-]\S*$/.test(url)
  if (!isAddress)
    throw refuse(
      `${JSON.stringify(typed.slice(0, 200))} is neither the address of a git repository nor an absolute path`,
    )
  if (/^\w+:\/\/[^/]*:[^/]*@/.test(url))
    throw refuse('the address holds a password, which would be recorded. Use a credential helper of git')
  if (ref !== undefined && !/^[\w][\w./-]{0,199}$/.test(ref))
    throw refuse(`${JSON.stringify(ref.slice(0, 200))} cannot be a branch, a tag or a commit`)
  return ref === undefined ? { url } : { url, ref }
}

/** Writes the files of a source to a folder and returns the commit. Throws `PROFILE_SOURCE`. */
export async function fetchSource(
  ctx: HomeContext,
  { url, ref = 'HEAD' }: GitSource,
  dir: string,
  signal: AbortSignal,
): Promise<string> {
  const git = (...words: readonly string[]) => runGit(ctx, words, dir, signal)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await git('init', '--quiet', '--template=')
  await git('fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url, ref)
  const commit = (await git('rev-parse', '--verify', 'FETCH_HEAD^{commit}')).trim()
  await git('checkout', '--quiet', '--detach', commit)
  return commit
}

async function runGit(ctx: HomeContext, words: readonly string[], cwd: string, signal: AbortSignal): Promise<string> {
  const { secrets, clock } = { secrets: ctx.use(Secrets), clock: ctx.use(Clock) }
  const kept = NAMES.flatMap((name) => {
    const value = secrets.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(kept), ...ENVIRONMENT }
  signal.throwIfAborted()
  const child = spawn('git', [...SAFE, ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: true,
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (part: Buffer) => (said.out = (said.out + part).slice(0, MAX_OUTPUT)))
  child.stderr.on('data', (part: Buffer) => (said.err = (said.err + part).slice(-MAX_OUTPUT)))
  // With the programs that it started, which hold its output open.
  const end = () => killGroup(child.pid, 'SIGTERM')
  const cancel = clock.after(LIMIT_MS, end)
  signal.addEventListener('abort', end, { once: true })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    if (code === 0) return said.out
  } catch (cause) {
    signal.throwIfAborted()
    throw refuse(`git could not be started: ${errorMessage(cause)}. Install git`, cause)
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
  const reason = secrets.mask(said.err).trim().split('\n').slice(0, 3).join(' ').slice(0, 1000)
  throw refuse(`git ${words[0]} failed: ${reason || 'it said nothing'}`)
}

function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('PROFILE_SOURCE', `The profile is not taken over: ${why}. Nothing was changed.`, {
    status: 400,
    ...(cause !== undefined && { cause }),
  })
}
