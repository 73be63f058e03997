/** Clones the repository of an entry at a branch, a tag or a commit: no hooks, no submodules, no questions. */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { isAbsolute, join, sep } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { CatalogInstall } from './manifest.ts'
import { type RunDeps, runProgram } from './program-run.ts'

const MAX_FILES = 50_000
const COMMIT = /^[0-9a-f]{7,40}$/

const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'advice.detachedHead=false']
const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_CONFIG_NOSYSTEM: '1',
}

/**
 * Writes the files of `ref` to the new folder `dir` and returns the commit. Throws `MCP_CATALOG_GIT`, and `MCP_CATALOG_UNSAFE`
 * for a repository with links that lead out of it.
 */
export async function clone({ url, ref }: CatalogInstall, dir: string, deps: RunDeps): Promise<string> {
  const git = (...words: string[]) => runGit(words, dir, deps)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await git('init', '--quiet', '--template=')
  const names = await git('ls-remote', '--quiet', '--', url, `refs/tags/${ref}`, `refs/heads/${ref}`)
  const found = names.split('\n').flatMap((each) => each.split('\t')[1] ?? [])
  const wanted = found.find((name) => name === `refs/tags/${ref}`) ?? found.find((name) => name === `refs/heads/${ref}`)
  const shallow = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url] as const
  let start = 'FETCH_HEAD'
  if (wanted !== undefined) await git(...shallow, wanted)
  else if (!COMMIT.test(ref)) throw failed(`${url} has no branch, tag or commit "${ref}"`)
  else {
    // Servers need not give a commit by its id, and none knows a short one: then it is looked for in all that there is.
    await git('fetch', '--quiet', '--no-recurse-submodules', '--tags', '--', url, '+refs/heads/*:refs/remotes/origin/*')
    start = ref
  }
  const commit = (await git('rev-parse', '--verify', '--end-of-options', `${start}^{commit}`)).trim()
  await git('checkout', '--quiet', '--detach', commit)
  refuseLinksOut(dir)
  return commit
}

async function runGit(words: readonly string[], cwd: string, deps: RunDeps): Promise<string> {
  const { code, out, said } = await runProgram({ command: ['git', ...SAFE, ...words], cwd, env: ENVIRONMENT }, deps)
  if (code === 0) return out
  throw failed(
    `git ${words[0]} failed: ${said.trim().split('\n').slice(0, 3).join(' ').slice(0, 1000) || 'it said nothing'}`,
  )
}

function failed(reason: string): SvcError {
  return new SvcError('MCP_CATALOG_GIT', `${reason}. Nothing was installed.`, { status: 502 })
}

/** Links inside the clone are fine; what leads out of it would let the entry reach files that are not its own. */
function refuseLinksOut(dir: string): void {
  const root = realpathSync(dir)
  let files = 0
  const visit = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const stats = lstatSync(path)
      files += 1
      if (files > MAX_FILES) throw unsafe(`it has over ${MAX_FILES} files`)
      if (stats.isSymbolicLink() && !leadsInside(root, path))
        throw unsafe(`${path.slice(root.length + 1)} is a symbolic link that leads out of it, to ${readlinkSync(path)}`)
      if (stats.isDirectory() && name !== '.git') visit(path)
    }
  }
  visit(root)
}

function leadsInside(root: string, link: string): boolean {
  if (isAbsolute(readlinkSync(link))) return false
  try {
    return realpathSync(link).startsWith(root + sep)
  } catch {
    // A link to nothing today may lead anywhere tomorrow.
    return false
  }
}

function unsafe(reason: string): SvcError {
  return new SvcError('MCP_CATALOG_UNSAFE', `The repository is refused: ${reason}. Nothing was installed.`, {
    status: 400,
  })
}
