/** Versions of a checkout: a second checkout of the remote branch, built in its own folder. The first one is only read. */
import { resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { runChild } from 'svc/sdk/kit/process'
import type { SourceDeps, UpdateSource } from './source.ts'
import { runTool } from './tool.ts'

const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'advice.detachedHead=false']
const env = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh:git:file',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
}
const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
/** Digits of a commit that name its folder. */
const SHORT = 12

export const gitSource: UpdateSource = {
  async find(deps, typed) {
    const { base } = deps.installation
    const branch = typed ?? deps.followed ?? (await readBranch(deps))
    const remote = await readRemote(deps)
    const said = await git(['ls-remote', '--quiet', '--', remote, `refs/heads/${branch}`], base, deps)
    const [commit] = said.split('\t')
    if (!commit || !/^[0-9a-f]{40,64}$/.test(commit)) {
      const message = `${remote} has no branch ${branch}. Name one that it has: svc update --branch NAME`
      throw new SvcError('UPDATE_SOURCE', message, { status: 404 })
    }
    const isNewer = !(await holds(deps, commit))
    return { id: commit, title: `${branch} (${commit.slice(0, SHORT)})`, branch, isNewer }
  },
  async place(deps, { id: commit, branch = '' }, dir) {
    const remote = await readRemote(deps)
    await git(['init', '--quiet', '--template='], dir, deps)
    await git(['remote', 'add', 'origin', remote], dir, deps)
    const shallow = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules']
    await git(['fetch', ...shallow, 'origin', `refs/heads/${branch}`], dir, deps)
    const fetched = (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], dir, deps)).trim()
    if (fetched !== commit)
      throw new SvcError('UPDATE_SOURCE', `${branch} of ${remote} moved while it was read. Update again.`)
    await git(['checkout', '--quiet', '--detach', fetched], dir, deps)
    await runTool('npm', ['ci', ...quiet], deps.run, { cwd: dir })
    await runTool('npm', ['run', '--silent', 'build'], deps.run, { cwd: dir })
    await runTool('npm', ['prune', '--omit=dev', ...quiet], deps.run, { cwd: dir })
    return dir
  },
}

/** Whether the version in use is this commit or has it in its history: local commits are newer than what they began from. */
async function holds({ installation, run }: SourceDeps, commit: string): Promise<boolean> {
  const words = [...safe, 'merge-base', '--is-ancestor', commit, 'HEAD']
  const { code } = await runChild('git', words, run, { cwd: installation.root, env })
  return code === 0
}

/** Throws `UPDATE_SOURCE` for a checkout of one commit: which branch it should follow is for a person to say. */
async function readBranch(deps: SourceDeps): Promise<string> {
  const { base } = deps.installation
  const branch = (await git(['rev-parse', '--abbrev-ref', 'HEAD'], base, deps)).trim()
  if (branch !== 'HEAD') return branch
  // Written by `install.sh --branch`.
  const words = [...safe, 'config', '--get', 'svc.branch']
  const { out } = await runChild('git', words, deps.run, { cwd: base, env })
  if (out.trim() !== '') return out.trim()
  const message = `${base} is pinned to one commit. Name the branch that it should follow: svc update --branch main`
  throw new SvcError('UPDATE_SOURCE', message, { status: 409 })
}

async function readRemote(deps: SourceDeps): Promise<string> {
  const { base } = deps.installation
  const remote = (await git(['remote', 'get-url', 'origin'], base, deps)).trim()
  return /^\.\.?(?:\/|$)/.test(remote) ? resolve(base, remote) : remote
}

function git(words: readonly string[], cwd: string, { run }: SourceDeps): Promise<string> {
  return runTool('git', [...safe, ...words], run, { cwd, env })
}
