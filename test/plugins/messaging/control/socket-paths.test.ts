import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  addresses,
  ownAddress,
  prepareFolder,
  socketFolder,
} from '../../../../plugins/messaging/control/socket-paths.ts'
import { temporaryHome } from './support.ts'

const onUnix = test.skipIf(process.platform === 'win32')

onUnix('sockets lie in the home, unless its path is too long for one', () => {
  expect(socketFolder('/home/ann/.svc')).toBe('/home/ann/.svc/run')
  const deep = `/home/${'very-long-name/'.repeat(8)}`
  expect(socketFolder(deep).startsWith(tmpdir())).toBe(true)
  expect(socketFolder(deep)).not.toBe(socketFolder(`${deep}x`))
  expect(Buffer.byteLength(ownAddress(deep, 4_194_304, 49))).toBeLessThanOrEqual(103)
})

onUnix('a folder that others could enter is closed to them', () => {
  const home = temporaryHome()
  mkdirSync(join(home, 'run'))
  chmodSync(join(home, 'run'), 0o777)
  prepareFolder(home)
  expect(statSync(join(home, 'run')).mode & 0o777).toBe(0o700)
})

onUnix('a folder that is really a link to another place is refused', () => {
  const home = temporaryHome()
  const elsewhere = mkdtempSync(join(tmpdir(), 'svc-elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  symlinkSync(elsewhere, join(home, 'run'))
  expect(() => prepareFolder(home)).toThrow(expect.objectContaining({ code: 'CONTROL_UNAVAILABLE' }))
})

onUnix('only what is named like a socket of a process counts as an address', () => {
  const home = temporaryHome()
  prepareFolder(home)
  for (const name of ['812.sock', '31.sock', '31-1.sock', 'x.sock', '9.txt', '.sock'])
    writeFileSync(join(home, 'run', name), '')
  expect(addresses(home).map(({ pid, path }) => [pid, path.slice(home.length)])).toEqual([
    [31, '/run/31-1.sock'],
    [31, '/run/31.sock'],
    [812, '/run/812.sock'],
  ])
  expect(addresses(join(home, 'nothing-here'))).toEqual([])
})
