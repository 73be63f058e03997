import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StatusItems, type StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { gitHead } from '../../../../plugins/terminal-ui/tui-panes/git-head.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { openInterface } from './interface.ts'

test('the branch is that of the folder or of the nearest one above it', () => {
  const dir = temporaryFolder()
  writeFiles(dir, { '.git/HEAD': 'ref: refs/heads/feature/日本\n', 'a/b/c.txt': '' })
  expect(gitHead(dir)).toBe('feature/日本')
  expect(gitHead(join(dir, 'a/b'))).toBe('feature/日本')
})

test('a commit without a branch is shown by its beginning', () => {
  const dir = temporaryFolder()
  writeFiles(dir, { '.git/HEAD': `${'0123456789abcdef'.repeat(3).slice(0, 40)}\n` })
  expect(gitHead(dir)).toBe('0123456')
})

test('a worktree has its own branch', () => {
  const dir = temporaryFolder()
  writeFiles(dir, {
    'main/.git/HEAD': 'ref: refs/heads/main\n',
    'main/.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
    'side/.git': `gitdir: ${join(dir, 'main/.git/worktrees/side')}\n`,
    'main/module/.git': 'gitdir: ../.git/modules/module\n',
    'main/.git/modules/module/HEAD': 'ref: refs/heads/inner\n',
  })
  expect(gitHead(join(dir, 'main'))).toBe('main')
  expect(gitHead(join(dir, 'side'))).toBe('side')
  expect(gitHead(join(dir, 'main/module'))).toBe('inner')
})

test('what is no repository, or is damaged, has no branch', () => {
  const dir = temporaryFolder()
  for (const head of ['', 'ref: refs/tags/v1', 'x'.repeat(5000), 'ref: refs/heads/a b', 'ref: refs/heads/.invalid'])
    expect([head, gitHead(made(join(dir, `h${head.length}`), head))]).toEqual([head, undefined])
  mkdirSync(join(dir, 'odd/.git/HEAD'), { recursive: true })
  expect(gitHead(join(dir, 'odd'))).toBeUndefined()
  expect(gitHead(join(dir, 'gone'))).toBeUndefined()

  function made(folder: string, head: string): string {
    writeFiles(folder, { '.git/HEAD': head })
    return folder
  }
})

const git = hasGit()

test.skipIf(!git)('what git itself says is the same', () => {
  const dir = temporaryFolder()
  const run = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, encoding: 'utf8' }).trim()
  run(dir, 'init', '-q', '-b', 'trunk', 'repository')
  const repository = join(dir, 'repository')
  expect(gitHead(repository)).toBe('trunk')
  run(repository, 'commit', '-q', '--allow-empty', '-m', 'first')
  run(repository, 'worktree', 'add', '-q', '-b', 'side', '../side')
  expect(gitHead(join(dir, 'side'))).toBe(run(join(dir, 'side'), 'branch', '--show-current'))
  run(repository, 'checkout', '-q', '--detach')
  expect(run(repository, 'rev-parse', 'HEAD').startsWith(gitHead(repository) ?? 'x')).toBe(true)
})

function hasGit(): boolean {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    if ((process.env['SVC_TEST_REQUIRE_PROGRAMS'] ?? '') !== '') throw new Error('git is missing')
    return false
  }
}

test('the status bar looks the branch up again after some seconds', async () => {
  const cwd = temporaryFolder()
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/one\n' })
  const { kernel, ui, clock, renderText } = await openInterface({ cwd })
  const item = kernel.all(StatusItems).get('branch')
  const shown = () => renderText([(item?.line(ui.conversation) ?? []) as StyledLine])[0]
  expect(shown()).toBe('⎇ one')
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/two\n' })
  expect(shown()).toBe('⎇ one')
  await clock.advance(3000)
  expect(shown()).toBe('⎇ two')
})
