import type { CliIo } from 'svc/sdk'
import { expect, test } from 'vitest'
import { wrap } from '../../../../plugins/configuration/plugin-manager/wrap.ts'

test('lines are broken at words and keep to the width of the terminal', () => {
  const io = { columns: 20 } as CliIo
  const text = wrap(io, `Ready: ${Array.from({ length: 12 }, (_, at) => `plugin-${at}`).join(', ')}.`)
  const lines = text.split('\n')
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.every((line) => line.length <= 20)).toBe(true)
  expect(lines.slice(1).every((line) => /^ {2}\S/.test(line))).toBe(true)
  expect(wrap(io, 'averyveryverylongwordindeed')).toBe('averyveryverylongwordindeed')
})
