import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Owner, runAs } from '../../kernel/owner.ts'
import { holdOutput } from '../../program/output.ts'

const plugin: Owner = { name: 'noisy', generation: 1, batch: {}, state: 'live' }

function streams() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const held = holdOutput({ stdout, stderr } as unknown as Record<'stdout' | 'stderr', NodeJS.WriteStream>)
  const strays: string[] = []
  held.onStray = (...stray) => void strays.push(stray.join(' '))
  return { stdout, stderr, held, strays, seen: () => String(stdout.read() ?? '') }
}

test('what the code of a plugin writes goes to the log, line by line, under its name', () => {
  const { stdout, stderr, strays, seen } = streams()
  runAs(plugin, () => {
    stdout.write('half ')
    stdout.write('a line\nand ')
    stderr.write(Buffer.from('an error\n'))
    stdout.write('more\n\n')
  })
  expect(strays).toEqual(['noisy stdout half a line', 'noisy stderr an error', 'noisy stdout and more'])
  expect(seen()).toBe('')
})

test('a writer that waits for its line is told that it was taken', async () => {
  const { stdout } = streams()
  await new Promise<void>((resolve) => void runAs(plugin, () => stdout.write('x\n', 'utf8', () => resolve())))
})

test('the command itself writes through, also while code of a plugin runs', () => {
  const { stdout, held, strays, seen } = streams()
  runAs(plugin, () => held.stdout.write('{"answer":42}\n'))
  stdout.write('plain\n')
  expect([seen(), strays]).toEqual(['{"answer":42}\nplain\n', []])
})

test('released streams are as they were', () => {
  const { stdout, held, seen } = streams()
  held.release()
  runAs(plugin, () => stdout.write('through'))
  expect(seen()).toBe('through')
})
