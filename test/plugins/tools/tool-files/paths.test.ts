import { homedir } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { absolutePath, showName } from '../../../../plugins/tools/tool-files/paths.ts'

test('paths start at the working folder, at the root, or at the home of the user', () => {
  expect(absolutePath('a/../b.txt', '/work')).toBe('/work/b.txt')
  expect(absolutePath('/etc/x', '/work')).toBe('/etc/x')
  expect(absolutePath('~', '/work')).toBe(homedir())
  expect(absolutePath('~/notes.md', '/work')).toBe(`${homedir()}/notes.md`)
  expect(absolutePath('~other/x', '/work')).toBe('/work/~other/x')
})

test.each(['', '  ', 'a\0b'])('%j is no path', (path) => {
  expect(() => absolutePath(path, '/work')).toThrow(expect.objectContaining({ code: 'FILE_BAD_PATH' }))
})

test('ordinary names are shown as they are, in any language', () => {
  for (const name of ['a.txt', 'Übersicht 2024 (neu).md', 'файл', '日本語.txt', "it's"])
    expect(showName(name)).toBe(name)
})

test('names that would mislead are shown so that they can be read back', () => {
  expect(showName('two\nlines')).toBe('"two\\nlines"')
  expect(showName('exe\u202Etxt.gpj')).toBe('"exe\\u202etxt.gpj"')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const shown = showName(name)
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(shown.startsWith('"') ? JSON.parse(shown) : shown).toBe(name)
    }),
  )
})
