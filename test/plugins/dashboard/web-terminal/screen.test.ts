import { describe, expect, test } from 'vitest'
import { ByteRing } from '../../../../plugins/dashboard/web-terminal/byte-ring.ts'
import { parseFrame } from '../../../../plugins/dashboard/web-terminal/client-frame.ts'
import { cutReason } from '../../../../plugins/dashboard/web-terminal/close-codes.ts'
import { ScreenModes } from '../../../../plugins/dashboard/web-terminal/screen-modes.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('what is kept of the output', () => {
  test('is its end, whatever the sizes of the parts in which it came', () => {
    const all = Array.from({ length: 900 }, (_, at) => String.fromCharCode(33 + (at % 90))).join('')
    for (const size of [1, 7, 100, 128, 300, 900]) {
      const ring = new ByteRing(128)
      for (let at = 0; at < all.length; at += size) {
        ring.push(Buffer.from(all.slice(at, at + size)))
        const end = Math.min(all.length, at + size)
        expect([ring.start, ring.end]).toEqual([Math.max(0, end - 128), end])
        expect(text(ring.read(ring.start, 1000))).toBe(all.slice(ring.start, end))
      }
    }
  })

  test('can be read in parts, and grows before it wraps', () => {
    const ring = new ByteRing(200_000)
    ring.push(Buffer.alloc(70_000, 'a'))
    ring.push(Buffer.alloc(70_000, 'b'))
    ring.push(Buffer.alloc(70_000, 'c'))
    expect(ring.start).toBe(10_000)
    expect(text(ring.read(69_999, 2))).toBe('ab')
    expect(text(ring.read(139_999, 2))).toBe('bc')
    expect(ring.read(210_000, 5)).toHaveLength(0)
  })
})

describe('the modes of a screen', () => {
  test('are those that were set last, also when a sequence comes in parts', () => {
    const modes = new ScreenModes()
    for (const part of [
      '\x1b[?1049h\x1b[?25',
      'l text \x1b[31m',
      '\x1b[?2004;1000h',
      '\x1b]0;\x1b[?7h title\x07',
      '\x1b[?25h\x1b[?7l',
    ])
      modes.feed(Buffer.from(part))
    expect(modes.sequence).toBe('\x1b[?1049h\x1b[?25h\x1b[?2004h\x1b[?1000h\x1b[?7l')
    modes.feed(Buffer.from('\x1bc'))
    expect(modes.sequence).toBe('')
  })

  test('know where a sequence ends', () => {
    const modes = new ScreenModes()
    const inside = [...Buffer.from('a\x1b[1;2Hb\x1bPq\x1bx\x1b\\c\x1b(Bd')].map((byte) => {
      const { isBetween } = modes
      modes.feed(Uint8Array.of(byte))
      return isBetween ? '.' : 'x'
    })
    expect(inside.join('')).toBe('..xxxxx..xxxxxx..xx.'.slice(0, inside.length))
    const copy = modes.copy()
    copy.feed(Buffer.from('\x1b['))
    expect([modes.isBetween, copy.isBetween]).toEqual([true, false])
  })
})

describe('a frame of a client', () => {
  test.for([
    ['\x1b[RESIZE:120;40]', { cols: 120, rows: 40 }],
    ['\x1b[RESIZE:0;0]', { cols: 1, rows: 1 }],
    ['\x1b[RESIZE:999999;999999]', { cols: 2000, rows: 1000 }],
  ] as const)('%j is a size within bounds', ([frame, size]) => {
    expect(parseFrame(frame)).toEqual({ resize: size })
    expect(parseFrame(Buffer.from(frame))).toEqual({ resize: size })
  })

  test.for([
    '\x1b[RESIZE:80;24]x',
    'x\x1b[RESIZE:80;24]',
    '\x1b[RESIZE:-1;24]',
    '\x1b[RESIZE:80]',
    '\x1b[A',
    'Grüße',
    '',
  ])('%j is typed', (frame) => expect(parseFrame(frame)).toEqual({ typed: Buffer.from(frame) }))
})

test('the reason of a close fits its frame, and no character is cut', () => {
  expect(cutReason('short')).toBe('short')
  const cut = cutReason('ü'.repeat(100))
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(123)
  expect(cut).toMatch(/^ü+\.\.\.$/)
})
