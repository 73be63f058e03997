import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lines, toLine } from '../../../../plugins/messaging/control/lines.ts'

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts].map((at) => at % (bytes.length + 1)).sort((a, b) => a - b)) {
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}

async function collect(source: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const each of source) all.push(each)
  return all
}

test('messages arrive whole, wherever the stream was cut', async () => {
  const message = fc.oneof(fc.string({ unit: 'grapheme' }), fc.record({ text: fc.string({ unit: 'binary' }) }))
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(200)), async (messages, cuts) => {
      const bytes = Buffer.from(messages.map(toLine).join(''))
      const received = await collect(lines(pieces(bytes, cuts), 10_000))
      expect(received.map((line) => JSON.parse(line))).toEqual(messages)
    }),
  )
})

test('a line may be as long as the limit and not one byte longer', async () => {
  const of = (length: number) => Buffer.from(`${'x'.repeat(length)}\n`)
  expect(await collect(lines(pieces(of(10), [4]), 10))).toEqual(['x'.repeat(10)])
  await expect(collect(lines(pieces(of(11), [4]), 10))).rejects.toMatchObject({ code: 'CONTROL_TOO_LARGE' })
})

test('a line that never ends is given up at the limit, not collected', async () => {
  let sent = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      sent++
      yield Buffer.alloc(1000, 'x')
    }
  }
  await expect(collect(lines(endless(), 5000))).rejects.toMatchObject({ code: 'CONTROL_TOO_LARGE' })
  expect(sent).toBe(6)
})
