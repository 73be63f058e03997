/** What leaves the machine: a real git pushes to a bare repository and to servers on loopback, and a program stands in for gh. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { findRepositoryName } from '../../../../plugins/dashboard/dashboard-workspace/git-remote.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard } from '../dashboard/desk.ts'

function git(cwd: string, ...args: string[]): string {
  const own = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  return execFileSync('git', [...own, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

/** A repository with one commit, its bare remote, and a dashboard; programs of the folder `bin` are found before others. */
async function openRepository({ hasRemote = true, hasGh = false } = {}) {
  const folder = realpathSync(temporaryFolder())
  const [work, remote, bin, person] = ['work', 'remote.git', 'bin', 'person'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const each of [work, bin, person, join(person, 'gh')]) mkdirSync(each)
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  git(work, 'init', '--quiet', '--initial-branch=main')
  git(work, 'config', 'user.name', 'A')
  git(work, 'config', 'user.email', 'a@example.com')
  writeFileSync(join(work, 'a.txt'), 'one\n')
  git(work, 'add', '.')
  git(work, 'commit', '--quiet', '-m', 'First')
  if (hasRemote) git(work, 'remote', 'add', 'origin', remote)
  for (const name of ['git', 'sh', 'env', 'cat', 'touch', 'ssh']) {
    const path = execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim()
    if (path !== '') symlinkSync(path, join(bin, name))
  }
  symlinkSync(process.execPath, join(bin, 'node'))
  if (hasGh) {
    copyFileSync(join(root, 'test/support/gh/gh.mjs'), join(bin, 'gh'))
    execFileSync('chmod', ['755', join(bin, 'gh')])
  }
  const env = { PATH: bin, HOME: person, GH_CONFIG_DIR: join(person, 'gh') }
  const desk = await openDashboard({ plugins: ['dashboard-workspace', 'sessions', 'checkpoints'], env })
  const session = desk.kernel.use(Sessions).create({ surface: 'cli', cwd: work }).id
  return {
    ...{ ...desk, work, remote, bin, person },
    info: async () => (await desk.ask('GET', `/api/git/review/ship-info?session=${session}`)).json,
    post: (path: string, body: object = {}) =>
      desk.ask('POST', `/api/git/review/${path}`, { body: { session, ...body } }),
  }
}

test('a new branch is pushed where the person confirmed it, gets its upstream, and the next commit goes with its push', async () => {
  const { work, remote, info, post } = await openRepository()
  const before = { branch: 'main', remote: 'origin', url: remote, upstream: null, ahead: null }
  expect(await info()).toEqual({ target: before, reason: null, gh_ready: false, pr: null })
  const elsewhere = await post('push', { url: `${remote}-other` })
  expect([elsewhere.status, elsewhere.json.code]).toEqual([409, 'push'])
  expect(elsewhere.json.detail).toContain(`would go to ${remote}, not to ${remote}-other`)
  expect((await post('push', { url: remote })).json).toEqual({
    ok: true,
    target: { ...before, upstream: 'origin/main', ahead: 0 },
  })
  expect(git(remote, 'rev-parse', 'main')).toBe(git(work, 'rev-parse', 'HEAD'))
  writeFileSync(join(work, 'a.txt'), 'two\n')
  git(work, 'add', '.')
  const made = (await post('commit', { message: 'Second', push: remote })).json
  expect(made).toMatchObject({ ok: true, pushed: true, push_error: null })
  expect(git(remote, 'rev-parse', 'main')).toBe(made.sha)
})

test('what the remote has and the branch has not is never overwritten, and a commit stays when its push is refused', async () => {
  const { work, remote, info, post } = await openRepository()
  await post('push', { url: remote })
  const other = join(work, '../other')
  git(work, 'clone', '--quiet', remote, other)
  writeFileSync(join(other, 'b.txt'), 'theirs\n')
  git(other, 'add', '.')
  git(other, 'commit', '--quiet', '-m', 'Theirs')
  git(other, 'push', '--quiet')
  writeFileSync(join(work, 'a.txt'), 'mine\n')
  git(work, 'add', '.')
  const made = (await post('commit', { message: 'Mine', push: remote })).json
  expect(made).toMatchObject({ ok: true, pushed: false, push_error: { code: 'push_rejected' } })
  expect(git(work, 'rev-parse', 'HEAD')).toBe(made.sha)
  expect((await info()).target.ahead).toBe(1)
  const again = await post('push', { url: remote })
  expect([again.status, again.json.code]).toEqual([409, 'push_rejected'])
  expect(again.json.detail).toContain('git pull --rebase')
  expect(git(remote, 'log', '-1', '--format=%s', 'main')).toBe('Theirs')
})

test('without a remote, without a branch and with remotes of which none is meant, the reason says what to do', async () => {
  const { work, remote, info, post } = await openRepository({ hasRemote: false })
  expect(await info()).toMatchObject({ target: null, reason: expect.stringContaining('has no remote') })
  expect((await post('push', { url: remote })).json.code).toBe('no_remote')
  git(work, 'remote', 'add', 'one', remote)
  expect((await info()).target.remote).toBe('one')
  git(work, 'remote', 'add', 'two', remote)
  expect((await info()).reason).toContain('git branch --set-upstream-to REMOTE/main')
  git(work, 'remote', 'rename', 'two', 'origin')
  git(work, 'remote', 'set-url', '--add', '--push', 'origin', remote)
  git(work, 'remote', 'set-url', '--add', '--push', 'origin', '/elsewhere')
  expect((await info()).reason).toContain('2 addresses')
  git(work, 'checkout', '--quiet', '--detach')
  expect(await info()).toMatchObject({ target: null, reason: expect.stringContaining('No branch is checked out') })
})

test('a remote that wants a login is told so and nothing is asked', async () => {
  const { work, post } = await openRepository({ hasRemote: false })
  const asked: string[] = []
  const server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    reply.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/b.git`
  git(work, 'remote', 'add', 'origin', url)
  const refused = await post('push', { url })
  expect([refused.status, refused.json.code, refused.json.detail]).toEqual([
    409,
    'push_login',
    expect.stringContaining('Sign in once in a terminal'),
  ])
  expect(asked[0]).toContain('service=git-receive-pack')
})

test('programs that the repository names, here or at a remote on this machine, do not run', async () => {
  const { work, remote, post } = await openRepository()
  const mark = join(work, '../ran')
  const program = `#!/bin/sh\ntouch ${mark}\n`
  for (const hook of ['pre-push', 'reference-transaction', 'post-commit'])
    writeFileSync(join(work, '.git/hooks', hook), program, { mode: 0o755 })
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction', 'proc-receive'])
    writeFileSync(join(remote, 'hooks', hook), program, { mode: 0o755 })
  writeFileSync(join(remote, 'hook.sh'), program, { mode: 0o755 })
  git(remote, 'config', 'core.alternateRefsCommand', join(remote, 'hook.sh'))
  git(remote, 'config', 'core.fsmonitor', join(remote, 'hook.sh'))
  git(remote, 'config', 'gc.recentObjectsHook', join(remote, 'hook.sh'))
  expect((await post('push', { url: remote })).status).toBe(200)
  for (const [name, value] of [
    ['remote.origin.receivepack', `touch ${mark}; git-receive-pack`],
    ['remote.origin.vcs', 'evil'],
    ['core.sshCommand', `touch ${mark}`],
    ['credential.helper', `!touch ${mark}`],
    ['credential.https://x.example.helper', `!touch ${mark}`],
    ['core.askPass', join(remote, 'hook.sh')],
  ] as const) {
    git(work, 'config', name, value)
    const refused = await post('push', { url: remote })
    expect([name, refused.status, refused.json.code]).toEqual([name, 409, 'push'])
    expect(refused.json.detail.toLowerCase()).toContain(name.toLowerCase())
    git(work, 'config', '--unset', name)
  }
  for (const url of [`ext::touch ${mark}`, 'evil::x', '--upload-pack=touch', '-oProxyCommand=touch:x']) {
    git(work, 'config', 'remote.origin.url', url)
    expect([url, (await post('push', { url })).status]).toEqual([url, 409])
  }
  expect(existsSync(mark)).toBe(false)
})

test('a pull request is opened once, by gh outside of the repository, when the branch is pushed', async () => {
  const { work, remote, person, info, post } = await openRepository({ hasGh: true })
  const address = 'https://github.com/ann/otters.git'
  git(work, 'remote', 'set-url', 'origin', address)
  // The person has git go to another place for this address, as for a mirror.
  git(work, 'checkout', '--quiet', '-b', 'feature')
  const body = { title: 'Otters; $(touch x)', body: 'They swim.' }
  expect((await info()).gh_ready).toBe(false)
  writeFileSync(join(person, 'gh/hosts.yml'), 'github.com:\n  user: ann\n')
  expect(await info()).toMatchObject({ target: { url: address, upstream: null }, gh_ready: true, pr: null })
  const early = await post('create-pr', body)
  expect([early.status, early.json.code]).toEqual([409, 'gh'])
  expect(early.json.detail).toContain('Push first')
  git(work, 'push', '--quiet', remote, 'feature')
  git(work, 'update-ref', 'refs/remotes/origin/feature', 'feature')
  git(work, 'branch', '--quiet', '--set-upstream-to=origin/feature')
  expect((await post('create-pr', body)).json).toEqual({ url: 'https://github.com/ann/otters/pull/1' })
  expect((await info()).pr).toEqual({
    number: 1,
    url: 'https://github.com/ann/otters/pull/1',
    state: 'OPEN',
    title: 'Otters; $(touch x)',
  })
  const twice = await post('create-pr', body)
  expect([twice.status, twice.json.detail]).toEqual([409, expect.stringContaining('already exists')])
  const lines = readFileSync(join(person, 'gh/calls.log'), 'utf8').trim().split('\n')
  const calls = lines.map((line) => JSON.parse(line) as { cwd: string; environment: string[] })
  expect(calls.some(({ cwd }) => cwd.startsWith(work))).toBe(false)
  expect(calls.every(({ environment }) => environment.includes('GH_PROMPT_DISABLED'))).toBe(true)
})

test('without gh, and where the remote is no GitHub, a pull request is refused with what to do', async () => {
  const { work, remote, post } = await openRepository()
  await post('push', { url: remote })
  const nowhere = await post('create-pr', { title: 'x' })
  expect([nowhere.status, nowhere.json.detail]).toEqual([409, expect.stringContaining('is at no GitHub')])
  git(work, 'remote', 'set-url', 'origin', 'git@github.com:ann/otters.git')
  const absent = await post('create-pr', { title: 'x' })
  expect([absent.status, absent.json.detail]).toEqual([409, expect.stringContaining('gh is not installed')])
})

test('the repository as gh names it', () => {
  const names = {
    'https://github.com/ann/otters.git': 'ann/otters',
    'https://token@github.com/ann/otters/': 'ann/otters',
    'git@github.com:ann/otters.git': 'ann/otters',
    'ssh://git@git.example.com:2222/ann/otters.git': 'git.example.com/ann/otters',
    '/srv/otters.git': undefined,
    'file:///srv/ann/otters.git': undefined,
    'https://example.com/a/b/c': undefined,
  }
  for (const [url, name] of Object.entries(names)) expect([url, findRepositoryName(url)]).toEqual([url, name])
})
