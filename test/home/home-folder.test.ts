import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  defaultRoot,
  locateHome,
  prepareHome,
  readActiveProfile,
  readInheritedProfile,
} from '../../home/home-folder.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.for([
  ['linux', { HOME: '/home/ada' }, '/home/ada/.svc'],
  ['darwin', { HOME: '/Users/ada' }, '/Users/ada/.svc'],
  ['linux', {}, join(homedir(), '.svc')],
  ['linux', { HOME: '' }, join(homedir(), '.svc')],
  ['win32', { LOCALAPPDATA: '/local' }, join('/local', 'svc')],
  ['win32', {}, join(homedir(), 'AppData', 'Local', 'svc')],
] as const)('on %s with %j the home is %s', ([platform, env, expected]) => {
  expect(defaultRoot(env, platform)).toBe(expected)
})

test('SVC_HOME says where, relative to the working folder; empty counts as unset', () => {
  expect(locateHome({ SVC_HOME: '/srv/agent' })).toMatchObject({ dir: '/srv/agent', root: '/srv/agent' })
  expect(locateHome({ SVC_HOME: 'here' }).dir).toBe(join(process.cwd(), 'here'))
  expect(locateHome({ SVC_HOME: '', HOME: '/home/ada' }).dir).toBe(join('/home/ada', '.svc'))
})

test('a path inside the home is made of its parts', () => {
  expect(locateHome({ SVC_HOME: '/srv/agent' }).path('data', 'x.db')).toBe(join('/srv/agent', 'data', 'x.db'))
})

test('a profile is its own home, and "default" is the one without', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'profiles/work'), { recursive: true })
  const home = locateHome({ SVC_HOME: root }, 'work')
  expect(home).toMatchObject({ dir: join(root, 'profiles/work'), root, profile: 'work' })
  expect(home.path('.env')).toBe(join(root, 'profiles/work/.env'))
  expect(locateHome({ SVC_HOME: root }, 'default')).toMatchObject({ dir: root, profile: undefined })
})

test('a profile that is not there is not made by a typo; how to make it is told', () => {
  const root = temporaryFolder()
  expect(() => locateHome({ SVC_HOME: root }, 'wrok')).toThrow(
    expect.objectContaining({ code: 'PROFILE_UNKNOWN', message: expect.stringContaining('profile create wrok') }),
  )
  expect(existsSync(join(root, 'profiles'))).toBe(false)
})

test('the active profile is read from the root; without a file it is the default one', () => {
  const root = temporaryFolder()
  expect(readActiveProfile({ SVC_HOME: root })).toBeUndefined()
  for (const [text, name] of [
    ['work\n', 'work'],
    ['default\n', undefined],
    ['', undefined],
  ] as const) {
    writeFileSync(join(root, 'active_profile'), text)
    expect(readActiveProfile({ SVC_HOME: root })).toBe(name)
  }
})

test('an active profile that cannot be read is an error: work for another profile does not go to the default one', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'active_profile'))
  expect(() => readActiveProfile({ SVC_HOME: root })).toThrow(
    expect.objectContaining({ code: 'PROFILE_UNREADABLE', message: expect.stringContaining('-p default') }),
  )
  expect(readActiveProfile({ SVC_HOME: join(root, 'none') })).toBeUndefined()
})

test('a profile is inherited by what has the same home', () => {
  const root = temporaryFolder()
  const inherited = { SVC_HOME: root, SVC_PROFILE: 'work', SVC_PROFILE_OF: `${root}/` }
  expect(readInheritedProfile(inherited)).toBe('work')
  expect(readInheritedProfile({ ...inherited, SVC_HOME: `${root}/other` })).toBeUndefined()
  expect(readInheritedProfile({ ...inherited, SVC_PROFILE_OF: '' })).toBe('work')
  expect(readInheritedProfile({ SVC_HOME: root, SVC_PROFILE: '' })).toBeUndefined()
})

test.for(['', '..', '../..', 'a/b', '/etc', 'A', '-x', '.hidden', 'a b', 'a\0', 'x'.repeat(65)])(
  '%j cannot be a profile',
  (name) => {
    expect(() => locateHome({ SVC_HOME: temporaryFolder() }, name)).toThrow(/cannot be a profile/)
  },
)

test.skipIf(process.platform === 'win32')('a home is made for its user only', () => {
  const home = locateHome({ SVC_HOME: join(temporaryFolder(), 'new/home') })
  prepareHome(home)
  expect(statSync(home.dir).mode & 0o777).toBe(0o700)
  prepareHome(home)
})

test('a home that cannot be is told with what to do', () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'file'), '')
  for (const dir of ['file', 'file/below'])
    expect(() => prepareHome(locateHome({ SVC_HOME: join(root, dir) }))).toThrow(
      expect.objectContaining({ code: 'HOME_UNUSABLE', message: expect.stringContaining('SVC_HOME') }),
    )
})

test.skipIf(process.getuid?.() === 0)('a home that may not be written is told before anything else fails', () => {
  const root = temporaryFolder()
  chmodSync(root, 0o500)
  expect(() => prepareHome(locateHome({ SVC_HOME: root }))).toThrow(expect.objectContaining({ code: 'HOME_UNUSABLE' }))
})

test.skipIf(process.platform === 'win32').for(['the home', 'its profile'])(
  'when everybody can write %s, nothing starts, and the cure is told',
  (which) => {
    const root = temporaryFolder()
    const profile = join(root, 'profiles/work')
    mkdirSync(profile, { recursive: true })
    const open = which === 'the home' ? root : profile
    chmodSync(open, 0o777)
    const refusal = { code: 'HOME_UNUSABLE', message: expect.stringContaining(`chmod o-w "${open}"`) }
    expect(() => prepareHome(locateHome({ SVC_HOME: root }, 'work'))).toThrow(expect.objectContaining(refusal))
    chmodSync(open, 0o770)
    expect(() => prepareHome(locateHome({ SVC_HOME: root }, 'work'))).not.toThrow()
  },
)

test('a home folder of the user that does not exist is not made', () => {
  const missing = join(temporaryFolder(), 'missing')
  const env = { HOME: missing }
  expect(() => prepareHome(locateHome(env), env)).toThrow(expect.objectContaining({ code: 'HOME_UNUSABLE' }))
  expect(existsSync(missing)).toBe(false)
  const own = { HOME: missing, SVC_HOME: join(missing, 'svc') }
  expect(() => prepareHome(locateHome(own), own)).not.toThrow()
})
