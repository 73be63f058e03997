import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

/** A clock on which a timer is set again each time it fires, and when it fired. */
function ticking(everyMs: number) {
  const clock = virtualClock(0)
  const fired: number[] = []
  const tick = () => {
    fired.push(clock.now())
    clock.after(everyMs, tick)
  }
  clock.after(everyMs, tick)
  return { clock, fired }
}

test('advance runs a repeated timer at each of its times', async () => {
  const { clock, fired } = ticking(100)
  await clock.advance(350)
  expect(fired).toEqual([100, 200, 300])
  expect(clock.now()).toBe(350)
})

test('jump runs a repeated timer once, at the end, as a machine that slept', async () => {
  const { clock, fired } = ticking(100)
  await clock.jump(350)
  expect(fired).toEqual([350])
  await clock.advance(100)
  expect(fired).toEqual([350, 450])
})

test('jump runs due timers in their order, and not those that an earlier one cancels', async () => {
  const clock = virtualClock(0)
  const fired: string[] = []
  clock.after(200, () => fired.push('second'))
  const cancel = clock.after(300, () => fired.push('cancelled'))
  clock.after(100, () => {
    fired.push('first')
    cancel()
  })
  await clock.jump(1000)
  expect(fired).toEqual(['first', 'second'])
})
