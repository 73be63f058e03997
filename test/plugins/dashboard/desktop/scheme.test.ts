/** How a system is told of `svc://` links: as data for each, and for real where the programs of freedesktop.org are. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  planRegistration,
  planRemoval,
  quoteExec,
  type SchemeSystem,
} from '../../../../plugins/dashboard/desktop/link-plan.ts'
import { runBuilt } from '../../../support/built.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const system = (platform: NodeJS.Platform, more: Partial<SchemeSystem> = {}): SchemeSystem => ({
  platform,
  userFolder: '/home/ada',
  program: ['/opt/node 20/node', '/opt/svc/bin.cjs'],
  ...more,
})

test('Linux gets an entry for this user, whose link is one word that is no option', () => {
  const plan = planRegistration(system('linux'))
  const [file] = plan?.files ?? []
  expect(file?.path).toBe('/home/ada/.local/share/applications/svc-desktop.desktop')
  expect(file?.text).toContain('\nExec="/opt/node 20/node" /opt/svc/bin.cjs desktop -- %u\n')
  expect(file?.text).toContain('\nMimeType=x-scheme-handler/svc;\n')
  expect(plan?.commands.at(-1)?.words).toEqual(['xdg-mime', 'default', 'svc-desktop.desktop', 'x-scheme-handler/svc'])
  const other = planRegistration(system('linux', { dataFolder: '/data' }))
  expect(other?.files[0]?.path).toBe('/data/applications/svc-desktop.desktop')
})

test('what has a meaning in an entry is quoted', () => {
  expect(['a', 'a b', '50%', 'a"b', 'a$b', 'a\\b'].map(quoteExec)).toEqual([
    'a',
    '"a b"',
    '50%%',
    '"a\\\\"b"',
    '"a\\\\$b"',
    '"a\\\\\\\\b"',
  ])
})

test('macOS gets an application whose script quotes the link, and Windows a command whose link is one word', () => {
  const mac = planRegistration(system('darwin', { program: ["/Users/o'hara/svc"] }))
  expect(mac?.files[0]?.text).toContain(
    `do shell script "'/Users/o'\\\\''hara/svc' 'desktop' -- " & quoted form of link &`,
  )
  expect(mac?.commands.map(({ words }) => words[0])).toContain('osacompile')
  const windows = planRegistration(system('win32', { program: ['C:\\svc\\svc.cmd'] }))
  expect(windows?.commands.at(-1)?.words).toEqual([
    ...['reg', 'add', 'HKCU\\Software\\Classes\\svc\\shell\\open\\command', '/ve', '/d'],
    ...['"C:\\svc\\svc.cmd" "desktop" "--" "%1"', '/f'],
  ])
  expect(planRemoval(system('win32'))?.commands[0]?.words.slice(0, 3)).toEqual([
    ...['reg', 'delete', 'HKCU\\Software\\Classes\\svc'],
  ])
  expect(planRegistration(system('aix'))).toBeUndefined()
})

describe.skipIf(!existsSync('/usr/bin/xdg-mime'))('with the programs of the system', () => {
  test('links are registered for svc, and that is taken back', () => {
    const home = temporaryFolder()
    const env = { HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: join(home, 'config') }
    const query = () =>
      execFileSync('xdg-mime', ['query', 'default', 'x-scheme-handler/svc'], {
        env: { ...env, PATH: process.env['PATH'], XDG_CURRENT_DESKTOP: 'X-Generic' },
      })
        .toString()
        .trim()
    const run = (word: string) => runBuilt(['desktop', word], { home, env })
    expect(run('register')).toMatchObject({ code: 0, out: expect.stringContaining('svc desktop unregister') })
    const entry = join(home, 'data/applications/svc-desktop.desktop')
    const [, exec = ''] = /^Exec=(.*) desktop -- %u$/m.exec(readFileSync(entry, 'utf8')) ?? []
    expect(existsSync(exec.split(' ').at(-1) ?? '')).toBe(true)
    expect(query()).toBe('svc-desktop.desktop')
    const planned = runBuilt(['uninstall', '--dry-run'], { home, env })
    expect(planned.out + planned.err).toContain(entry)
    expect(run('unregister').code).toBe(0)
    expect(existsSync(entry)).toBe(false)
    expect(query()).toBe('')
  })
})
