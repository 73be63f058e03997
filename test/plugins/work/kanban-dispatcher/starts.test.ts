/** What workers are started with: workspaces, logs, limits and budgets. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitRepository } from '../../../support/git-repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openStage } from './stage.ts'

const LIVES = 'exec sleep 300'

function startRepository() {
  const folder = temporaryFolder()
  createGitRepository(folder).commit({ 'README.md': 'hello' })
  const repository = join(folder, 'work')
  return {
    repository,
    git: (...words: string[]) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }),
  }
}

test('a worktree is made for a task on a branch of its own, and a later worker goes on in it', async () => {
  const { repository, git } = startRepository()
  await using stage = await openStage({ script: 'git rev-parse --abbrev-ref HEAD >> branch; exit 7' })
  const { id } = await stage.create({ workspace: { kind: 'worktree', path: repository }, maxRetries: 3 })
  await stage.until(id, 'blocked')
  const tree = join(repository, '.worktrees', id)
  expect(readFileSync(join(tree, 'README.md'), 'utf8')).toBe('hello')
  expect(readFileSync(join(tree, 'branch'), 'utf8')).toBe(`wt/${id}\n`.repeat(3))
  expect(git('worktree', 'list')).toContain(`.worktrees/${id}`)
  expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main\n')
})

test('a worktree that was removed by hand is made again with what was committed in it', async () => {
  const { repository } = startRepository()
  const commits = `echo work > done; git add done; git -c user.name=w -c user.email=w@example.com commit -qm work; exit 7`
  await using stage = await openStage({ script: `[ -e done ] && exec sleep 300; ${commits}` })
  const { id } = await stage.create({
    workspace: { kind: 'worktree', path: repository, branch: 'feature/x' },
    maxRetries: 9,
  })
  const tree = join(repository, '.worktrees', id)
  await stage.look()
  await expect.poll(() => existsSync(join(tree, 'done'))).toBe(true)
  const { hold } = await stage.boards.get(id)
  await expect.poll(() => existsSync(`/proc/${hold?.worker?.pid}/fd/0`)).toBe(false)
  rmSync(tree, { recursive: true, force: true })
  await stage.look()
  expect((await stage.boards.get(id)).status).toBe('running')
  expect(readFileSync(join(tree, 'done'), 'utf8')).toBe('work\n')
})

test('a worktree in a folder without a repository blocks the task with what git says', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create({ workspace: { kind: 'worktree', path: join(temporaryFolder(), 'x') } })
  await stage.look()
  const { status, blockReason } = await stage.boards.get(id)
  expect({ status, blockReason }).toMatchObject({
    status: 'blocked',
    blockReason: expect.stringMatching(/git made no worktree .*not a git repository/i),
  })
})

test('a log that is too large is put aside before the next worker writes', async () => {
  await using stage = await openStage({
    script: 'printf "%0200d\\n" 1; exit 7',
    settings: { log_bytes: 300, failure_limit: 5 },
  })
  const { id } = await stage.create()
  await stage.until(id, 'blocked')
  const file = join(stage.home, 'logs', 'kanban', `${id}.log`)
  const headings = (name: string) => readFileSync(name, 'utf8').match(/^--- .*run \d+/gm)?.length
  expect({ now: headings(file), before: headings(`${file}.1`) }).toEqual({ now: 1, before: 2 })
})

test('a look starts no more tasks than it was told, and blocks a task after as many failures as it was told', async () => {
  await using stage = await openStage({ script: LIVES })
  for (let at = 0; at < 3; at++) await stage.create({ title: `${at}` })
  const { started, skipped } = await stage.look({ max: 2 })
  expect({ started: started.length, skipped }).toMatchObject({ started: 2, skipped: [{ reason: 'cap' }] })
  const first = started[0]
  process.kill(-(first?.pid ?? 0), 'SIGKILL')
  await expect
    .poll(async () => (await stage.look({ max: 1, failureLimit: 1 })).ended)
    .toMatchObject([{ task: first?.task, outcome: 'crashed' }])
  expect(await stage.boards.get(first?.task ?? '')).toMatchObject({ status: 'blocked', failures: 1 })
})

test('a task whose budget is spent is blocked, and one of a board whose budget is spent waits', async () => {
  await using stage = await openStage({ script: LIVES })
  const spend = async (id: string, usd: number) => {
    const [run] = await stage.boards.runs({ taskId: id })
    await stage.boards.spend(run?.id ?? 0, { usd, unpricedCalls: 0, calls: 1, inputTokens: 1, outputTokens: 1 })
    await stage.boards.reclaim(id, { by: 'test' })
  }
  const dear = await stage.create({ title: 'dear', budgetUsd: 1, priority: 1 })
  await stage.look()
  await spend(dear.id, 1.5)
  expect((await stage.look()).skipped).toEqual([{ task: dear.id, reason: 'budget' }])
  expect(await stage.boards.get(dear.id)).toMatchObject({
    status: 'blocked',
    blockReason: expect.stringMatching(/budget of 1 USD/),
    spentUsd: 1.5,
  })
  await stage.boards.changeBoard('default', { budgetUsd: 1.2 })
  const other = await stage.create({ title: 'other' })
  expect((await stage.look()).skipped).toEqual([{ task: other.id, reason: 'board-budget' }])
  await stage.boards.changeBoard('default', { budgetUsd: 2 })
  expect((await stage.look()).started).toMatchObject([{ task: other.id }])
})

test('checks of hashes and of addresses decide, and what they found is kept', async () => {
  let answers = { status: 503, text: 'later' }
  await using stage = await openStage({
    script: `while [ ! -e end ]; do sleep 0.05; done; rm end`,
    fetch: () => answers,
    settings: { failure_limit: 3 },
  })
  const sha256 = '98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4' // of `hi`
  const { id } = await stage.create({
    checks: [
      { type: 'hash', path: 'out', sha256 },
      { type: 'http', url: 'https://example.com/health', contains: 'well' },
    ],
  })
  const handIn = async (text: string) => {
    if ((await stage.boards.get(id)).status === 'ready') await stage.look()
    const [run] = await stage.boards.runs({ taskId: id, isOpen: true })
    const folder = stage.records.list().find(({ epoch }) => epoch === run?.epoch)?.workspace ?? '/no-such-folder'
    writeFileSync(join(folder, 'out'), text)
    if (run) await stage.boards.submit(await stage.boards.leaseOf(run), { summary: 'x' })
    writeFileSync(join(folder, 'end'), '')
  }
  const lookAgain = async () => {
    await stage.look()
    return stage.boards.get(id)
  }
  await handIn('ho')
  await expect.poll(lookAgain).toMatchObject({ failures: 1 })
  const found = (await stage.boards.get(id)).evidence.map(({ detail }) => detail)
  expect(found).toEqual([
    expect.stringMatching(/^out has the SHA-256 [0-9a-f]{64}, not 98ea/),
    expect.stringMatching(/answered 503, not 200/),
  ])
  answers = { status: 200, text: 'all is well' }
  await handIn('hi\n')
  await expect.poll(lookAgain).toMatchObject({ status: 'done', isVerified: true })
})
