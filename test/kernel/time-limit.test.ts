import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { within } from '../../kernel/time-limit.ts'

test('work that answers at once costs no timer', async () => {
  const clock = virtualClock()
  expect(await within(clock, 100, 'its sum', () => 42)).toBe(42)
  expect(clock.pending()).toBe(0)
})

test('work that answers in time answers, and its timer is taken back', async () => {
  const clock = virtualClock()
  const answer = within(clock, 100, 'its sum', () => clock.sleep(99).then(() => 42))
  await clock.advance(99)
  expect(await answer).toBe(42)
  expect(clock.pending()).toBe(0)
})

test('work that takes too long is told to stop and is not waited for', async () => {
  const clock = virtualClock()
  let told: unknown
  const answer = within(clock, 1500, 'its sum', (ask) => {
    const signal = ask()
    signal.addEventListener('abort', () => {
      told = signal.reason
    })
    return new Promise(() => {})
  }).catch((error: unknown) => error)
  await clock.advance(1500)
  expect(await answer).toMatchObject({ code: 'PLUGIN_TIMEOUT', message: 'its sum took longer than 1.5 s' })
  expect(told).toBe(await answer)
})

test('work without a limit may take as long as it likes', async () => {
  const clock = virtualClock()
  const answer = within(clock, 0, 'its sum', () => clock.sleep(1e9).then(() => 42))
  await clock.advance(1e9)
  expect(await answer).toBe(42)
})

test('a failure of the work is the failure of the call', async () => {
  const clock = virtualClock()
  await expect(within(clock, 100, 'its sum', () => Promise.reject(new Error('odd')))).rejects.toThrow('odd')
  await expect(
    within(clock, 100, 'its sum', () => {
      throw new Error('even')
    }),
  ).rejects.toThrow('even')
  expect(clock.pending()).toBe(0)
})
