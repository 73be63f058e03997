import { expect, test } from 'vitest'
import { currentOwner, kernelOwner, runAs, sees } from '../../kernel/owner.ts'
import { ownerOf } from '../support/owners.ts'

test('code, and all that comes of it later, runs in the name of its plugin', async () => {
  const owner = ownerOf('weather')
  expect(currentOwner()).toBeUndefined()
  const names = await runAs(owner, async () => {
    const now = currentOwner()?.name
    await new Promise((resolve) => setImmediate(resolve))
    return [now, currentOwner()?.name, runAs(kernelOwner, () => currentOwner()?.name)]
  })
  expect(names).toEqual(['weather', 'weather', 'kernel'])
  expect(currentOwner()).toBeUndefined()
})

test('live is seen by all, pending by its batch, retired by none', () => {
  const batch = {}
  const mate = ownerOf('mate', { batch, state: 'pending' })
  const owners = (['live', 'pending', 'retired'] as const).map((state) => ownerOf('plugin', { batch, state }))
  expect(owners.map((owner) => sees(mate, owner))).toEqual([true, true, false])
  expect(owners.map((owner) => sees(ownerOf('stranger'), owner))).toEqual([true, false, false])
  expect(sees(mate, kernelOwner)).toBe(true)
})
