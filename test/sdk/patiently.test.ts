import { deliveryBusy, deliveryRefused, retryWhileBusy } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

/** Asks a service that fails in these ways before it answers; when it was asked, and what came of it. */
async function asked(failures: readonly Error[], end = new AbortController()) {
  const clock = virtualClock()
  const at: number[] = []
  const start = clock.now()
  const answer = retryWhileBusy(
    async () => {
      at.push(clock.now() - start)
      const failure = failures[at.length - 1]
      if (failure) throw failure
      return 'here'
    },
    { clock, signal: end.signal },
  )
  const outcome = answer.catch((error: Error) => error.message)
  await clock.advance(600_000)
  return { at, outcome: await outcome }
}

test('a service that is busy is asked again, as late as it wants', async () => {
  const failures = [deliveryBusy('X', 'later'), deliveryBusy('X', 'later', { retryAfterMs: 7000 }), new Error('cut')]
  expect(await asked(failures)).toEqual({ at: [0, 1000, 8000, 12_000], outcome: 'here' })
})

test('a service that refuses is not asked again, and one that stays busy not for ever', async () => {
  expect(await asked([deliveryRefused('X', 'never')])).toEqual({ at: [0], outcome: 'never' })
  const { at, outcome } = await asked(
    Array.from({ length: 9 }, () => deliveryBusy('X', 'later', { retryAfterMs: 3_600_000 })),
  )
  expect([at.length, at.at(-1), outcome]).toEqual([5, 240_000, 'later'])
})

test('no one is asked for a connection that has ended', async () => {
  const end = new AbortController()
  end.abort(new Error('closed'))
  expect(await asked([deliveryBusy('X', 'later')], end)).toMatchObject({ at: [0], outcome: 'closed' })
})
