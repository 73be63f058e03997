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

test('what the start of a process left behind is collected once, if no person would notice the pause', async () => {
  const atTerminal = await isCollected(true)
  expect(atTerminal).toEqual({ early: false, later: false })
  const unattended = await isCollected(false)
  expect(unattended).toEqual({ early: false, later: true })
})

/** Whether an object without references is collected 14 s and 16 s after the start. */
async function isCollected(hasTerminal: boolean): Promise<{ early: boolean; later: boolean }> {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const tty = vi.spyOn(process.getBuiltinModule('node:tty'), 'isatty').mockReturnValue(hasTerminal)
  try {
    const lost = new WeakRef({})
    beginBriefly()
    vi.advanceTimersByTime(14_000)
    await setImmediate()
    const early = lost.deref() === undefined
    await setImmediate()
    vi.advanceTimersByTime(2000)
    // V8 collects in a task of its own.
    for (let turn = 0; turn < 50 && lost.deref() !== undefined; turn++) await setImmediate()
    expect(vi.getTimerCount()).toBe(0)
    return { early, later: lost.deref() === undefined }
  } finally {
    tty.mockRestore()
    vi.useRealTimers()
  }
}
