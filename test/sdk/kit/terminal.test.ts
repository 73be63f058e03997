import fc from 'fast-check'
import {
  escapeUnseen,
  formatColumns,
  formatCount,
  formatMegabytes,
  formatMoment,
  hasFlag,
  hasHiddenText,
  paint,
  printJson,
  quotePath,
  readableOutput,
  safeBlock,
  safeJson,
  safeLine,
  safeName,
  safePiece,
  wrapText,
} from 'svc/sdk/kit/terminal'
import { describe, expect, test } from 'vitest'

/** What no printed text may contain: controls, lone surrogates, line separators, changes of direction. */
const OBEYED = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })
const hostileText = fc.oneof(
  anyText,
  fc.string({ unit: fc.constantFrom('\u001b', '\r', '\n', '\t', '\u202e', '\ud83d', '\ude00', 'a', '\u009b') }),
)

describe('text of others', () => {
  test('holds nothing that a terminal obeys, whatever it was', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(safeLine(text)).not.toMatch(OBEYED)
        expect(safeName(text)).not.toMatch(OBEYED)
        expect(escapeUnseen(text)).not.toMatch(OBEYED)
        expect(safeBlock(text).replace(/[\n\t]/g, '')).not.toMatch(OBEYED)
        expect(safePiece(text).replace(/[\n\t\p{Cs}]/gu, '')).not.toMatch(OBEYED)
        expect(safeJson({ text }).replace(/\p{Cs}/gu, '')).not.toMatch(OBEYED)
        expect(JSON.parse(safeJson({ text }, 2))).toEqual({ text })
      }),
    )
  })

  test('stays on its line, and a joined emoji stays whole', () => {
    expect(safeLine(' a\u001b[31mred\u0007\nnext\u009b2J\t')).toBe('a [31mred next 2J')
    expect(safeLine('👩‍👩‍👧 ok')).toBe('👩‍👩‍👧 ok')
  })

  test('keeps its lines and tabs in a block', () => {
    expect(safeBlock('a\r\n\tb\u001bc\u202e')).toBe('a\n\tb\ufffdc\ufffd')
  })

  test('may come in pieces that split a character', () => {
    const [high = '', low = ''] = '😀'.split('')
    expect(safePiece(`a\u001b${high}`) + safePiece(`${low}\n`)).toBe('a😀\n')
  })

  test('as a name has no character that cannot be seen, and no more than its length', () => {
    expect(safeName('ad\u200bmin\n')).toBe('ad min')
    expect(safeName('😀'.repeat(90))).toBe('😀'.repeat(80))
    expect(safeName('abc def', 4)).toBe('abc')
  })

  test('is found out when it hides or reorders a part of itself', () => {
    for (const text of ['a\u202eb', 'a\u200bb', 'a\u{e0041}b', '\ufeffa'])
      expect(hasHiddenText(text), escapeUnseen(text)).toBe(true)
    for (const text of ['👩‍👩‍👧', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'می‌خواهم', 'a\n\tb'])
      expect(hasHiddenText(text), escapeUnseen(text)).toBe(false)
  })

  test('is shown character by character where a person must judge it', () => {
    expect(escapeUnseen('rm\u202e -rf\n/\ufeff')).toBe('rm\\u202e -rf\\u000a/\\ufeff')
  })
})

describe('the output of a program', () => {
  test('has no colours, shows the end of progress bars, and other control characters as numbers', () => {
    expect(readableOutput('\x1b[31mred\x1b[0m\r\n10 %\r100 %\nbell\x07\n\r\n')).toBe('red\n100 %\nbell\\x07\n\n')
  })

  test('costs no more than its length when a line does not end', () => {
    expect(readableOutput('x'.repeat(200_000))).toHaveLength(200_000)
    expect(readableOutput(`${'\r'.repeat(200_000)}x`)).toBe('x')
  })
})

describe('what commands print', () => {
  test('a terminal with colours gets them, a pipe does not', () => {
    expect(paint({ color: true }, 'red', 'x')).toBe('\u001b[31mx\u001b[0m')
    expect(paint({ color: true }, undefined, 'x')).toBe('x')
    expect(paint({ color: false }, 'red', 'x')).toBe('x')
  })

  test('columns are as wide as their widest cell, and lines end where they end', () => {
    const rows = [
      ['a', 'bb', 'last'],
      ['aaaa', '', ''],
    ]
    expect(formatColumns(rows)).toEqual(['a     bb  last', 'aaaa'])
    expect(formatColumns([['x\u001b]0;title\u0007', 'y']])).toEqual(['x ]0;title  y'])
    expect(formatColumns([])).toEqual([])
  })

  test('numbers, moments, sizes and paths are easy to read', () => {
    expect([formatCount(1, 'case'), formatCount(3000, 'case')]).toEqual(['1 case', '3,000 cases'])
    expect(formatCount(2, 'entry', 'entries')).toBe('2 entries')
    expect(formatMegabytes(12_340_000)).toBe('12.3 MB')
    const at = new Date(2026, 10, 24, 9, 5, 7).getTime()
    expect([formatMoment(at), formatMoment(at, 'seconds')]).toEqual(['2026-11-24 09:05', '2026-11-24 09:05:07'])
    expect([quotePath('/a/b-c.d'), quotePath('/a b/c')]).toEqual(['/a/b-c.d', '"/a b/c"'])
  })

  test('JSON is indented and ends with a line feed; nothing is null', () => {
    const pieces: string[] = []
    const io = { out: (piece: string) => void pieces.push(piece) }
    printJson(io, { a: '\u009b' })
    printJson(io, undefined)
    expect(pieces.join('')).toBe('{\n  "a": "\\u009b"\n}\nnull\n')
  })

  test('a flag counts only without a value', () => {
    expect([{ json: true }, { json: 'x' }, {}].map((options) => hasFlag({ options }, 'json'))).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('wrapText', () => {
  const terminal = { interactive: true, columns: 40 }

  test('breaks between words, indents the following lines and keeps runs of spaces', () => {
    expect(wrapText(terminal, 'ok       Model        The model answers and the key is accepted.', '    ')).toBe(
      'ok       Model        The model answers\n    and the key is accepted.',
    )
  })

  test('keeps a command in backquotes on one line where it fits', () => {
    expect(wrapText(terminal, 'Connect one with `svc config set model.provider custom`.')).toBe(
      'Connect one with\n`svc config set model.provider custom`.',
    )
    expect(wrapText({ ...terminal, columns: 20 }, 'Type `svc config set model.provider custom`.')).toBe(
      'Type `svc config set\nmodel.provider\ncustom`.',
    )
  })

  test('breaks nothing for programs that read the output', () => {
    const text = 'one line that is longer than forty columns in all'
    expect(wrapText({ interactive: false, columns: 40 }, text)).toBe(text)
  })
})
