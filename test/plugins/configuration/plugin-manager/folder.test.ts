import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyFolder, listPluginFiles } from '../../../../plugins/configuration/plugin-manager/folder.ts'
import { temporaryFolder, writeFolder } from './support.ts'

const onUnix = test.skipIf(process.platform === 'win32')
const unsafe = (words: RegExp) =>
  expect.objectContaining({ code: 'PLUGIN_UNSAFE', message: expect.stringMatching(words) })

test('a copy has the files of a plugin, without its packages and its history', () => {
  const from = writeFolder(temporaryFolder(), {
    'plugin.json': '{}',
    'src/deep/a.ts': 'a',
    'node_modules/x/index.js': 'x',
    '.git/config': 'g',
    'src/node_modules/y.js': 'y',
  })
  const to = join(temporaryFolder(), 'copy')
  copyFolder(from, to)
  expect(readFileSync(join(to, 'src/deep/a.ts'), 'utf8')).toBe('a')
  expect(listPluginFiles(to).map(({ path }) => path)).toEqual(['plugin.json', 'src/deep/a.ts'])
})

onUnix("rights to change a file are the owner's alone in the copy", () => {
  const from = writeFolder(temporaryFolder(), { 'run.sh': 'x', 'a.ts': 'x' })
  chmodSync(join(from, 'run.sh'), 0o775)
  const to = join(temporaryFolder(), 'copy')
  copyFolder(from, to)
  expect(statSync(join(to, 'run.sh')).mode & 0o777).toBe(0o755)
  expect(statSync(join(to, 'a.ts')).mode & 0o133).toBe(0)
})

onUnix('links inside the folder are copied as links', () => {
  const from = writeFolder(temporaryFolder(), { 'lib/real.ts': 'x' })
  symlinkSync('lib/real.ts', join(from, 'index.ts'))
  const to = join(temporaryFolder(), 'copy')
  copyFolder(from, to)
  expect(readlinkSync(join(to, 'index.ts'))).toBe('lib/real.ts')
})

onUnix.for([
  ['an absolute path', '/etc/hostname'],
  ['the folder above', '../outside.txt'],
  ['nothing', 'missing.ts'],
] as const)('a link to %s is refused', ([, target]) => {
  const parent = writeFolder(temporaryFolder(), { 'outside.txt': 'x', 'plugin/plugin.json': '{}' })
  symlinkSync(target, join(parent, 'plugin', 'link'))
  expect(() => listPluginFiles(join(parent, 'plugin'))).toThrow(unsafe(/link is a link that leads out of the folder/))
})

onUnix.for(['.', 'plugin.json', 'src'])('%s that everybody may change is refused, with what to type', (path) => {
  const from = writeFolder(temporaryFolder(), { 'plugin.json': '{}', 'src/a.ts': '' })
  chmodSync(join(from, path), 0o777)
  expect(() => listPluginFiles(from)).toThrow(unsafe(/can be changed by everybody; run: chmod -R o-w/))
})

onUnix('what is neither file nor folder is refused', () => {
  const from = temporaryFolder()
  expect(spawnSync('mkfifo', [join(from, 'pipe')]).status).toBe(0)
  expect(() => listPluginFiles(from)).toThrow(unsafe(/neither a file nor a folder/))
})

test('a folder that is far too large for a plugin is refused', () => {
  const many = temporaryFolder()
  mkdirSync(join(many, 'a'))
  for (let at = 0; at <= 2000; at++) writeFileSync(join(many, 'a', String(at)), '')
  expect(() => listPluginFiles(many)).toThrow(unsafe(/over 2000 files/))
  const large = temporaryFolder()
  writeFileSync(join(large, 'blob'), '')
  truncateSync(join(large, 'blob'), 51 * 2 ** 20)
  const to = join(large, 'copy')
  expect(() => copyFolder(large, to)).toThrow(unsafe(/over 50 MiB/))
  expect(existsSync(to)).toBe(false)
})
