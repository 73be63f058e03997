/** Reads git repositories with the program git: no hooks, no filters of the repository, no submodules, no questions. */
import { mkdirSync } from 'node:fs'
import { errorMessage, SvcError } from 'svc/sdk'
import { type ChildRun, runChild } from 'svc/sdk/kit/process'
import type { GitAddress } from './git-address.ts'

/** What the remote repository has. */
export interface RemoteRefs {
  /** Commit of the default branch. */
  readonly head: string | undefined
  readonly branches: ReadonlyMap<string, string>
  /** Commits; an annotated tag is resolved. */
  readonly tags: ReadonlyMap<string, string>
}

/** A commit, and what was asked for. */
export interface ResolvedRef {
  readonly commit: string
  readonly refKind: 'tag' | 'branch' | 'commit'
}

const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_OPTIONAL_LOCKS: '0',
}

/** Asks the remote repository. Throws `PLUGIN_GIT_FAILED` or `PLUGIN_GIT_MISSING`. */
export async function readRemote({ url }: GitAddress, cwd: string, run: ChildRun): Promise<RemoteRefs> {
  const text = await git(['ls-remote', '--quiet', '--', url], cwd, run)
  const refs = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [commit, name] = line.split('\t')
    if (commit && name) refs.set(name, commit)
  }
  const below = (prefix: string) =>
    [...refs].filter(([name]) => name.startsWith(prefix)).map(([name, id]) => [name.slice(prefix.length), id] as const)
  const tags = new Map(below('refs/tags/').filter(([name]) => !name.endsWith('^{}')))
  for (const [name, commit] of below('refs/tags/')) if (name.endsWith('^{}')) tags.set(name.slice(0, -3), commit)
  return { head: refs.get('HEAD'), branches: new Map(below('refs/heads/')), tags }
}

/** Throws `PLUGIN_GIT_FAILED` when there is no such tag or branch. */
export function resolveRef({ url, ref }: GitAddress, { head, branches, tags }: RemoteRefs): ResolvedRef {
  const tag = ref === undefined ? undefined : tags.get(ref)
  if (tag !== undefined) return { commit: tag, refKind: 'tag' }
  const branch = ref === undefined ? head : branches.get(ref)
  if (branch !== undefined) return { commit: branch, refKind: 'branch' }
  if (ref !== undefined && /^[0-9a-f]{40}$/.test(ref)) return { commit: ref, refKind: 'commit' }
  const what = ref === undefined ? 'no commit' : `no tag or branch "${ref}", and a commit needs all 40 digits`
  throw new SvcError('PLUGIN_GIT_FAILED', `${url} has ${what}.`, { status: 400 })
}

/** Writes the files of one commit to a new folder, with `.git`. */
export async function checkOut(
  { url, ref }: GitAddress,
  { commit, refKind }: ResolvedRef,
  dir: string,
  run: ChildRun,
): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await git(['init', '--quiet', '--template='], dir, run)
  const wanted = ref === undefined ? 'HEAD' : { tag: `refs/tags/${ref}`, branch: `refs/heads/${ref}`, commit }[refKind]
  const shallow = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules']
  await git(['fetch', ...shallow, '--', url, wanted], dir, run)
  const fetched = (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], dir, run)).trim()
  if (fetched !== commit)
    throw new SvcError('PLUGIN_GIT_FAILED', `${ref ?? 'HEAD'} of ${url} moved while it was read. Try again.`)
  await git(['checkout', '--quiet', '--detach', fetched], dir, run)
}

async function git(words: readonly string[], cwd: string, run: ChildRun): Promise<string> {
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'advice.detachedHead=false']
  const result = await runChild('git', [...safe, ...words], run, { cwd, env: environment }).catch((cause: unknown) => {
    run.signal.throwIfAborted()
    throw new SvcError('PLUGIN_GIT_MISSING', `git could not be started: ${errorMessage(cause)}. Install git.`, {
      cause,
    })
  })
  if (result.code === 0) return result.out
  const reason = result.timedOutAfterMs
    ? `it took longer than ${result.timedOutAfterMs / 1000} s`
    : result.err.trim().split('\n').slice(0, 3).join(' ').slice(0, 1000) || 'it said nothing'
  throw new SvcError('PLUGIN_GIT_FAILED', `git ${words[0]} failed: ${reason}`)
}
