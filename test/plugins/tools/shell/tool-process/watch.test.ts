import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { NoticeLimit, Watch } from '../../../../../plugins/tools/shell/tool-process/watch.ts'

function watchFor(...patterns: string[]) {
  const clock = virtualClock()
  const told: string[] = []
  const limit = new NoticeLimit(clock)
  const onMatch = (lines: readonly string[]) => void told.push(lines.join('|'))
  const watch = new Watch({ patterns, clock, limit, onMatch, onGiveUp: () => void told.push('given up') })
  return { clock, told, watch, limit }
}

test('a line is looked at once it is whole, however it arrives', () => {
  const { told, watch } = watchFor('ready')
  watch.add('server re')
  expect(told).toEqual([])
  watch.add('ady\nother\n')
  expect(told).toEqual(['server ready'])
})

test('a last line without an end is looked at too', () => {
  const { told, watch } = watchFor('ready')
  watch.add('ready')
  watch.finish()
  expect(told).toEqual(['ready'])
})

test('there is one notice in fifteen seconds', async () => {
  const { clock, told, watch } = watchFor('x')
  watch.add('x1\n')
  watch.add('x2\n')
  await clock.advance(15_000)
  watch.add('x3\n')
  expect(told).toEqual(['x1', 'x3'])
})

test('three times too many end the watch', async () => {
  const { clock, told, watch } = watchFor('x')
  for (let round = 0; round < 4; round++) {
    watch.add('x\n')
    watch.add('x again\n')
    await clock.advance(15_000)
  }
  expect(told).toEqual(['x', 'x', 'x', 'given up'])
})

test('a quiet time in between forgives', async () => {
  const { clock, told, watch } = watchFor('x')
  for (let round = 0; round < 6; round++) {
    watch.add('x\n')
    if (round % 2 === 0) watch.add('x again\n')
    await clock.advance(15_000)
  }
  expect(told).not.toContain('given up')
})

test('all processes together tell fifteen times in ten seconds and are then silent for thirty', async () => {
  const { clock, limit } = watchFor()
  expect(Array.from({ length: 16 }, () => limit.take()).filter(Boolean)).toHaveLength(15)
  await clock.advance(29_999)
  expect(limit.take()).toBe(false)
  await clock.advance(1)
  expect(limit.take()).toBe(true)
})
