import { retryUntilTaken } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const quiet = { warn: () => undefined }

test('a message that is refused at first is handed over again, later and later, until it is taken', async () => {
  const clock = virtualClock()
  const triedAt: number[] = []
  const took = retryUntilTaken(
    async () => {
      triedAt.push(clock.now())
      if (triedAt.length < 12) throw new Error('the disk is full')
      return 'safe'
    },
    { clock, log: quiet, signal: new AbortController().signal },
  )
  await clock.advance(600_000)
  expect(await took).toBe('safe')
  const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000])
})

test('a connection that ends gives a message up while it waits, and does not try it once more', async () => {
  const clock = virtualClock()
  const end = new AbortController()
  let tries = 0
  const took = retryUntilTaken(
    async () => {
      tries++
      throw new Error('the disk is full')
    },
    { clock, log: quiet, signal: end.signal },
  )
  const outcome = took.catch((error: Error) => error.message)
  await clock.advance(100)
  end.abort(new Error('closed'))
  await clock.advance(60_000)
  expect(await outcome).toBe('closed')
  expect(tries).toBe(1)
})
