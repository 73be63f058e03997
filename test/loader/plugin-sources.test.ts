import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashSources, listSources } from '../../loader/plugin-sources.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

test('sources are found in every folder but those of packages and hidden ones', () => {
  const dir = temporaryFolder()
  writeFiles(dir, { 'index.ts': '', 'lib/deep/a.js': '', 'lib/.b.js': '', 'notes.md': '', '.cache/c.js': '' })
  writeFiles(dir, { 'node_modules/x/index.js': '', 'lib/node_modules/y/index.js': '' })
  expect(listSources(dir)).toEqual(['index.ts', 'lib/.b.js', 'lib/deep/a.js'])
})

test('a linked folder counts, and links in a circle end', () => {
  const [dir, other] = [temporaryFolder(), temporaryFolder()]
  writeFiles(other, { 'word.ts': '1' })
  writeFiles(dir, { 'index.ts': '' })
  symlinkSync(other, join(dir, 'lib'))
  for (const name of ['one', 'two', 'three']) symlinkSync(dir, join(dir, name))
  symlinkSync(join(dir, 'gone'), join(dir, 'nowhere'))
  expect(listSources(dir)).toEqual(['index.ts', join('lib', 'word.ts')])
  expect([...hashSources(dir).keys()]).toEqual(['index.ts', 'lib/word.ts'])
})

test('a folder with too many sources is refused', () => {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'many'))
  writeFiles(dir, Object.fromEntries(Array.from({ length: 2001 }, (_, number) => [`many/${number}.json`, 0])))
  expect(() => listSources(dir)).toThrow('over 2000 source files')
})
