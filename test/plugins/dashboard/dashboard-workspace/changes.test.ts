/** What the page of files changes: texts, removal, and what git stages, commits and takes back. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { Checkpoints } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { openDashboard } from '../dashboard/desk.ts'

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  })
}

async function openRepository(extra: readonly string[] = ['checkpoints']) {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')))
  git(work, 'init', '--quiet', '--initial-branch=main')
  git(work, 'config', 'user.name', 'A')
  git(work, 'config', 'user.email', 'a@example.com')
  mkdirSync(join(work, 'src'))
  writeFileSync(join(work, 'src/a.txt'), 'one\n')
  git(work, 'add', '.')
  git(work, 'commit', '--quiet', '-m', 'First')
  const desk = await openDashboard({
    plugins: ['dashboard-workspace', 'sessions', ...extra],
    ...(extra.length === 0 && { config: { plugins: { disabled: ['checkpoints'] } } }),
  })
  const session = desk.kernel.use(Sessions).create({ surface: 'cli', cwd: work }).id
  return {
    ...{ ...desk, work, session },
    read: (path: string, query: Readonly<Record<string, string>> = {}) =>
      desk.ask('GET', `${path}?${new URLSearchParams({ session, ...query })}`),
    post: (path: string, body: object = {}) => desk.ask('POST', path, { body: { session, ...body } }),
  }
}

test('a change is listed, staged, left out again and committed; the context names what a message is written from', async () => {
  const { work, read, post } = await openRepository()
  writeFileSync(join(work, 'src/a.txt'), 'one\ntwo\n')
  writeFileSync(join(work, 'new.txt'), 'new\n')
  const listed = (await read('/api/git/review/list')).json.files
  expect(listed).toEqual([
    { path: 'new.txt', added: null, removed: null, status: 'untracked', staged: false },
    { path: 'src/a.txt', added: 1, removed: 0, status: 'changed', staged: false },
  ])
  expect((await post('/api/git/review/stage', { path: 'src' })).json).toEqual({ ok: true })
  expect((await post('/api/git/review/stage', { path: 'new.txt' })).json).toEqual({ ok: true })
  expect((await post('/api/git/review/unstage', { path: 'new.txt' })).json).toEqual({ ok: true })
  const context = (await read('/api/git/review/commit-context')).json
  expect(context.stat).toContain('src/a.txt')
  expect(context.stat).not.toContain('new.txt')
  expect(context.recent).toEqual(['First'])
  const made = (await post('/api/git/review/commit', { message: 'Second\n\n--amend' })).json
  expect(git(work, 'log', '--format=%s|%H', '-1').trim()).toBe(`Second|${made.sha}`)
  expect(git(work, 'show', '--name-only', '--format=').trim()).toBe('src/a.txt')
  expect((await post('/api/git/review/commit', { message: 'Nothing' })).status).toBe(409)
})

test('a branch is compared with its base, switched, and checked out in a folder of its own', async () => {
  const { work, read, post } = await openRepository()
  git(work, 'branch', 'feature')
  expect((await post('/api/git/branch/switch', { branch: 'feature' })).json).toEqual({ branch: 'feature' })
  writeFileSync(join(work, 'src/a.txt'), 'two\n')
  git(work, 'commit', '--quiet', '-am', 'Two')
  const { files } = (await read('/api/git/review/list', { scope: 'branch' })).json
  expect(files).toEqual([{ path: 'src/a.txt', added: 1, removed: 1, status: 'changed', staged: false }])
  const added = (await post('/api/git/worktree/add', { branch: 'fix/it', base: 'main' })).json
  expect(added).toEqual({ branch: 'fix/it', path: join(work, '.worktrees/fix-it') })
  expect(readFileSync(join(added.path, 'src/a.txt'), 'utf8')).toBe('one\n')
  const { branches, default_branch } = (await read('/api/git/branches')).json
  expect(default_branch).toBe('main')
  expect(branches.find(({ name }: { name: string }) => name === 'fix/it').worktree_path).toBe(added.path)
  expect((await read('/api/git/worktrees')).json.worktrees.map(({ branch }: { branch: string }) => branch)).toEqual([
    'feature',
    'fix/it',
  ])
  writeFileSync(join(added.path, 'src/a.txt'), 'unsaved\n')
  expect((await post('/api/git/worktree/remove', { worktree_path: added.path })).status).toBe(409)
  git(added.path, 'checkout', '--quiet', '.')
  expect((await post('/api/git/worktree/remove', { worktree_path: work })).status).toBe(404)
  expect((await post('/api/git/worktree/remove', { worktree_path: added.path })).json).toEqual({ removed: added.path })
  expect((await post('/api/git/branch/switch', { branch: '--detach' })).status).toBe(400)
})

test('programs that the repository names do not run: filters, hooks, watchers', async () => {
  const { work, read, post } = await openRepository()
  const mark = join(work, '..', `${work.split('/').at(-1)}-ran`)
  const program = `touch ${mark}`
  writeFileSync(join(work, '.git/hooks/pre-commit'), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  git(work, 'config', 'filter.evil.clean', `sh -c '${program}; cat'`)
  git(work, 'config', 'filter.evil.required', 'true')
  git(work, 'config', 'core.fsmonitor', program)
  writeFileSync(join(work, '.gitattributes'), '*.txt filter=evil\n')
  writeFileSync(join(work, 'src/a.txt'), 'changed\n')
  expect((await read('/api/git/status')).json.status.files).toHaveLength(2)
  expect((await read('/api/git/diff', { path: 'src/a.txt' })).json.diff).toContain('+changed')
  expect((await post('/api/git/review/stage', { path: 'src/a.txt' })).status).toBe(200)
  expect((await post('/api/git/review/commit', { message: 'Second' })).status).toBe(200)
  expect((await post('/api/git/worktree/add', { branch: 'other' })).status).toBe(200)
  expect(existsSync(mark)).toBe(false)
})

test('what is reverted or removed comes back from the checkpoint that the answer names', async () => {
  const { work, post, ask, session, kernel } = await openRepository()
  writeFileSync(join(work, 'src/a.txt'), 'of a day\n')
  const reverted = (await post('/api/git/review/revert', { path: 'src/a.txt' })).json
  expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('one\n')
  await kernel.use(Checkpoints).restore(work, reverted.checkpoint)
  expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('of a day\n')

  const remove = (body: object) => ask('DELETE', '/api/files', { body: { session, ...body } })
  expect((await remove({ path: 'src' })).status).toBe(409)
  expect((await remove({ path: '.' })).status).toBe(400)
  expect((await remove({ path: 'gone.txt' })).status).toBe(404)
  expect((await remove({ path: '../x' })).status).toBe(403)
  const removed = (await remove({ path: 'src', recursive: true })).json
  expect(existsSync(join(work, 'src'))).toBe(false)
  await kernel.use(Checkpoints).restore(work, removed.checkpoint)
  expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('of a day\n')
})

test('a text is written as it was read, and not over a change of others', async () => {
  const { work, read, post } = await openRepository()
  const write = (path: string, content: string, mtime: number | null) =>
    post('/api/fs/write-text', { path, content, mtime })
  const { mtime } = (await read('/api/files/read', { path: 'src/a.txt' })).json
  const first = await write('src/a.txt', 'edited\n', mtime)
  expect(first.json).toMatchObject({ ok: true, entry: { path: 'src/a.txt', size: 7 } })
  expect((await write('src/a.txt', 'lost\n', mtime)).json.code).toBe('file_taken')
  expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('edited\n')
  expect((await write('src/a.txt', 'lost\n', null)).status).toBe(409)
  expect((await write('b.sh', 'new\n', null)).json.checkpoint).toBeNull()
  expect((await write('c.sh', 'new\n', 5)).status).toBe(409)
  writeFileSync(join(work, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  await write('run.sh', '#!/bin/sh\ntrue\n', statSync(join(work, 'run.sh')).mtimeMs)
  expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o755)
  expect((await write('../out.txt', 'new\n', null)).status).toBe(403)
})

test('without checkpoints nothing is removed', async () => {
  const { work, ask, post, session } = await openRepository([])
  expect((await ask('DELETE', '/api/files', { body: { session, path: 'src', recursive: true } })).json.code).toBe(
    'no_copy',
  )
  expect((await post('/api/git/review/revert', { path: 'src/a.txt' })).status).toBe(409)
  expect(existsSync(join(work, 'src/a.txt'))).toBe(true)
})

test('a file is compared with the last commit, with what is staged, and with the base of its branch', async () => {
  const { work, read } = await openRepository()
  const diff = async (path: string, query: Readonly<Record<string, string>>) => (await read(path, query)).json.diff
  git(work, 'switch', '--quiet', '--create', 'feature')
  writeFileSync(join(work, 'src/a.txt'), 'two\n')
  git(work, 'commit', '--quiet', '-am', 'Two')
  writeFileSync(join(work, 'src/a.txt'), 'three\n')
  git(work, 'add', '.')
  writeFileSync(join(work, 'src/a.txt'), 'four\n')
  const path = 'src/a.txt'
  expect(await diff('/api/git/file-diff', { path })).toMatch(/-two\n\+four\n/)
  expect(await diff('/api/git/review/diff', { path })).toMatch(/-two\n\+four\n/)
  expect(await diff('/api/git/review/diff', { path, staged: 'true' })).toMatch(/-two\n\+three\n/)
  expect(await diff('/api/git/review/diff', { path, scope: 'branch' })).toMatch(/-one\n\+four\n/)
  expect(await diff('/api/git/review/diff', { path, scope: 'branch', base: 'feature' })).toMatch(/-two\n\+four\n/)
  writeFileSync(join(work, 'src/new.txt'), 'new\n')
  expect(await diff('/api/git/file-diff', { path: 'src/new.txt' })).toContain('+new')
  writeFileSync(join(work, '.gitignore'), 'ignored.txt\n')
  writeFileSync(join(work, 'ignored.txt'), 'ignored\n')
  expect(await diff('/api/git/file-diff', { path: 'ignored.txt' })).toBe('')
  expect((await read('/api/git/review/diff', { path, base: '--output=x' })).status).toBe(400)
})

test('a commit is found by its name, and branches to begin with are listed', async () => {
  const { work, read } = await openRepository()
  const sha = git(work, 'rev-parse', 'HEAD').trim()
  git(work, 'branch', 'feature')
  git(work, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  git(work, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  expect((await read('/api/git/rev-parse')).json).toEqual({ sha })
  expect((await read('/api/git/rev-parse', { ref: 'feature' })).json).toEqual({ sha })
  expect((await read('/api/git/rev-parse', { ref: 'gone' })).json).toEqual({ sha: null })
  expect((await read('/api/git/rev-parse', { ref: '--all' })).status).toBe(400)
  const { branches, default_branch } = (await read('/api/git/base-branches')).json
  expect(default_branch).toBe('origin/main')
  expect(branches).toEqual(
    expect.arrayContaining([
      { name: 'main', sha, is_remote: false },
      { name: 'feature', sha, is_remote: false },
      { name: 'origin/main', sha, is_remote: true },
    ]),
  )
  expect(branches).toHaveLength(3)
})
