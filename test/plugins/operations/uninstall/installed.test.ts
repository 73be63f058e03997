/** Stories of installations that are removed: the built program removes itself. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGitRepository } from '../../../support/git-repository.ts'
import { writeFiles } from '../../../support/temporary.ts'
import { ask, describe, installGlobally, svc, writeProgram } from '../updates/support.ts'

const UNIT = '.config/systemd/user/svc-gateway.service'

test.runIf(process.platform === 'linux')(
  'an installation of npm goes with its services, commands, completion and versions; the data stays, or goes after a backup',
  { timeout: 240_000 },
  async () => {
    const at = installGlobally('0.2.0')
    const { place, home, base, bin, versions } = at
    writeFiles(place, { '.bashrc': 'export A=1\neval "$(svc completion bash)"\n' })
    mkdirSync(join(versions, '0.3.0'), { recursive: true })
    expect(await svc(at, ['gateway', 'install'])).toMatchObject({ code: 0 })
    expect(await svc(at, ['profile', 'create', 'work'])).toMatchObject({ code: 0 })
    expect(await svc(at, ['profile', 'alias', 'work'])).toMatchObject({ code: 0 })
    const there = () => [UNIT, '.local/bin/work'].map((path) => existsSync(join(place, path)))
    expect(there()).toEqual([true, true])

    const plan = await ask(at, ['uninstall', '--dry-run'])
    const steps = (plan['steps'] as string[]).join('\n')
    for (const part of [UNIT, '.bashrc', '.local/bin/work', versions, base]) expect(steps).toContain(part)
    expect(there()).toEqual([true, true])
    expect(existsSync(bin)).toBe(true)

    const done = await svc(at, ['uninstall', '--yes'])
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining(`The data is in ${home}`) })
    expect(there()).toEqual([false, false])
    expect(readFileSync(join(place, '.bashrc'), 'utf8')).toBe('export A=1\n')
    for (const path of [base, bin, versions]) expect(existsSync(path), path).toBe(false)
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('demo')

    // Installed again, it has its data, and removes that too.
    const again = installGlobally('0.2.0')
    const purged = await svc(again, ['uninstall', '--purge', '--yes'])
    expect(purged, purged.err).toMatchObject({ code: 0 })
    expect(existsSync(again.home)).toBe(false)
    expect(existsSync(again.base)).toBe(false)
    expect(readdirSync(`${again.home}-backups`)).toEqual([expect.stringMatching(/^svc-.*\.tar\.gz$/)])
  },
)

test('a checkout of install.sh goes with its link, unless it has work that is nowhere else', {
  timeout: 240_000,
}, async () => {
  const at = installGlobally('0.2.0')
  const repository = createGitRepository(at.place)
  repository.commit({ 'package.json': JSON.stringify(describe('0.2.0')), '.gitignore': 'dist\nnode_modules\n' })
  const checkout = join(at.place, 'share/svc')
  mkdirSync(join(at.place, 'share'))
  repository.git('clone', '--quiet', repository.url.replace('git+', ''), checkout)
  writeProgram(join(at.place, 'built'), '0.2.0')
  cpSync(join(at.place, 'built/dist'), join(checkout, 'dist'), { recursive: true })
  const entry = join(checkout, 'dist/kernel/bin.cjs')
  chmodSync(entry, 0o755)
  const link = join(at.place, '.local/bin/svc')
  mkdirSync(join(at.place, '.local/bin'), { recursive: true })
  symlinkSync(entry, link)
  const here = { ...at, bin: entry }
  const left = async () => ((await ask(here, ['uninstall', '--dry-run']))['left'] as string[]).join('\n')

  expect(await left()).toContain('install.sh did not make')
  writeFileSync(join(checkout, '.install_method'), 'git\n')
  expect(await left()).not.toContain(checkout)
  writeFileSync(join(checkout, 'package.json'), `${readFileSync(join(checkout, 'package.json'), 'utf8')}\n`)
  expect(await left()).toContain('not committed')
  repository.git('-C', checkout, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-am', 'mine')
  expect(await left()).toContain('commits that are nowhere else')
  repository.git('-C', checkout, 'reset', '--quiet', '--hard', 'origin/HEAD')

  expect(await svc(here, ['uninstall', '--yes'])).toMatchObject({ code: 0 })
  expect(existsSync(link)).toBe(false)
  expect(existsSync(checkout)).toBe(false)
  expect(existsSync(join(at.home, 'config.yaml'))).toBe(true)
})

test('a running gateway is stopped first', { timeout: 240_000 }, async () => {
  const at = installGlobally('0.2.0')
  expect(await svc(at, ['gateway', 'start'])).toMatchObject({ code: 0 })
  const plan = await ask(at, ['uninstall', '--dry-run'])
  expect(plan['running']).toEqual([expect.stringMatching(/^gateway \(process \d+\)$/)])
  const done = await svc(at, ['uninstall', '--yes'])
  expect(done, done.err).toMatchObject({ code: 0, out: expect.stringContaining('ok  Stop the gateway') })
  expect(existsSync(at.base)).toBe(false)
})
