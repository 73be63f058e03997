import { expect, test } from 'vitest'
import { currentOwner, followOwners, kernelOwner, runAs, sees } from '../../kernel/owner.ts'
import { createOwner } from '../support/owners.ts'

const weather = createOwner('weather')

/** Who is known to run now, and after a moment. */
async function now(): Promise<(string | undefined)[]> {
  const first = currentOwner()?.name
  await new Promise((resolve) => setImmediate(resolve))
  return [first, currentOwner()?.name]
}

test('code runs in the name of its plugin, also inside that of another, and not beyond its end', () => {
  const names = runAs(weather, () => [
    currentOwner()?.name,
    runAs(kernelOwner, () => currentOwner()?.name),
    currentOwner()?.name,
  ])
  expect(names).toEqual(['weather', 'kernel', 'weather'])
  const fail = () => {
    throw new Error('no')
  }
  expect(() => runAs(weather, fail)).toThrow('no')
  expect(currentOwner()).toBeUndefined()
})

test('what a plugin started runs in its name too, but only once owners are followed: that costs speed', async () => {
  expect(await runAs(weather, now)).toEqual(['weather', undefined])
  followOwners()
  const [sunny, other] = await Promise.all([runAs(weather, now), runAs(createOwner('other'), now)])
  expect(sunny).toEqual(['weather', 'weather'])
  expect(other).toEqual(['other', 'other'])
  expect(currentOwner()).toBeUndefined()
})

test('live is seen by all, pending by its batch, retired by none', () => {
  const batch = {}
  const mate = createOwner('mate', { batch, state: 'pending' })
  const owners = (['live', 'pending', 'retired'] as const).map((state) => createOwner('plugin', { batch, state }))
  expect(owners.map((owner) => sees(mate, owner))).toEqual([true, true, false])
  expect(owners.map((owner) => sees(createOwner('stranger'), owner))).toEqual([true, false, false])
  expect(sees(mate, kernelOwner)).toBe(true)
})
