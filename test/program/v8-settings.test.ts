import { cachedDataVersionTag } from 'node:v8'
import { expect, test } from 'vitest'
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
