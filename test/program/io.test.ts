import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readAll, wantsColor } from '../../program/io.ts'

test('standard input is read to its end as the bytes it is', async () => {
  const bytes = [Buffer.from([0, 255, 10]), Buffer.from('ü')]
  expect(Buffer.from(await readAll(Readable.from(bytes), 100))).toEqual(Buffer.concat(bytes))
  expect(await readAll(Readable.from([]), 100)).toHaveLength(0)
})

test('input up to the limit is taken; one byte more is refused, and the rest is not read', async () => {
  const stream = (size: number) => Readable.from([Buffer.alloc(size - 1), Buffer.alloc(1), Buffer.alloc(5)])
  await expect(readAll(Readable.from([Buffer.alloc(2 ** 20)]), 2 ** 20)).resolves.toHaveLength(2 ** 20)
  const endless = stream(2 ** 20 + 1)
  await expect(readAll(endless, 2 ** 20)).rejects.toMatchObject({
    code: 'INPUT_TOO_LARGE',
    message: expect.stringContaining('1 MiB'),
  })
  expect(endless.destroyed).toBe(true)
})

test.for([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
] as const)('with %j and a terminal %s, colours are %s', ([env, terminal, expected]) => {
  expect(wantsColor(env, terminal)).toBe(expected)
})
