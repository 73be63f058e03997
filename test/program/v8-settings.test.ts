import { setImmediate } from 'node:timers/promises'
import { cachedDataVersionTag } from 'node:v8'
import { expect, test, vi } from 'vitest'
import { beginBriefly, liveOn } from '../../program/v8-settings.ts'

test('the settings of a brief run are taken back to the very defaults, which compiled code is made for', () => {
  const usual = cachedDataVersionTag()
  beginBriefly()
  expect(cachedDataVersionTag()).not.toBe(usual)
  liveOn()
  expect(cachedDataVersionTag()).toBe(usual)
})

test('the modules of Node that a question needs are loaded before the settings change', () => {
  beginBriefly()
  liveOn()
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] }
  for (const name of ['crypto', 'fs/promises', 'http']) expect(moduleLoadList).toContain(`NativeModule ${name}`)
})

test('what the start of a process left behind is collected once, with the settings as they were', async () => {
  const usual = cachedDataVersionTag()
  const lost = new WeakRef({})
  using _ = fakeTimers()
  beginBriefly()
  vi.advanceTimersByTime(14_000)
  await setImmediate()
  expect(lost.deref()).toBeDefined()
  await setImmediate()
  vi.advanceTimersByTime(2000)
  expect(lost.deref()).toBeUndefined()
  expect(cachedDataVersionTag()).toBe(usual)
  expect(vi.getTimerCount()).toBe(0)
})

function fakeTimers(): Disposable {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  return { [Symbol.dispose]: () => vi.useRealTimers() }
}
