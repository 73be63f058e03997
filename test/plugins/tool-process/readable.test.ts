import { expect, test } from 'vitest'
import { readable } from '../../../plugins/tool-process/readable.ts'

test('colours go, progress bars show their end, other control characters are escaped', () => {
  expect(readable('\x1b[31mred\x1b[0m\r\n10 %\r100 %\nbell\x07\n\r\n')).toBe('red\n100 %\nbell\\x07\n\n')
})

test('a long line without an end costs no more than its length', () => {
  expect(readable('x'.repeat(200_000))).toHaveLength(200_000)
  expect(readable(`${'\r'.repeat(200_000)}x`)).toBe('x')
})
