import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Progress } from '../../../../../plugins/tools/shell/tool-terminal/progress.ts'

function follow(mask = (text: string) => text) {
  const clock = virtualClock()
  const told: string[] = []
  return { clock, told, progress: new Progress(clock, mask, (line) => told.push(line)) }
}

test('a command that is over at once tells nothing', async () => {
  const { clock, told, progress } = follow()
  progress.add(Buffer.from('quick\n'))
  progress.stop()
  await clock.advance(1000)
  expect(told).toEqual([])
  expect(clock.pending()).toBe(0)
})

test('the last line is told ten times a second at most, and only when it is another', async () => {
  const { clock, told, progress } = follow()
  for (let at = 0; at < 100; at++) {
    progress.add(Buffer.from(`line ${at}\n`))
    await clock.advance(10)
  }
  expect(told.length).toBeLessThanOrEqual(10)
  expect(told.at(-1)).toBe('line 99')
  progress.add(Buffer.from('\n  \n'))
  await clock.advance(1000)
  expect(told.at(-1)).toBe('line 99')
  expect(told.filter((line) => line === 'line 99')).toHaveLength(1)
})

test('a line that is not finished yet is told as it stands, without escape sequences', async () => {
  const { clock, told, progress } = follow()
  progress.add(Buffer.from('\u001b[32mdown'))
  progress.add(Buffer.from('loading\r 10 %'))
  await clock.advance(100)
  expect(told).toEqual(['10 %'])
})

test('a very long line is told by its end', async () => {
  const { clock, told, progress } = follow()
  progress.add(Buffer.from(`${'x'.repeat(100_000)}end`))
  await clock.advance(100)
  expect(told[0]).toMatch(/^x{197}end$/)
})

test('a secret that came in two chunks, or begins before what is told, is masked', async () => {
  const { clock, told, progress } = follow((text) => text.replaceAll('secret-1'.repeat(30), '***'))
  const secret = 'secret-1'.repeat(30)
  progress.add(Buffer.from(`key ${secret.slice(0, 100)}`))
  progress.add(Buffer.from(`${secret.slice(100)} end\n`))
  await clock.advance(1000)
  expect(told).toEqual(['key *** end'])
})
