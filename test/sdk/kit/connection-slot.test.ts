import { ConnectionSlot } from 'svc/sdk/kit/platform'
import type { GatewayConnection } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'

function open() {
  const abort = new AbortController()
  const link = { signal: abort.signal } as GatewayConnection
  const create = () => ({ close: vi.fn() })
  return { slot: new ConnectionSlot<ReturnType<typeof create>>('Pigeon Post'), abort, link, create }
}

test('without a connection a message is refused for now', async () => {
  const { slot, link, create } = open()
  expect(() => slot.require()).toThrow('Pigeon Post is not connected.')
  await expect(slot.open(link, 'needs PIGEON_KEY', async () => create())).rejects.toThrow(
    'Pigeon Post is not configured: needs PIGEON_KEY',
  )
  expect(slot.current).toBeUndefined()
})

test('another connection ends the one before, and the signal ends the last', async () => {
  const { slot, link, abort, create } = open()
  const [first, second] = [create(), create()]
  await slot.open(link, undefined, async () => first)
  await slot.open(link, undefined, async () => second)
  expect(first.close).toHaveBeenCalledTimes(1)
  expect(slot.require()).toBe(second)
  abort.abort()
  expect(second.close).toHaveBeenCalledTimes(1)
  expect(slot.current).toBeUndefined()
})

test('a connection that is made after the signal is closed at once', async () => {
  const { slot, link, abort, create } = open()
  const late = create()
  const opening = slot.open(link, undefined, async () => {
    abort.abort(new Error('the gateway stops'))
    return late
  })
  await expect(opening).rejects.toThrow('the gateway stops')
  expect(late.close).toHaveBeenCalledTimes(1)
  expect(slot.current).toBeUndefined()
})
