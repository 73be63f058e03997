/** Installs from real git repositories on disk: what is cloned, run, refused, and taken back. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createGitRepository, type GitRepository } from '../../../support/git-repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { type Entry, openStory, type Story } from './support.ts'

interface Repository extends GitRepository {
  /** As a manifest names it. */
  readonly address: string
  readonly work: string
}

function createRepository(): Repository {
  const folder = temporaryFolder()
  const repository = createGitRepository(folder)
  return { ...repository, address: repository.url.replace('git+', ''), work: join(folder, 'work') }
}

const entry = (address: string, ref: string, ...bootstrap: string[]): Entry => ({
  transport: { type: 'stdio', command: '${INSTALL_DIR}/run.sh', args: ['--data=${INSTALL_DIR}/data'] },
  install: { type: 'git', url: address, ref, bootstrap },
})

const version = ({ home }: Story) => readFileSync(join(home, 'mcp-installs/clouds/version'), 'utf8')
const isEmpty = (story: Story) => {
  expect(story.installed()).toEqual([])
  expect(story.read('config.yaml')).toBe('')
}

test('the repository and the commands are shown, run after a yes, and the folder stands in the settings', async () => {
  const repository = createRepository()
  const commit = repository.commit({ version: '1', 'run.sh': '#!/bin/sh\n' }, 'v1')
  const story = openStory({
    clouds: entry(repository.address, 'v1', 'echo built > built', 'test "$INSTALL_DIR" = "$PWD"'),
  })
  const declined = await story.type(['install', 'clouds'], 'n')
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining('Clone it and run these commands? [y/N]') })
  expect(declined.out).toMatch(/clones +file:.* at v1, to .*mcp-installs\/clouds\n +then runs +echo built > built\n/)
  isEmpty(story)
  expect(await story.run(['install', 'clouds'])).toMatchObject({ code: 1, err: expect.stringContaining('CLI_CONFIRM') })
  isEmpty(story)
  const { code, out } = await story.run(['install', 'clouds', '--yes', '--json'])
  const dir = join(story.home, 'mcp-installs/clouds')
  expect({ code, json: JSON.parse(out) }).toEqual({ code: 0, json: { ok: true, name: 'clouds', dir, commit } })
  expect(readFileSync(join(dir, 'built'), 'utf8')).toBe('built\n')
  expect(parse(story.read('config.yaml'))).toMatchObject({
    mcp_servers: { clouds: { command: `${dir}/run.sh`, args: [`--data=${dir}/data`], enabled: true } },
  })
  expect((await story.run(['catalog'])).out).toMatch(/^clouds +enabled/m)
})

test('a branch, a tag, a whole commit and a short one are each checked out', async () => {
  const repository = createRepository()
  const first = repository.commit({ version: '1' }, 'v1')
  const second = repository.commit({ version: '2' })
  repository.commit({ version: '3' })
  const story = openStory({})
  for (const [ref, expected] of [
    ['main', '3'],
    ['v1', '1'],
    [second, '2'],
    [first.slice(0, 10), '1'],
  ] as const) {
    story.write('clouds', entry(repository.address, ref))
    expect(await story.run(['install', 'clouds', '--yes'])).toMatchObject({ code: 0 })
    expect(version(story)).toBe(expected)
  }
  expect(story.installed()).toEqual(['clouds'])
})

test('a command that fails leaves no folder, no server and no key, and its output is shown', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' })
  const auth = { type: 'api_key', env: [{ name: 'CLOUD_API_KEY' }] }
  const story = openStory({
    clouds: { ...entry(repository.address, 'main', 'echo first', 'echo no compiler here >&2; exit 3'), auth },
  })
  const { code, err } = await story.type(['install', 'clouds'], 'y', 'sk-0123456789')
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('failed with exit code 3') })
  expect(err).toContain('no compiler here')
  expect(err).toContain('MCP_CATALOG_BOOTSTRAP')
  isEmpty(story)
  expect(story.read('.env')).toBe('')
})

test('a failed second install leaves the first as it was, and so does one that is interrupted', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' }, 'v1')
  const story = openStory({ clouds: entry(repository.address, 'v1') })
  await story.run(['install', 'clouds', '--yes'])
  const before = story.read('config.yaml')
  repository.commit({ version: '2' }, 'v2')
  story.write('clouds', entry(repository.address, 'v2', 'exit 1'))
  expect((await story.run(['install', 'clouds', '--yes'])).code).toBe(1)
  expect([version(story), story.installed(), story.read('config.yaml')]).toEqual(['1', ['clouds'], before])
  const started = join(temporaryFolder(), 'started')
  story.write('clouds', entry(repository.address, 'v2', `echo $$ > ${started}; exec sleep 600`))
  const stop = new AbortController()
  const running = story.run(['install', 'clouds', '--yes'], { signal: stop.signal })
  await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toMatch(/\d+\n/)
  stop.abort(new Error('Interrupted'))
  expect((await running).code).not.toBe(0)
  expect([version(story), story.installed(), story.read('config.yaml')]).toEqual(['1', ['clouds'], before])
  expect(() => process.kill(Number(readFileSync(started, 'utf8')), 0)).toThrow()
})

test('an earlier folder that a killed install left aside comes back when the next one fails', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' })
  const story = openStory({ clouds: entry(repository.address, 'main', 'exit 1') })
  const root = join(story.home, 'mcp-installs')
  mkdirSync(join(root, '.before-clouds'), { recursive: true })
  mkdirSync(join(root, 'clouds'))
  writeFileSync(join(root, '.before-clouds/version'), 'kept')
  expect((await story.run(['install', 'clouds', '--yes'])).code).toBe(1)
  expect(version(story)).toBe('kept')
})

test('an unknown ref, a repository that is not there and one with links that lead out are refused', async () => {
  const repository = createRepository()
  symlinkSync('inside', join(repository.work, 'fine'))
  repository.commit({ version: '1', inside: 'a' }, 'v1')
  const story = openStory({ clouds: entry(repository.address, 'v9') })
  const install = () => story.run(['install', 'clouds', '--yes'])
  expect((await install()).err).toMatch(/no branch, tag or commit "v9".*MCP_CATALOG_GIT/)
  story.write('clouds', entry(repository.address, '0123456789'))
  expect((await install()).err).toMatch(/MCP_CATALOG_GIT/)
  story.write('clouds', entry('file:///nowhere/at/all.git', 'main'))
  expect((await install()).err).toMatch(/git ls-remote failed: .*MCP_CATALOG_GIT/)
  story.write('clouds', entry(repository.address, 'v1'))
  expect((await install()).code).toBe(0)
  expect((await story.run(['uninstall', 'clouds', '--yes'])).code).toBe(0)
  expect(story.client.asked).toEqual(['remove clouds'])
  expect(story.installed()).toEqual([])
  for (const [name, target] of [
    ['up', '../../.env'],
    ['absolute', '/etc/passwd'],
    ['nothing', 'not-there'],
  ] as const) {
    symlinkSync(target, join(repository.work, name))
    repository.commit({ version: name })
    story.write('clouds', entry(repository.address, 'main'))
    expect((await install()).err).toMatch(
      new RegExp(`${name} is a symbolic link that leads out of it.*MCP_CATALOG_UNSAFE`),
    )
    expect(story.installed()).toEqual([])
    repository.git('rm', '--quiet', name)
  }
})

test('hooks of a repository do not run, and its commands do not see the keys of svc', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' })
  const story = openStory(
    { clouds: entry(repository.address, 'main', 'env > seen') },
    { env: { OPENAI_API_KEY: 'sk-0123456789', FOO_TOKEN: 'foo-0123456789' } },
  )
  writeFileSync(join(story.home, '.env'), 'CLOUD_API_KEY=kept-0123456789\n')
  expect((await story.run(['install', 'clouds', '--yes'])).code).toBe(0)
  const seen = readFileSync(join(story.home, 'mcp-installs/clouds/seen'), 'utf8')
  expect(seen).toContain('PATH=')
  expect(seen).not.toMatch(/0123456789/)
  expect(existsSync(join(story.home, 'mcp-installs/clouds/.git/hooks'))).toBe(false)
})

test('a folder that no server uses is named, and uninstall removes it', async () => {
  const story = openStory({})
  mkdirSync(join(story.home, 'mcp-installs/old'), { recursive: true })
  expect((await story.run(['catalog'])).err).toContain('svc mcp uninstall old')
  expect((await story.run(['uninstall', 'old', '--yes'])).code).toBe(0)
  expect(story.installed()).toEqual([])
})

test('svc mcp remove takes the clone of an entry away, after a yes to its folder', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' })
  const story = openStory({ clouds: entry(repository.address, 'main') }, { client: 'real' })
  expect((await story.run(['install', 'clouds', '--yes'])).code).toBe(0)
  const folder = join(story.home, 'mcp-installs', 'clouds')
  expect(await story.type(['remove', 'clouds'], 'n')).toMatchObject({ code: 1, err: expect.stringContaining(folder) })
  expect(story.installed()).toEqual(['clouds'])
  expect((await story.run(['remove', 'clouds', '--yes'])).out).toContain('`svc mcp install clouds` installs it again')
  expect(story.installed()).toEqual([])
  expect(story.read('config.yaml')).not.toContain('clouds')
})

test('a folder for clones that cannot be written is named, and nothing is installed', async () => {
  const repository = createRepository()
  repository.commit({ version: '1' })
  const story = openStory({ clouds: entry(repository.address, 'main') })
  writeFileSync(join(story.home, 'mcp-installs'), 'no folder')
  const { code, err } = await story.run(['install', 'clouds', '--yes'])
  expect(code).toBe(1)
  expect(err).toMatch(/mcp-installs cannot be written \(.*\)\. Nothing was installed\. \(MCP_CATALOG_DISK\)/)
  expect(story.read('config.yaml')).toBe('')
  expect(story.read('mcp-installs')).toBe('no folder')
})
