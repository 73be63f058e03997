import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkReadable, checkWritable, type ProtectedFolders } from '../../../../plugins/tools/tool-files/protection.ts'
import { fileTools, workspace } from './support.ts'

const home = '/home/me/.svc'
const places: ProtectedFolders = {
  homes: [home, `${home}/profiles/work`],
  readable: [`${home}/data/tool-results`],
  user: '/home/me',
  safe: undefined,
}

function reads(path: string): boolean {
  return isAllowed(() => checkReadable(path, places))
}

function writes(path: string, safe?: string): boolean {
  return isAllowed(() => checkWritable(path, { ...places, safe }))
}

function isAllowed(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^FILE_(PROTECTED|NOT_SAFE)$/) })
    return false
  }
}

test('files for secrets are not read, those that are shared in their place are', () => {
  const secret = ['/w/.env', '/w/.env.local', '/w/.env.production.local', '/home/me/.netrc', '/home/me/.kube/config']
  const svc = ['.env', 'auth.json', 'auth.lock', 'mcp-tokens/x.json', 'data/auth/keys.db', 'profiles/work/auth.json']
  const own = svc.map((name) => join(home, name))
  for (const path of [...secret, ...own, '/home/me/.docker/config.json', '/w/id_rsa'])
    expect(reads(path), path).toBe(false)
  const shared = ['.env.example', '.env.sample', '.env.dist', '.environment', 'env', 'auth.json', 'authors.md']
  for (const name of shared) expect(reads(join('/w', name)), name).toBe(true)
  expect(reads(join(home, 'data/tool-results/s/x.txt'))).toBe(true)
})

test('what decides about accounts, shells, the system and svc itself is not written', () => {
  const home = [
    ...['.ssh/config', '.gnupg/gpg.conf', '.aws/config', '.kube/config', '.docker/config.json', '.netrc', '.npmrc'],
    ...[
      '.bashrc',
      '.zshenv',
      '.profile',
      '.config/fish/config.fish',
      '.config/systemd/user/x.service',
      '.env',
      '.env.local',
    ],
    ...['.svc/config.yml', '.svc/config.json', '.svc/plugins/a/index.ts', '.svc/SOUL.md', '.svc/skills/a/SKILL.md'],
    ...['.svc/logs/svc.log', '.svc/scripts/a.sh', '.svc/cache/config.last-good.yaml', '.svc/npm/package.json'],
    ...['.svc/config.yaml', '.svc/.env', '.svc/auth.json', '.svc/data/approvals/approvals.db'],
    ...['.svc/profiles/work/config.yaml', '.svc/profiles/work/data/agent/x'],
  ]
  for (const path of [
    ...home.map((name) => join(places.user, name)),
    '/etc/hosts',
    '/boot/x',
    '/lib/systemd/x',
    '/run/docker.sock',
  ])
    expect(writes(path), path).toBe(false)
  const open = [
    '/home/me/project/.bashrc',
    '/home/me/project/.env',
    '/home/me/.svc/workspace/a/SKILL.md',
    '/usr/local/bin/x',
  ]
  for (const path of [...open, '/home/me/.vimrc', '/home/me/.svcx/config.yaml', '/w/config.yaml'])
    expect(writes(path), path).toBe(true)
})

test('with a safe root nothing outside of it is written, by whatever way the path leads', async () => {
  expect([writes('/w/a', '/w'), writes('/w', '/w'), writes('/wx/a', '/w'), writes('/a', '/w')]).toEqual([
    ...[true, true, false, false],
  ])
  using folder = workspace({ 'safe/a.txt': 'a', 'other/b.txt': 'b' })
  symlinkSync(folder.at('other'), folder.at('safe/link'))
  await using files = await fileTools(undefined, { SVC_WRITE_SAFE_ROOT: folder.at('safe') })
  for (const path of ['../other/b.txt', 'link/b.txt', folder.at('other/new.txt')]) {
    const writing = files.call('write_file', { path, content: 'x' }, folder.at('safe'))
    await expect(writing, path).rejects.toMatchObject({
      code: 'FILE_NOT_SAFE',
      message: expect.stringContaining('SVC_WRITE_SAFE_ROOT'),
    })
  }
  await files.call('write_file', { path: 'sub/new.txt', content: 'x' }, folder.at('safe'))
  expect(readFileSync(folder.at('other/b.txt'), 'utf8')).toBe('b')
  const reading = await files.call('read_file', { path: '../other/b.txt' }, folder.at('safe'))
  expect(reading.text).toBe('1\tb')
})

test('a file for secrets is written in a project, but what it held is shown to no one', async () => {
  using folder = workspace({ '.env': 'OLD=hunter22\n' })
  await using files = await fileTools()
  const { text, data } = await files.call('write_file', { path: '.env', content: 'NEW=1\n' }, folder.path)
  expect(`${text}${JSON.stringify(data)}`).not.toContain('hunter22')
  expect(readFileSync(folder.at('.env'), 'utf8')).toBe('NEW=1\n')
  const found = await files.call('search_files', { pattern: 'NEW' }, folder.path)
  expect(found.text).toContain('0 matches')
})

test('the home of the user is known by its real path', async () => {
  // A folder in the real home, as the rules are about that one.
  const own = mkdtempSync(join(homedir(), '.svc-test-'))
  try {
    mkdirSync(join(own, 'x'))
    writeFileSync(join(own, 'x/.npmrc'), 'not the one of the user\n')
    await using files = await fileTools()
    expect((await files.call('read_file', { path: 'x/.npmrc' }, own)).text).toContain('not the one')
    await expect(files.call('write_file', { path: '~/.npmrc', content: 'x' }, own)).rejects.toMatchObject({
      code: 'FILE_PROTECTED',
    })
  } finally {
    rmSync(own, { recursive: true })
  }
})
