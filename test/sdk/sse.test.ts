import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventReader } from '../../sdk/sse.ts'

function read(pieces: readonly Uint8Array[]): string[] {
  const reader = eventReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

/** Cuts bytes at places between 0 and 1. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

test('events are the same however the network cuts their bytes', () => {
  const line = fc.string({ unit: 'binary' }).filter((text) => !/[\r\n\u{feff}]/u.test(text))
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), places, fc.constantFrom('\n', '\r\n'), (lines, cuts, newline) => {
      const bytes = Buffer.from(lines.map((text) => `data: ${text}${newline}${newline}`).join(''))
      expect(read(cut(bytes, cuts))).toEqual(lines)
    }),
  )
})

test('comments, ids and event names are passed over', () => {
  const text = ': keep-alive\n\nevent: error\nid: 7\nretry: 3\ndata: one\n\ndata\n\ndatafile: x\n\n'
  expect(read([Buffer.from(text)])).toEqual(['one'])
})

test('data lines of one event are joined by line ends', () => {
  expect(read([Buffer.from('data: {\ndata:"a": 1\ndata: }\n\n')])).toEqual(['{\n"a": 1\n}'])
})

test('a last event without an empty line behind it counts', () => {
  expect(read([Buffer.from('data: one\n\ndata: two')])).toEqual(['one', 'two'])
})

test('an event that never ends is given up at 16 MiB', () => {
  const reader = eventReader()
  const piece = Buffer.alloc(2 ** 20, 'x')
  for (let piecesRead = 0; piecesRead < 16; piecesRead++) reader.push(piece)
  expect(() => reader.push(piece)).toThrow(expect.objectContaining({ code: 'EVENT_TOO_LARGE' }))
})
