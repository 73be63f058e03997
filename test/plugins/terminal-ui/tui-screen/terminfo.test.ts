import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readTerminfo } from '../../../../plugins/terminal-ui/tui-screen/terminfo.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-terminfo-'))
const before = process.cwd()
/** As the environment names them where TERMINFO is not set and TERMINFO_DIRS has an own folder. */
const places = ['', join(folder, 'own')]

afterAll(() => removeFolder(folder))

/** A compiled description as of term(5), with numbers of 16 or 32 bits. */
function compiled(name: string, bits: 16 | 32, colors: number, strings: Readonly<Record<number, string>>): Buffer {
  const names = Buffer.from(`${name}|for a test\0`)
  const numbers = Array.from({ length: 14 }, (_, index) => (index === 13 ? colors : -1))
  const places: number[] = []
  let table = ''
  for (let index = 0; index < 45; index++) {
    places.push(strings[index] === undefined ? 0xffff : table.length)
    if (strings[index] !== undefined) table += `${strings[index]}\0`
  }
  const short = (value: number) => [value & 255, (value >> 8) & 255]
  const number = (value: number) => (bits === 16 ? short(value) : [...short(value), ...short(value >> 16)])
  const head = [bits === 16 ? 0o432 : 0o1036, names.length, 1, numbers.length, places.length, table.length]
  const gap = (names.length + 1) % 2 ? [0] : []
  const bytes = [...head.flatMap(short), ...names, 1, ...gap, ...numbers.flatMap(number), ...places.flatMap(short)]
  return Buffer.concat([Buffer.from(bytes), Buffer.from(table, 'latin1')])
}

function write(place: string, name: string, data: Buffer): void {
  mkdirSync(join(place, name.charAt(0)), { recursive: true })
  writeFileSync(join(place, name.charAt(0), name), data)
}

const ansi = { 10: '\x1b[%i%p1%d;%p2%dH$<5>', 28: '\x1b[?47h$<20/>', 40: '\x1b[?47l' }

test.for([
  [16, 256, 256],
  [32, 16777216, 32767],
] as const)('a description with numbers of %i bits is read', ([bits, colors, read]) => {
  write(join(folder, 'own'), `strange${bits}`, compiled(`strange${bits}`, bits, colors, ansi))
  expect(readTerminfo(`strange${bits}`, places)).toEqual({
    colors: read,
    isAnsi: true,
    enter: '\x1b[?47h',
    leave: '\x1b[?47l',
  })
})

test('a terminal that moves its cursor in another way is not taken for a usual one', () => {
  write(join(folder, 'own'), 'other', compiled('other', 16, -1, { 10: '\x1bY%p1%c%p2%c' }))
  expect(readTerminfo('other', places)).toEqual({ colors: -1, isAnsi: false, enter: '', leave: '' })
})

test('nothing is read from the current folder, by a path, or of a damaged file', () => {
  const bad = compiled('bad', 16, 8, ansi)
  write(folder, 'zz-planted', compiled('zz-planted', 16, 8, ansi))
  write(join(folder, 'own'), 'bad', bad.subarray(0, 20))
  process.chdir(folder)
  try {
    expect(readTerminfo('zz-planted', places)).toBeUndefined()
    expect(readTerminfo(join(folder, 'z/zz-planted'), places)).toBeUndefined()
    expect(readTerminfo('bad', places)).toBeUndefined()
  } finally {
    process.chdir(before)
  }
})
