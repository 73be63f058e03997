import { expect, test, vi } from 'vitest'
import { openPorts, realClock, realRandom } from '../../program/ports.ts'

test('the clock tells the time and a moment that never goes back', () => {
  expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(1000)
  const before = realClock.monotonic()
  expect(realClock.monotonic()).toBeGreaterThanOrEqual(before)
})

test('something is done once after its time, unless it is called off', async () => {
  const [kept, called] = [vi.fn(), vi.fn()]
  realClock.after(1, kept)
  const cancel = realClock.after(1, called)
  cancel()
  await realClock.sleep(20)
  expect(kept).toHaveBeenCalledTimes(1)
  expect(called).not.toHaveBeenCalled()
})

test('a sleep ends at once with the reason of its signal', async () => {
  const abort = new AbortController()
  const sleep = realClock.sleep(1e6, abort.signal)
  abort.abort(new Error('enough'))
  await expect(sleep).rejects.toThrow('enough')
  await expect(realClock.sleep(1e6, abort.signal)).rejects.toThrow('enough')
})

test('what waits in the background does not keep the process alive, what else waits does', () => {
  const keptAliveBy = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = keptAliveBy()
  const background = realClock.after(1e6, () => {}, { background: true })
  expect(keptAliveBy()).toBe(before)
  const foreground = realClock.after(1e6, () => {})
  expect(keptAliveBy()).toBe(before + 1)
  background()
  foreground()
  expect(keptAliveBy()).toBe(before)
})

test('random numbers, bytes and ids have the form they should', () => {
  for (let n = 0; n < 1000; n++) {
    const value = realRandom.next()
    expect(value >= 0 && value < 1).toBe(true)
  }
  expect(realRandom.hex(5)).toMatch(/^[0-9a-f]{10}$/)
  expect(realRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(Array.from({ length: 100 }, () => realRandom.uuid())).size).toBe(100)
})

test('what is given stands in for what is real', () => {
  const random = { ...realRandom, next: () => 0.5 }
  const ports = openPorts({ A: '1' }, { random })
  expect([ports.random.next(), ports.clock, ports.env['A']]).toEqual([0.5, realClock, '1'])
  ports.close()
})
