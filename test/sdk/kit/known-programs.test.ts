import { KnownPrograms } from 'svc/sdk/kit/platform'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'

test('a sender is asked for once; one that the service refuses to show counts as a program, and other errors are not stored', async () => {
  const programs = new KnownPrograms<string>()
  const ask = vi.fn(async () => false)
  expect([await programs.has('ada', ask), await programs.has('ada', ask)]).toEqual([false, false])
  expect(ask).toHaveBeenCalledTimes(1)
  const failing = (error: Error) => async () => {
    throw error
  }
  await expect(programs.has('bot', failing(deliveryBusy('TEST', 'later')))).rejects.toThrow('later')
  expect(await programs.has('bot', failing(deliveryRefused('TEST', 'hidden')))).toBe(true)
  expect(await programs.has('bot', ask)).toBe(true)
})
