/** Stories of installations that are updated from a registry and from a repository, and that go back. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitRepository } from '../../../support/git-repository.ts'
import { isToday } from '../../../support/today.ts'
import {
  ask,
  describe,
  installGlobally,
  NAME,
  openRegistry,
  packProgram,
  packSmall,
  smallProgram,
  svc,
  version,
  writeProgram,
} from './support.ts'

test.runIf(isToday(0, 3))(
  'an installation of npm takes a newer version after a rehearsal, works with it, and goes back and forth',
  {
    timeout: 240_000,
  },
  async () => {
    const registry = await openRegistry()
    const at = installGlobally('0.2.0')
    registry.publishArchive(packProgram('0.2.0'), describe('0.2.0'))
    const env = { npm_config_registry: registry.url }
    expect(await ask(at, ['update', '--check'], env)).toMatchObject({ method: 'npm', from: '0.2.0', isNewer: false })
    registry.publishArchive(packProgram('0.3.0'), describe('0.3.0'))
    expect(await ask(at, ['update', '--check'], env)).toMatchObject({ to: '0.3.0', isNewer: true })
    expect(await version(at)).toBe('0.2.0')

    const { backup, ...done } = await ask(at, ['update', '--yes'], env)
    expect(done).toMatchObject({ version: '0.3.0', previous: '0.2.0', running: [] })
    expect(existsSync(String(backup))).toBe(true)
    expect(await version(at)).toBe('0.3.0')
    const turn = await svc(at, ['chat', '--provider', 'demo', '-q', 'what is 6 * 7'])
    expect(turn).toMatchObject({ code: 0, out: expect.stringContaining('42') })
    expect(readdirSync(at.versions).sort()).toEqual(['0.3.0', 'svc-versions.json'])
    expect(readdirSync(join(at.home, 'cache')).filter((name) => name.startsWith('update-'))).toEqual([])
    expect(await ask(at, ['update', '--check'], env)).toMatchObject({ from: '0.3.0', isNewer: false })

    expect(await ask(at, ['update', '--rollback', '--yes'])).toMatchObject({ from: '0.3.0', version: '0.2.0' })
    expect(await version(at)).toBe('0.2.0')
    expect(await ask(at, ['update', '--rollback', '--yes'])).toMatchObject({ version: '0.3.0' })
    expect(await version(at)).toBe('0.3.0')
  },
)

test.runIf(isToday(1, 3))(
  'a checkout takes the commit of its branch in a second checkout, and keeps what was edited in the first',
  {
    timeout: 240_000,
  },
  async () => {
    const at = installGlobally('0.2.0')
    const repository = createGitRepository(at.place)
    const build = `import { cpSync } from 'node:fs'\ncpSync(${JSON.stringify(join(at.base, 'dist'))}, 'dist', { recursive: true })\n`
    const files = (version: string) => ({
      'build.mjs': build,
      'package.json': JSON.stringify({ ...describe(version), scripts: { build: 'node build.mjs' } }),
      'package-lock.json': JSON.stringify({
        ...{ name: NAME, version, lockfileVersion: 3, requires: true },
        packages: { '': { name: NAME, version } },
      }),
      '.gitignore': 'dist\nnode_modules\n',
    })
    repository.commit(files('0.2.0'))
    const checkout = join(at.place, 'checkout')
    repository.git('clone', '--quiet', repository.url.replace('git+', ''), checkout)
    writeProgram(join(at.place, 'built'), '0.2.0')
    cpSync(join(at.place, 'built/dist'), join(checkout, 'dist'), { recursive: true })
    const here = { ...at, bin: join(checkout, 'dist/kernel/bin.cjs') }
    expect(await ask(here, ['update', '--check'])).toMatchObject({ method: 'git', isNewer: false })
    const commit = repository.commit({ ...files('0.3.0'), 'new.txt': 'x' })
    writeFileSync(join(checkout, 'build.mjs'), 'edited')
    expect(await ask(here, ['update', '--check'])).toMatchObject({ isNewer: true, to: `main (${commit.slice(0, 12)})` })
    expect(await ask(here, ['update', '--yes', '--no-backup'])).toMatchObject({ version: '0.3.0', previous: '0.2.0' })
    expect(await version(here)).toBe('0.3.0')
    expect(readFileSync(join(checkout, 'build.mjs'), 'utf8')).toBe('edited')
    expect(await ask(here, ['update', '--check'])).toMatchObject({ method: 'git', from: '0.3.0', isNewer: false })
    const other = await svc(here, ['update', '--branch', 'missing', '--yes'])
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('has no branch missing') })

    repository.git('-C', checkout, 'checkout', '--quiet', '--detach', 'HEAD')
    expect(await ask(here, ['update', '--rollback', '--yes'])).toMatchObject({ version: '0.2.0' })
    const pinned = await svc(here, ['update', '--check'])
    expect(pinned).toMatchObject({ code: 1, err: expect.stringContaining('svc update --branch main') })
  },
)

const broken: readonly (readonly [what: string, program: string, message: string])[] = [
  ['another version', smallProgram('9.9.9'), 'svc --version of 0.3.0'],
  ['a program that cannot start', 'throw new Error("no library")', 'no library'],
  ['no answer', smallProgram('0.3.0').replace('rehearsal', ''), 'a turn with the scripted model'],
  ['settings that it refuses', `${smallProgram('0.3.0')}if (first === 'config') process.exit(1)`, 'svc config migrate'],
]

test('a version that fails its rehearsal is not taken, and nothing of it stays', { timeout: 240_000 }, async () => {
  const registry = await openRegistry()
  const at = installGlobally('0.2.0')
  const env = { npm_config_registry: registry.url }
  for (const [number, [what, program, message]] of broken.entries()) {
    if (!isToday(number, broken.length)) continue
    const next = `0.3.${number}`
    const text = program.replaceAll('0.3.0', next)
    registry.publishArchive(packSmall(next, text), describe(next))
    const said = await svc(at, ['update', '--yes', '--no-backup'], env)
    expect(said, what).toMatchObject({ code: 1, err: expect.stringContaining(message.replace('0.3.0', next)) })
    expect(said.err, what).toContain('The new version was not taken')
    expect(readdirSync(at.versions), what).toEqual(['svc-versions.json'])
  }
  const other = { ...describe('0.4.0'), engines: { node: '>=99' } }
  registry.publishArchive(packSmall('0.4.0', smallProgram('0.4.0'), other), other)
  const said = await svc(at, ['update', '--yes', '--no-backup'], env)
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('needs Node >=99') })
  expect(await version(at)).toBe('0.2.0')
})

test.runIf(isToday(2, 3))(
  'without a registry, a tag, a version before, or a person nothing is changed',
  { timeout: 240_000 },
  async () => {
    const registry = await openRegistry()
    const at = installGlobally('0.2.0')
    const env = { npm_config_registry: registry.url, npm_config_fetch_retries: '0' }
    const before = readFileSync(join(at.base, 'dist/kernel/bin.cjs'), 'utf8')
    expect(await svc(at, ['update', '--check'], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('npm view'),
    })
    registry.publishArchive(packSmall('0.3.0', smallProgram('0.3.0')), describe('0.3.0'))
    const tag = await svc(at, ['update', '--branch', 'next'], env)
    expect(tag).toMatchObject({ code: 1, err: expect.stringContaining('no dist-tag next') })
    expect(await svc(at, ['update'], env)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
    const back = await svc(at, ['update', '--rollback', '--yes'])
    expect(back).toMatchObject({ code: 1, err: expect.stringContaining('no version to go back to') })
    expect(readFileSync(join(at.base, 'dist/kernel/bin.cjs'), 'utf8')).toBe(before)
  },
)

test.runIf(isToday(2, 3))(
  'a version whose folder was removed is named, and the one installed at first runs',
  {
    timeout: 240_000,
  },
  async () => {
    const registry = await openRegistry()
    const at = installGlobally('0.2.0')
    registry.publishArchive(packSmall('0.3.0', smallProgram('0.3.0')), describe('0.3.0'))
    const env = { npm_config_registry: registry.url }
    expect(await ask(at, ['update', '--yes', '--no-backup'], env)).toMatchObject({ version: '0.3.0' })
    rmSync(at.versions, { recursive: true })
    const said = await svc(at, ['--version'])
    expect(said).toMatchObject({ code: 0, out: '0.2.0\n', err: expect.stringContaining('svc 0.3.0 is missing') })
    expect(await ask(at, ['update', '--yes', '--no-backup'], env)).toMatchObject({ version: '0.3.0' })
    expect(await version(at)).toBe('0.3.0')
  },
)
