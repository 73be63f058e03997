import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Capture } from '../../../../../plugins/tools/shell/tool-terminal/capture.ts'

test('keeps the first 40 % and the last 60 % of the limit and counts what was between them', () => {
  const capture = new Capture(10)
  capture.add(Buffer.from('0123456789abcdefghij'))
  const { head, tail, omitted, total } = capture.finish()
  expect([head.toString(), tail.toString(), omitted, total]).toEqual(['0123', 'efghij', 10, 20])
})

test('leaves nothing out of an output that just fits', () => {
  const capture = new Capture(10)
  capture.add(Buffer.from('0123456789'))
  expect(capture.finish()).toMatchObject({ omitted: 0, total: 10, head: Buffer.from('0123456789') })
})

test('keeps the same bytes in whatever chunks they come', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 100 }), (parts, limit) => {
      const capture = new Capture(limit)
      for (const part of parts) capture.add(Buffer.from(part))
      const all = Buffer.concat(parts)
      const { head, tail, omitted } = capture.finish()
      expect(head.length + omitted + tail.length).toBe(all.length)
      expect(head.equals(all.subarray(0, head.length))).toBe(true)
      expect(tail.equals(all.subarray(all.length - tail.length))).toBe(true)
      expect(head.length + tail.length).toBe(Math.min(limit, all.length))
    }),
  )
})

test('does not grow with what it is given', () => {
  const capture = new Capture(50_000)
  const before = process.memoryUsage().arrayBuffers
  const chunk = Buffer.alloc(65_536, 'x')
  for (let count = 0; count < 2000; count++) capture.add(Buffer.from(chunk))
  expect(capture.total).toBe(131_072_000)
  capture.finish()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000)
})
