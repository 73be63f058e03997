import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { expect, test } from 'vitest'
import { frameReader } from '../../../../plugins/providers/provider-bedrock/frames.ts'
import { frame } from '../../../support/bedrock-server.ts'

const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
const message = fc.record({
  headers: fc.dictionary(name, fc.string({ unit: 'binary', maxLength: 20 }), { maxKeys: 4, noNullPrototype: true }),
  payload: fc.record({ said: fc.string({ unit: 'binary', maxLength: 60 }) }),
})
const messages = fc.array(message, { minLength: 1, maxLength: 5 })

function createFrames(all: readonly { readonly headers: Record<string, string>; readonly payload: object }[]): Buffer {
  return Buffer.concat(all.map(({ headers, payload }) => frame(headers, payload)))
}

/** What comes out of bytes that are cut at places from 0 to 1; the code of the error comes last when there is one. */
function read(bytes: Buffer, places: readonly number[] = []): unknown[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b), bytes.length]
  const reader = frameReader()
  const frames: unknown[] = []
  try {
    for (const [at, end] of ends.entries())
      frames.push(...reader.push(bytes.subarray(ends[at - 1] ?? 0, end)).map((text) => JSON.parse(text)))
    frames.push(...reader.end())
  } catch (error) {
    frames.push(errorCode(error))
  }
  return frames
}

test('any chunking of the bytes gives the same messages', () => {
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })
  fc.assert(
    fc.property(messages, places, (all, cuts) => {
      const expected = all.map(({ headers, payload }) => ({ headers, payload: JSON.stringify(payload) }))
      expect(read(createFrames(all), cuts)).toEqual(expected)
    }),
  )
})

test('a flipped bit is noticed, and what came before it is kept', () => {
  fc.assert(
    fc.property(
      messages,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(7),
      (all, place, bit) => {
        const bytes = createFrames(all)
        const at = Math.floor(place * bytes.length)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const frames = read(bytes)
        const whole = read(createFrames(all))
        expect(frames.length).toBeLessThanOrEqual(whole.length)
        expect(frames.at(-1)).toBe('BEDROCK_FRAME_GARBLED')
        expect(frames.slice(0, -1)).toEqual(whole.slice(0, frames.length - 1))
      },
    ),
  )
})

test('headers of every type are passed over, and only texts are kept', () => {
  const header = (type: number, bytes: readonly number[]) => Buffer.of(1, 'x'.charCodeAt(0), type, ...bytes)
  const zeros = (count: number) => Array.from({ length: count }, () => 0)
  const others = [
    header(0, []),
    header(1, []),
    header(2, zeros(1)),
    header(3, zeros(2)),
    header(4, zeros(4)),
    header(5, zeros(8)),
    header(6, [0, 3, 1, 2, 3]),
    header(8, zeros(8)),
    header(9, zeros(16)),
  ]
  expect(read(frame({ ':event-type': 'metadata' }, { a: 1 }, others))).toEqual([
    { headers: { ':event-type': 'metadata' }, payload: '{"a":1}' },
  ])
})

test('headers that cannot be read are garbled, whatever their checksum says', () => {
  const unknown = Buffer.of(1, 'x'.charCodeAt(0), 77)
  const tooLong = Buffer.of(200)
  for (const header of [unknown, tooLong]) expect(read(frame({}, {}, [header]))).toEqual(['BEDROCK_FRAME_GARBLED'])
})

test('a page instead of an event stream is garbled at once', () => {
  expect(read(Buffer.from('<!doctype html><title>Sign in</title>'))).toEqual(['BEDROCK_FRAME_GARBLED'])
})

test('a message that is cut is none', () => {
  expect(read(frame({ a: 'b' }, {}).subarray(0, -1))).toEqual([])
})
