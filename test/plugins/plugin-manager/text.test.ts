import type { CliIo } from 'svc/sdk'
import { expect, test } from 'vitest'
import { columns, counted, plain, quoted, wrap } from '../../../plugins/plugin-manager/text.ts'

test('what plugins say of themselves cannot steer the terminal', () => {
  expect(plain('a\u001b[31mred\u0007\nnext\u009b2J\t')).toBe('a [31mred next 2J')
  expect(columns([['x\u001b]0;title\u0007', 'y']])).toEqual(['x ]0;title  y'])
})

test('columns are as wide as their widest cell, and lines end where they end', () => {
  const rows = [
    ['a', 'bb', 'last'],
    ['aaaa', '', ''],
  ]
  expect(columns(rows)).toEqual(['a     bb  last', 'aaaa'])
  expect(columns([])).toEqual([])
})

test('lines are broken at words and keep to the width of the terminal', () => {
  const io = { columns: 20 } as CliIo
  const text = wrap(io, `Ready: ${Array.from({ length: 12 }, (_, at) => `plugin-${at}`).join(', ')}.`)
  const lines = text.split('\n')
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.every((line) => line.length <= 20)).toBe(true)
  expect(lines.slice(1).every((line) => /^ {2}\S/.test(line))).toBe(true)
  expect(wrap(io, 'averyveryverylongwordindeed')).toBe('averyveryverylongwordindeed')
})

test('numbers and paths read well', () => {
  expect([counted(1, 'case'), counted(2, 'case')]).toEqual(['1 case', '2 cases'])
  expect([quoted('/a/b-c.d'), quoted('/a b/c')]).toEqual(['/a/b-c.d', '"/a b/c"'])
})
