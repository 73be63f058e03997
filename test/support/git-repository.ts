/** A bare git repository on disk, and a working copy that commits to it, by the real program git. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface GitRepository {
  /** As `svc plugins install` takes it. */
  readonly url: string
  /** Commits files to the branch `main` and sets tags, also those that exist; returns the commit. */
  commit(files: Readonly<Record<string, string>>, ...tags: string[]): string
  git(...words: string[]): string
}

/** Makes one below a folder. */
export function createGitRepository(folder: string): GitRepository {
  const [bare, work] = [join(folder, 'bare.git'), join(folder, 'work')]
  const settings = ['-c', 'user.name=A Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  const git = (...words: string[]) =>
    execFileSync('git', [...settings, ...words], { cwd: work, encoding: 'utf8', stdio: 'pipe' })
  mkdirSync(work, { recursive: true })
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', bare)
  return {
    url: `git+${pathToFileURL(bare).href}`,
    git,
    commit(files, ...tags) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, name)), { recursive: true })
        writeFileSync(join(work, name), text)
      }
      git('add', '--all')
      git('commit', '--quiet', '--message=A change')
      for (const tag of tags) git('tag', '--force', '--annotate', '--message=A release', tag)
      git('push', '--quiet', '--force', '--tags', 'origin', 'main')
      return git('rev-parse', 'HEAD').trim()
    },
  }
}
