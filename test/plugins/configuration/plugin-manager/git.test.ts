import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createGitRepository, type GitRepository } from '../../../support/git-repository.ts'
import { type Files, pluginFiles, plugins, pluginsJson, temporaryFolder } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

const yes = ['--yes', '--no-verify']

function release(version: string): Files {
  return pluginFiles('hello', { version })
}

function repository(): GitRepository {
  return createGitRepository(temporaryFolder())
}

async function readVersion(home: string): Promise<string> {
  return (await pluginsJson<{ manifest: { version: string } }>(home, ['info', 'hello'])).manifest.version
}

test('a tag is installed, the next release is found and taken, and a rollback needs no repository', async () => {
  const [home, remote] = [temporaryFolder(), repository()]
  const commit = remote.commit(release('1.0.0'), 'v1.0.0')
  const { out } = await plugins(home, ['install', `${remote.url}#v1.0.0`, ...yes])
  expect(out).toContain(`#v1.0.0 (commit ${commit.slice(0, 12)})`)
  expect(existsSync(join(home, 'plugins', 'hello', '.git'))).toBe(false)
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'current' }])
  remote.commit(release('1.1.0-beta.1'), 'v1.1.0-beta.1')
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'current' }])
  remote.commit(release('1.1.0'), 'v1.1.0', 'other-v9.0.0')
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'newer', available: 'v1.1.0' }])
  expect(await plugins(home, ['update', 'hello', ...yes])).toMatchObject({ code: 0 })
  expect(await readVersion(home)).toBe('1.1.0')
  expect(await plugins(home, ['rollback', 'hello', '--yes'])).toMatchObject({ code: 0 })
  expect(await readVersion(home)).toBe('1.0.0')
})

test('a tag that moved is reported and refused, also with --yes, unless that is accepted', async () => {
  const [home, remote] = [temporaryFolder(), repository()]
  const first = remote.commit(release('1.0.0'), 'v1.0.0')
  await plugins(home, ['install', `${remote.url}#v1.0.0`, ...yes])
  const second = remote.commit({ ...release('1.0.0'), 'more.js': 'export {}\n' }, 'v1.0.0')
  const note = `was commit ${first.slice(0, 12)} and is ${second.slice(0, 12)} now`
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([
    { status: 'moved', note: expect.stringContaining(note) },
  ])
  const refused = await plugins(home, ['update', 'hello', ...yes])
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(new RegExp(`${note}.*PLUGIN_TAG_MOVED`)) })
  const declined = await plugins(home, ['update', 'hello', '--no-verify'], { interactive: true, answers: ['no'] })
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining('PLUGIN_TAG_MOVED') })
  expect(existsSync(join(home, 'plugins', 'hello', 'more.js'))).toBe(false)
  expect(await plugins(home, ['update', 'hello', '--moved-tag', ...yes])).toMatchObject({ code: 0 })
  expect(existsSync(join(home, 'plugins', 'hello', 'more.js'))).toBe(true)
  remote.git('push', '--quiet', '--delete', 'origin', 'v1.0.0')
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([
    { status: 'moved', note: expect.stringContaining('deleted') },
  ])
})

test('a branch is followed, and a commit stays', async () => {
  const [home, other, remote] = [temporaryFolder(), temporaryFolder(), repository()]
  const commit = remote.commit(release('1.0.0'))
  await plugins(home, ['install', remote.url, ...yes])
  await plugins(other, ['install', `${remote.url}#${commit}`, ...yes])
  remote.commit(release('1.0.1'))
  expect((await plugins(home, ['update', ...yes])).out).toContain('hello is 1.0.1 now')
  expect((await plugins(home, ['update', 'hello', ...yes])).out).toContain('hello 1.0.1 is the newest')
  expect((await plugins(other, ['update', 'hello', ...yes])).out).toContain('hello 1.0.0 is an exact version')
})

test('a repository that is not there, a ref that is not there and addresses that are none are refused', async () => {
  const [home, remote] = [temporaryFolder(), repository()]
  remote.commit(release('1.0.0'))
  const install = async (spec: string) => (await plugins(home, ['install', spec, ...yes])).err
  expect(await install(`${remote.url}#v9`)).toContain('has no tag or branch "v9"')
  expect(await install(`git+file://${temporaryFolder()}/none.git`)).toMatch(/git ls-remote failed: .*PLUGIN_GIT_FAILED/)
  expect(await install(`${remote.url}#--upload-pack=touch`)).toContain('is not a tag, a branch or a commit')
  expect(await install('git+ext::sh -c id')).toContain('PLUGIN_SPEC')
  expect(await install('git+https://me:secret@example.com/x.git')).toContain('holds a password')
  vi.stubEnv('PATH', temporaryFolder())
  const { err } = await plugins(home, ['install', remote.url, ...yes])
  vi.unstubAllEnvs()
  expect(err).toContain('PLUGIN_GIT_MISSING')
  expect(existsSync(join(home, 'plugins'))).toBe(false)
})

test.skipIf(process.platform === 'win32')(
  'what a repository brings is not run: hooks, templates, links that lead out',
  async () => {
    const [home, remote] = [temporaryFolder(), repository()]
    const ran = join(home, 'ran')
    const user = temporaryFolder()
    mkdirSync(join(user, 'template', 'hooks'), { recursive: true })
    writeFileSync(join(user, 'template', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
    vi.stubEnv('GIT_TEMPLATE_DIR', join(user, 'template'))
    remote.commit({ ...release('1.0.0'), '.gitattributes': '*.js filter=evil\n' }, 'v1.0.0')
    expect(await plugins(home, ['install', `${remote.url}#v1.0.0`, ...yes])).toMatchObject({ code: 0 })
    vi.unstubAllEnvs()
    expect(existsSync(ran)).toBe(false)
    const leaky = temporaryFolder()
    const other = createGitRepository(leaky)
    symlinkSync('/etc', join(leaky, 'work', 'etc'))
    other.commit(pluginFiles('leaky'))
    expect((await plugins(home, ['install', other.url, ...yes])).err).toContain('PLUGIN_UNSAFE')
  },
)
