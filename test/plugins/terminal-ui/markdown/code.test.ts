import fc from 'fast-check'
import type { StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { codeLines, detectLanguage } from '../../../../plugins/terminal-ui/markdown/code.ts'
import { grammars } from '../../../../plugins/terminal-ui/markdown/highlight-js.js'
import { languages } from '../../../../plugins/terminal-ui/markdown/languages.ts'

const texts = (all: readonly StyledLine[]) => all.map((line) => line.map(({ text }) => text).join(''))

test.each([
  ['ts', 'typescript'],
  ['TypeScript title="a b"', 'typescript'],
  ['{.python .numbered}', 'python'],
  ['src/deep/main.rs', 'rust'],
  ['Dockerfile', 'dockerfile'],
  ['a/Makefile', 'makefile'],
  ['c++', 'cpp'],
  ['.env', 'ini'],
  ['archive.tar.yml', 'yaml'],
  ['klingon', undefined],
  ['', undefined],
  [undefined, undefined],
])('after a fence or in the name of a file, %s is %s', (given, language) => {
  expect(detectLanguage(given)).toBe(language)
})

test('every name leads to a grammar, and every grammar has a name', () => {
  expect(new Set(languages.values())).toEqual(new Set(Object.keys(grammars)))
})

test.each(Object.keys(grammars))('%s is coloured without losing a character', (language) => {
  const code = 'if (a < b) { "s" + 1 } // <b>&amp;</b>\n# x: y\n\n/* never closed'
  expect(texts(codeLines(code, language)).join('\n')).toBe(code)
})

test('any code stays what it is', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 200 }),
      fc.constantFrom('typescript', 'python', 'xml', undefined),
      (code, language) => {
        expect(texts(codeLines(code, language)).join('\n')).toBe(code.replace(/\n$/, ''))
      },
    ),
  )
})

test('parts of code have roles', () => {
  expect(codeLines('const a = "x" // 1\n', 'typescript')).toEqual([
    [
      { text: 'const', role: 'keyword' },
      { text: ' a = ', role: 'code-block' },
      { text: '"x"', role: 'string' },
      { text: ' ', role: 'code-block' },
      { text: '// 1', role: 'comment' },
    ],
  ])
  const added = codeLines('+ a\n- b', 'diff').map(([first]) => first?.role)
  expect(added).toEqual(['added', 'removed'])
})

test('very long code is not coloured', () => {
  const lines = codeLines('const a = 1\n'.repeat(10_000), 'typescript')
  expect(lines).toHaveLength(10_000)
  expect(new Set(lines.flat().map(({ role }) => role))).toEqual(new Set(['code-block']))
})
