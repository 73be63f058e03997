import fc from 'fast-check'
import type { TerminalInput } from 'svc/sdk/terminal'
import { type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Decoder } from '../../../../plugins/terminal-ui/tui-screen/decoder.ts'
import { cpuMs } from '../../../support/cpu-time.ts'
import { hardWords, layout } from './support.ts'

/** A decoder, and what came out of it: `key C-a`, `text abc`. */
function decoder(clock: VirtualClock = virtualClock()) {
  const heard: TerminalInput[] = []
  const decode = new Decoder({ clock, layout, emit: (input) => heard.push(input) })
  const words = () => heard.splice(0).map(inWords)
  return { clock, decode, words, heard }
}

function inWords(input: TerminalInput): string {
  if (input.type === 'key') return `key ${input.name}${input.released ? ' released' : ''}`
  if (input.type === 'text' || input.type === 'paste') return `${input.type} ${input.text}`
  if (input.type === 'mouse') return `mouse ${input.action} ${input.row},${input.column}`
  return input.type === 'focus' ? `focus ${input.on}` : input.type
}

/** What is heard of bytes, when nothing more comes. */
async function decodeAll(...pieces: (string | Uint8Array)[]): Promise<string[]> {
  const { decode, clock, words } = decoder()
  for (const piece of pieces) decode.push(Buffer.from(piece))
  await clock.advance(20_000)
  expect(clock.pending()).toBe(0)
  return words()
}

describe('keys', () => {
  test.for([
    ['\r', 'enter'],
    ['\n', 'C-j'],
    ['\x1b\r', 'M-enter'],
    ['\x1b[13;2u', 'S-enter'],
    ['\x1b[27;2;13~', 'S-enter'],
    ['\x1b[13;3u', 'M-enter'],
    ['\t', 'tab'],
    ['\x1b[Z', 'S-tab'],
    ['\x7f', 'backspace'],
    ['\x1b\x7f', 'M-backspace'],
    ['\x00', 'C-space'],
    ['\x01', 'C-a'],
    ['\x1a', 'C-z'],
    ['\x1c', 'C-\\'],
    ['\x1f', 'C-_'],
    ['\x1b', 'escape'],
    ['\x1b[27u', 'escape'],
    ['\x1b[99;5u', 'C-c'],
    ['\x1b[99;6u', 'C-S-c'],
    ['\x1b[27;5;99~', 'C-c'],
    ['\x1bb', 'M-b'],
    ['\x1bB', 'M-S-b'],
    ['\x1b\x06', 'C-M-f'],
    ['\x1b ', 'M-space'],
    ['\x1bé', 'M-é'],
    ['\x1b[A', 'up'],
    ['\x1bOA', 'up'],
    ['\x1b[1;5C', 'C-right'],
    ['\x1b[1;2D', 'S-left'],
    ['\x1b[1;3:1B', 'M-down'],
    ['\x1b\x1b[A', 'M-up'],
    ['\x1b[a', 'S-up'],
    ['\x1bOc', 'C-right'],
    ['\x1b[H', 'home'],
    ['\x1b[4~', 'end'],
    ['\x1b[5~', 'pageup'],
    ['\x1b[6;5~', 'C-pagedown'],
    ['\x1b[3~', 'delete'],
    ['\x1b[3$', 'S-delete'],
    ['\x1b[3^', 'C-delete'],
    ['\x1b[2~', 'insert'],
    ['\x1bOP', 'f1'],
    ['\x1b[1;2P', 'S-f1'],
    ['\x1b[1;2R', 'S-f3'],
    ['\x1b[[C', 'f3'],
    ['\x1b[15~', 'f5'],
    ['\x1b[24~', 'f12'],
    ['\x1b[57376u', 'f13'],
    ['\x1b[57419u', 'up'],
    ['\x1bOM', 'enter'],
    ['\x1b[', 'M-['],
    ['\x1bO', 'M-S-o'],
    ['\x1b]', 'M-]'],
    ['\x1bPx', 'M-S-p', 'text x'],
  ])('%j is %s', async ([bytes = '', name, ...more]) => {
    expect(await decodeAll(bytes)).toEqual([`key ${name}`, ...more])
  })

  test('of the number pad are the characters on them', async () => {
    expect(await decodeAll('\x1bOp\x1bOk\x1b[57400u\x1b[57415u')).toEqual(['text 0', 'text +', 'text 1', 'text ='])
  })

  test('in a row are heard one by one', async () => {
    expect(await decodeAll('ab\x1b[A\r\x1b\x1b\x03c')).toEqual([
      ...['text ab', 'key up', 'key enter', 'key escape', 'key C-M-c', 'text c'],
    ])
  })

  test('that are released say so, and those that repeat are pressed again', async () => {
    const seen = await decodeAll('\x1b[99;5:3u\x1b[1;1:3A\x1b[97;1:3u\x1b[1;1:2A')
    expect(seen).toEqual(['key C-c released', 'key up released', 'key a released', 'key up'])
  })

  test('Escape is known after a short time, and a sequence that comes in pieces is one key', async () => {
    const { decode, clock, words } = decoder()
    decode.push(Buffer.from('\x1b'))
    await clock.advance(40)
    expect(words()).toEqual([])
    decode.push(Buffer.from('[1;'))
    await clock.advance(400)
    decode.push(Buffer.from('5A\x1b'))
    expect(words()).toEqual(['key C-up'])
    await clock.advance(50)
    expect(words()).toEqual(['key escape'])
  })

  test('Escape pressed twice is heard twice', async () => {
    expect(await decodeAll('\x1b\x1b')).toEqual(['key escape', 'key escape'])
  })
})

describe('text', () => {
  test('comes in whole characters, however it is cut up', async () => {
    const words = fc.array(
      fc.constantFrom(...hardWords.filter((word) => !/[\p{Cc}]/u.test(word) && word.length > 1), '👋'),
    )
    await fc.assert(
      fc.asyncProperty(words, fc.array(fc.nat(12)), async (parts, cuts) => {
        const bytes = Buffer.from(parts.join('|'))
        const heard = await decodeAll(...pieces(bytes, cuts))
        expect(heard.map((word) => word.slice('text '.length)).join('')).toBe(parts.join('|'))
      }),
    )
    const family = Buffer.from('👨‍👩‍👧')
    expect(await decodeAll(...pieces(family, [3, 4, 1, 2]))).toEqual(['text 👨‍👩‍👧'])
  })

  test('of ordinary keyboards waits for nothing', () => {
    const { decode, words } = decoder()
    decode.push(Buffer.from('中a'))
    expect(words()).toEqual(['text 中a'])
    for (const letter of ['é', 'ж', 'あ', '한']) {
      decode.push(Buffer.from(letter))
      expect(words()).toEqual([`text ${letter}`])
    }
    decode.push(Buffer.from('👍'))
    expect(words()).toEqual([])
    decode.push(Buffer.from('\r'))
    expect(words()).toEqual(['text 👍', 'key enter'])
  })

  test('that is no UTF-8 becomes a sign for it, and nothing after it suffers', async () => {
    const heard = await decodeAll(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xc3, 0x28, 0x0d]))
    expect(heard.at(-1)).toBe('key enter')
    expect(heard.slice(0, -1).join('')).toMatch(/^text a\ufffd+b\ufffd\($/)
  })
})

describe('a paste', () => {
  const paste = (text: string) => `\x1b[200~${text}\x1b[201~`

  test('is one piece with line feeds, whatever stands in it', async () => {
    expect(await decodeAll(`a${paste('one\r\ntwo\rthree\n\x1b[A\x03')}b`)).toEqual([
      ...['text a', 'paste one\ntwo\nthree\n\x1b[A\x03', 'text b'],
    ])
    expect(await decodeAll(paste(''))).toEqual(['paste '])
  })

  test('is the same however it is cut up', async () => {
    const text = fc.array(fc.constantFrom('\r', '\n', '\r\n', '\x1b', '\x1b[20', '\x1b[201', '中', 'word', '👨‍👩‍👧'))
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(9)), async (parts, cuts) => {
        const whole = parts.join('')
        const heard = await decodeAll(...pieces(Buffer.from(`${paste(whole)}x`), cuts))
        expect(heard).toEqual([`paste ${whole.replace(/\r\n?/g, '\n')}`, 'text x'])
      }),
    )
  })

  test('of five megabytes in small reads arrives whole, in time that grows with its length', () => {
    const text = 'A line of text 中文.\n'.repeat(250_000)
    const bytes = Buffer.from(paste(text))
    const { decode, heard } = decoder()
    const took = cpuMs(() => {
      for (let at = 0; at < bytes.length; at += 1024) decode.push(bytes.subarray(at, at + 1024))
    })
    expect(bytes.length).toBeGreaterThan(5_000_000)
    expect(heard).toEqual([{ type: 'paste', text }])
    expect(took).toBeLessThan(5000)
  })

  test('whose end is lost does not keep the keys for ever', async () => {
    const { decode, clock, words } = decoder()
    decode.push(Buffer.from('\x1b[200~half'))
    await clock.advance(9000)
    expect(words()).toEqual([])
    await clock.advance(1000)
    decode.push(Buffer.from('\r'))
    expect(words()).toEqual(['paste half', 'key enter'])
  })

  test('without end is handed on in parts that hold all of it', () => {
    const { decode, heard } = decoder()
    const part = 'x'.repeat(2 ** 20 - 1)
    decode.push(Buffer.from('\x1b[200~'))
    for (let count = 0; count < 40; count++) decode.push(Buffer.from(`${part}\r`))
    decode.push(Buffer.from('\n\x1b[201~'))
    expect(heard.length).toBeGreaterThan(1)
    expect(heard.map((input) => (input.type === 'paste' ? input.text : '!')).join('')).toBe(`${part}\n`.repeat(40))
  })
})

describe('the mouse and the window', () => {
  test('are heard with places counted from nought', async () => {
    expect(await decodeAll('\x1b[<0;1;1M\x1b[<32;5;3M\x1b[<0;5;3m\x1b[<64;5;3M\x1b[<65;5;3M\x1b[<35;9;9M')).toEqual([
      ...['mouse press 0,0', 'mouse drag 2,4', 'mouse release 2,4', 'mouse wheel-up 2,4', 'mouse wheel-down 2,4'],
    ])
    expect(await decodeAll('\x1b[I\x1b[O')).toEqual(['focus true', 'focus false'])
  })

  test('answers of the terminal are dropped', async () => {
    const answers = [
      ...['\x1b[?62;22c', '\x1b[>41;354;0c', '\x1b[24;80R', '\x1b[?2026;2$y', '\x1b[?1u', '\x1b[0n', '\x1b[8;24;80t'],
      ...[
        '\x1b]11;rgb:0000/0000/0000\x07',
        '\x1b]10;rgb:ff/ff/ff\x1b\\',
        '\x1bP>|xterm(380)\x1b\\',
        '\x1b_Gi=1;OK\x1b\\',
      ],
      ...['\x1b[M !!', '\x1b[201~'],
    ]
    expect(await decodeAll(`a${answers.join('')}b`)).toEqual(['text a', 'text b'])
    const bytes = Buffer.from(answers.join(''))
    expect(await decodeAll(...pieces(bytes, [3, 9, 5, 14, 30]))).toEqual([])
  })

  test('noise of any kind is survived, and keys work after it', async () => {
    const noise = fc.array(
      fc.oneof(
        fc.constantFrom('\x1b[', '\x1bP1', '\x1b]1', '\x1bO', '\x1b[<', ';', '200'),
        fc.string({ unit: 'binary' }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(noise, fc.array(fc.nat(9)), async (parts, cuts) => {
        const { decode, clock, words } = decoder()
        for (const piece of pieces(Buffer.from(parts.join('')), cuts)) decode.push(piece)
        await clock.advance(20_000)
        words()
        decode.push(Buffer.from('\r'))
        expect(words()).toEqual(['key enter'])
        expect(clock.pending()).toBe(0)
      }),
    )
    expect((await decodeAll(`\x1b[${'1;'.repeat(5000)}`)).length).toBeLessThan(3)
  })
})

/** The bytes cut at the given lengths; the rest is one piece. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const all: Uint8Array[] = []
  let at = 0
  for (const length of cuts) {
    if (at >= bytes.length) break
    all.push(bytes.subarray(at, at + length))
    at += length
  }
  return [...all, bytes.subarray(at)]
}
