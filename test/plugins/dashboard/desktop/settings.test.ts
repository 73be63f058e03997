import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HomeDeps, resolveHome } from '../../../../plugins/dashboard/desktop/backend/home.ts'
import { readRemote } from '../../../../plugins/dashboard/desktop/backend/remote.ts'
import {
  markerFile,
  readInstallStamp,
  readMarker,
  writeMarker,
} from '../../../../plugins/dashboard/desktop/bootstrap/files.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

describe('the home of a desktop', () => {
  const home = (env: Record<string, string>, deps: Partial<HomeDeps> = {}) =>
    resolveHome({
      environment: env,
      platform: 'linux',
      userFolder: '/home/u',
      exists: () => false,
      readUserVariable: async () => undefined,
      ...deps,
    })

  test('is SVC_HOME, of which a profile is lifted to its root', async () => {
    expect(await home({ SVC_HOME: '/srv/svc', SVC_DESKTOP_USER_DATA_DIR: '/tmp/x' })).toBe('/srv/svc')
    expect(await home({ SVC_HOME: '/srv/svc/profiles/work' })).toBe('/srv/svc')
  })

  test('is inside of the folder of a test, then in that of the user', async () => {
    expect(await home({ SVC_DESKTOP_USER_DATA_DIR: '/tmp/x' })).toBe('/tmp/x/svc-home')
    expect(await home({})).toBe('/home/u/.svc')
    expect(await home({}, { platform: 'darwin' })).toBe('/home/u/.svc')
  })

  test('is on Windows what the user has stored, then the folder of local data, or the older one where only that is there', async () => {
    const windows: Partial<HomeDeps> = { platform: 'win32' }
    const local = { LOCALAPPDATA: '/local' }
    expect(await home(local, { ...windows, readUserVariable: async () => '/d/svc/profiles/x' })).toBe('/d/svc')
    expect(await home(local, windows)).toBe(join('/local', 'svc'))
    expect(await home({}, windows)).toBe(join('/home/u', 'AppData', 'Local', 'svc'))
    expect(await home(local, { ...windows, exists: (path) => path === '/home/u/.svc' })).toBe('/home/u/.svc')
    expect(await home(local, { ...windows, exists: () => true })).toBe(join('/local', 'svc'))
  })
})

describe('a remote backend', () => {
  test.for([
    ['http://svc.example', 'http://svc.example', 'ws://svc.example/api/ws'],
    ['https://svc.example:8443/a/b/?x=1#y', 'https://svc.example:8443/a/b', 'wss://svc.example:8443/a/b/api/ws'],
    ['HTTPS://SVC.example/', 'https://svc.example', 'wss://svc.example/api/ws'],
  ] as const)('%s is asked at %s and %s', ([given, baseUrl, wsUrl]) => {
    expect(readRemote(given, 'secret')).toEqual({ baseUrl, wsUrl, token: 'secret', mode: 'remote', source: 'env' })
  })

  test('is set with both variables or neither', () => {
    expect(readRemote(undefined, undefined)).toBeUndefined()
    expect(() => readRemote('http://a', undefined)).toThrow(/REMOTE_URL is set and SVC_DESKTOP_REMOTE_TOKEN is not/)
    expect(() => readRemote(undefined, 't')).toThrow(/REMOTE_TOKEN is set and SVC_DESKTOP_REMOTE_URL is not/)
  })

  test.for([
    'ftp://a',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'svc.example:9119',
    'nonsense',
    '',
    'https://u:p@a',
  ])('is not %j', (url) => {
    let problem: unknown
    try {
      readRemote(url, 't')
    } catch (error) {
      problem = error
    }
    expect(problem).toMatchObject({ code: 'DESKTOP_REMOTE' })
    expect(String(problem)).not.toContain('u:p')
  })
})

describe('files of an installation', () => {
  const marker = {
    schemaVersion: 1 as const,
    pinnedCommit: 'abcdef0',
    pinnedBranch: null,
    completedAt: '2026-01-01T00:00:00.000Z',
    desktopVersion: '0.2.0',
  }

  test('a marker counts with its schema and a pin of seven characters', async () => {
    const home = temporaryFolder()
    expect(await readMarker(home)).toBeUndefined()
    await writeMarker(home, marker)
    expect(await readMarker(home)).toEqual(marker)
    for (const bad of [{ ...marker, schemaVersion: 2 }, { ...marker, pinnedCommit: 'abc' }, 'no JSON']) {
      writeFiles(home, { [markerFile(home).slice(home.length)]: bad })
      expect(await readMarker(home)).toBeUndefined()
    }
  })

  test('a stamp with another schema is ignored', async () => {
    const folder = temporaryFolder()
    const stamp = { schemaVersion: 1, commit: 'abcdef0', branch: 'main', builtAt: 'x', dirty: false, source: 'local' }
    writeFiles(folder, { 'dist/install-stamp.json': stamp })
    expect(await readInstallStamp(folder)).toEqual(stamp)
    writeFiles(folder, { 'dist/install-stamp.json': { ...stamp, schemaVersion: 2 } })
    expect(await readInstallStamp(folder)).toBeUndefined()
  })
})
