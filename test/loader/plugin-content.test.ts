import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readContent } from '../../loader/plugin-content.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

/** A plugin in a home that also has packages beside it, as npm lays them out. */
function place(files: Readonly<Record<string, unknown>> = {}) {
  const home = temporaryFolder()
  writeFiles(home, { 'p/plugin.json': { name: 'p' }, 'p/index.js': 'one', ...files })
  const dir = join(home, 'p')
  return {
    home,
    dir,
    hash: () => readContent(dir).hash,
    write: (file: string, text: string) => writeFiles(home, { [file]: text }),
  }
}

test.for([
  'p/index.js',
  'p/.hidden.js',
  'p/.git/hooks/x',
  'p/data.bin',
  'p/notes',
  'p/deep/er/x.wasm',
  'p/node_modules/dep/index.js',
  'p/package.json',
])('%s counts, whatever its name', (file) => {
  const { hash, write } = place()
  const before = hash()
  write(file, '"other"')
  expect(hash()).not.toBe(before)
})

test('the same files in another place are the same content', () => {
  expect(place().hash()).toBe(place().hash())
})

test('a file that is renamed, or cut into two, is another content', () => {
  const whole = place({ 'p/a': 'xy' }).hash()
  expect(place({ 'p/b': 'xy' }).hash()).not.toBe(whole)
  expect(place({ 'p/a': 'x', 'p/b': 'y' }).hash()).not.toBe(whole)
})

test('a plugin that is moved deeper below the same packages has the same content', () => {
  const { home, dir, hash } = place({
    'p/package.json': { dependencies: { dep: '*' } },
    'node_modules/dep/index.js': 'one',
  })
  const before = hash()
  cpSync(dir, join(home, 'plugins/p'), { recursive: true })
  expect(readContent(join(home, 'plugins/p')).hash).toBe(before)
})

test('of two versions of a package that it reaches, both count', () => {
  const { hash, write } = place({
    'p/package.json': { dependencies: { dep: '*', other: '*' } },
    'node_modules/dep/index.js': 'new',
    'node_modules/other/package.json': { dependencies: { dep: '*' } },
    'node_modules/other/node_modules/dep/index.js': 'old',
  })
  const before = hash()
  write('node_modules/dep/index.js', 'changed')
  const after = hash()
  expect(after).not.toBe(before)
  write('node_modules/other/node_modules/dep/index.js', 'changed')
  expect(hash()).not.toBe(after)
})

test('packages that it declares count where Node finds them, with those that they declare; others do not', () => {
  const { hash, write } = place({
    'p/package.json': { dependencies: { dep: '*' }, peerDependencies: { svc: '*', gone: '*' } },
    'node_modules/dep/package.json': { dependencies: { below: '*', dep: '*' } },
    'node_modules/dep/index.js': 'one',
    'node_modules/below/index.js': 'one',
    'node_modules/other/index.js': 'one',
    'node_modules/svc/index.js': 'one',
  })
  const seen = [hash()]
  for (const file of ['node_modules/other/index.js', 'node_modules/svc/index.js']) {
    write(file, 'two')
    expect(hash()).toBe(seen[0])
  }
  for (const file of ['node_modules/dep/index.js', 'node_modules/below/index.js', 'node_modules/gone/index.js']) {
    write(file, 'two')
    expect(seen).not.toContain(hash())
    seen.push(hash())
  }
})

test('settings that a project gives count like a file', () => {
  const { dir, hash } = place()
  expect(readContent(dir, { url: 'a' }).hash).not.toBe(hash())
  expect(readContent(dir, { url: 'a' }).hash).not.toBe(readContent(dir, { url: 'b' }).hash)
})

test('a link that leads out of the folder cannot be covered; one inside it, and linked packages, can', () => {
  const { home, dir, hash } = place({ 'p/real.js': 'x' })
  symlinkSync('real.js', join(dir, 'alias.js'))
  mkdirSync(join(dir, 'node_modules'))
  symlinkSync(home, join(dir, 'node_modules', 'linked'), 'junction')
  expect(hash()).toMatch(/^[0-9a-f]{64}$/)
  writeFileSync(join(home, 'outside.js'), 'x')
  symlinkSync(join(home, 'outside.js'), join(dir, 'out.js'))
  expect(hash).toThrow(/out\.js is a link that leads out of it/)
})

test('a folder that is too large is refused, not covered in part', () => {
  const { dir, hash } = place()
  writeFileSync(join(dir, 'large.bin'), Buffer.alloc(101 * 2 ** 20))
  expect(hash).toThrow('over 100 MiB')
})
