import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Lines } from '../../../sdk/kit/terminal/ask.ts'

function open(isTTY: boolean) {
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => {} })
  const stdout = new PassThrough()
  const end = new AbortController()
  let interrupts = 0
  const interrupt = () => {
    interrupts++
  }
  const streams = { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream }
  const lines = new Lines({ ...streams, signal: end.signal, interrupt })
  const shown = () => String(stdout.read() ?? '')
  return { lines, stdin, shown, end, interrupts: () => interrupts }
}

const turns = async () => {
  for (let at = 0; at < 20; at++) await new Promise((resolve) => setImmediate(resolve))
}

test('lines of a pipe answer one prompt each, whatever chunks they come in, and its end is no answer', async () => {
  const { lines, stdin } = open(false)
  stdin.end('one\r\ntwo\nthr\u00e4e')
  expect(await lines.ask('a ')).toBe('one')
  expect(await lines.ask('b ')).toBe('two')
  expect(await lines.ask('c ')).toBeUndefined()
  expect(await lines.ask('d ')).toBeUndefined()
})

test('at a terminal what was typed early waits for a prompt that takes it', async () => {
  const { lines, stdin } = open(true)
  stdin.write('yes\rwhat is it?\r')
  await turns()
  const confirmed = lines.ask('Remove it? [y/N] ')
  await turns()
  stdin.write('no\rtyped with it\r')
  expect(await confirmed).toBe('no')
  for (const line of ['yes', 'what is it?', 'typed with it'])
    expect(await lines.ask('> ', { typedAhead: true })).toBe(line)
})

test('a prompt that is interrupted keeps the line so far; a question that is given up does not', async () => {
  const { lines, stdin } = open(true)
  const stop = new AbortController()
  const prompt = lines.ask('> ', { typedAhead: true, signal: stop.signal })
  await turns()
  stdin.write('half a ')
  await turns()
  stop.abort()
  expect(await prompt).toBeUndefined()
  const given = new AbortController()
  const question = lines.ask('Allow? ', { signal: given.signal })
  await turns()
  stdin.write('on')
  await turns()
  given.abort()
  expect(await question).toBeUndefined()
  const again = lines.ask('> ', { typedAhead: true })
  await turns()
  stdin.write('line\r')
  expect(await again).toBe('half a line')
})

test('Ctrl-C discards what was typed ahead, a secret is not echoed, and an end of the run is no answer', async () => {
  const { lines, stdin, shown, end, interrupts } = open(true)
  const first = lines.ask('> ', { typedAhead: true })
  await turns()
  stdin.write('one\rtwo\r\u0003')
  expect(await first).toBe('one')
  expect(interrupts()).toBe(1)
  const key = lines.ask('Key: ', { secret: true })
  await turns()
  stdin.write('hush\r')
  expect(await key).toBe('hush')
  expect(shown()).not.toMatch(/hush|two/)
  const last = lines.ask('> ', { typedAhead: true })
  await turns()
  end.abort()
  expect(await last).toBeUndefined()
  expect(await lines.ask('> ')).toBeUndefined()
})
