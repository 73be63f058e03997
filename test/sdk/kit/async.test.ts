import fc from 'fast-check'
import { abortable, backoff, runEach, waitAtMost, withDeadline } from 'svc/sdk/kit/async'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'

const never = () => new Promise<never>(() => undefined)
const late = () => new Error('late')
/** The outcome of work once it is settled, and `pending` until then. */
function watch<T>(work: Promise<T>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'pending' }
  work.then(
    (value) => {
      seen.outcome = value
    },
    (error: unknown) => {
      seen.outcome = error
    },
  )
  return seen
}

describe('a deadline', () => {
  test('lets the result through, and leaves no timer', async () => {
    const clock = virtualClock()
    const cancelled: boolean[] = []
    const counting = {
      after: (ms: number, callback: () => void) => {
        const at = cancelled.push(false) - 1
        const cancel = clock.after(ms, callback)
        return () => {
          cancelled[at] = true
          cancel()
        }
      },
    }
    expect(await withDeadline(counting, 1000, async () => 'done', late)).toBe('done')
    expect(cancelled).toEqual([true])
  })

  test('rejects when the time is over, and aborts the work', async () => {
    const clock = virtualClock()
    let signal: AbortSignal | undefined
    const work = (given: AbortSignal) => {
      signal = given
      return never()
    }
    const seen = watch(withDeadline(clock, 1000, work, late))
    await clock.advance(999)
    expect([seen.outcome, signal?.aborted]).toEqual(['pending', false])
    await clock.advance(1)
    expect([seen.outcome, signal?.reason]).toEqual([late(), late()])
  })

  test('rejects with the reason of a signal, and does not begin when that had aborted before', async () => {
    const clock = virtualClock()
    const outer = new AbortController()
    let begun = 0
    const work = () => {
      begun++
      return never()
    }
    const seen = watch(withDeadline(clock, 1000, work, late, { signal: outer.signal }))
    await clock.advance(0)
    outer.abort(new Error('stopped'))
    await clock.advance(0)
    expect(seen.outcome).toEqual(new Error('stopped'))
    await expect(withDeadline(clock, 1000, work, late, { signal: outer.signal })).rejects.toThrow('stopped')
    expect(begun).toBe(1)
  })

  test('lets an error of the work through, and drops one that comes later', async () => {
    const clock = virtualClock()
    await expect(withDeadline(clock, 1000, () => Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    let fail: (error: Error) => void = () => undefined
    const work = () =>
      new Promise<never>((_, reject) => {
        fail = reject
      })
    const seen = watch(withDeadline(clock, 1000, work, late))
    await clock.advance(1000)
    fail(new Error('too late to matter'))
    await clock.advance(0)
    expect(seen.outcome).toEqual(late())
  })
})

describe('a bounded wait', () => {
  test('ends with the result, or with nothing when the time is over or the signal aborts', async () => {
    const clock = virtualClock()
    expect(await waitAtMost(clock, 1000, Promise.resolve('x'))).toBe('x')
    const slow = watch(waitAtMost(clock, 1000, never()))
    await clock.advance(1000)
    expect(slow.outcome).toBeUndefined()
    const abort = new AbortController()
    const stopped = watch(waitAtMost(clock, 1000, never(), { signal: abort.signal }))
    await clock.advance(0)
    abort.abort()
    await clock.advance(0)
    expect(stopped.outcome).toBeUndefined()
    await expect(waitAtMost(clock, 1000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

describe('work that can be abandoned', () => {
  test('rejects at once when its signal had aborted before, and takes no listener along', async () => {
    const aborted = AbortSignal.abort(new Error('before'))
    await expect(abortable(never(), aborted)).rejects.toThrow('before')
    const { signal } = new AbortController()
    const counts = { added: 0, removed: 0 }
    const counting = Object.assign(Object.create(signal) as AbortSignal, {
      addEventListener: () => void counts.added++,
      removeEventListener: () => void counts.removed++,
    })
    Object.defineProperty(counting, 'aborted', { value: false })
    expect(await abortable(Promise.resolve(1), counting)).toBe(1)
    await Promise.resolve()
    expect(counts).toEqual({ added: 1, removed: 1 })
    expect(await abortable(Promise.resolve(2), undefined)).toBe(2)
  })
})

test('waits double from the first to the longest, with no more than their jitter', () => {
  const policy = { firstMs: 250, maxMs: 30_000 }
  expect([1, 2, 3, 7, 8, 9, 5000].map((failures) => backoff(policy, failures))).toEqual([
    250, 500, 1000, 16_000, 30_000, 30_000, 30_000,
  ])
  const failures = fc.integer({ min: 0, max: 1e6 })
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(failures, random, (count, chance) => {
      const wait = backoff({ ...policy, jitter: 0.5 }, count, chance)
      const plain = backoff(policy, count)
      return wait >= plain && wait < plain * 1.5 + 1e-6 && plain >= 250 && plain <= 30_000
    }),
  )
})

test('work of several ends no other when one throws at once, one rejects and one never ends', async () => {
  const clock = virtualClock()
  const results = runEach(['good', 'throws', 'rejects', 'stuck'], {
    ...{ clock, timeoutMs: 2000, signal: new AbortController().signal },
    run(item, signal) {
      if (item === 'throws') throw new Error('thrown')
      if (item === 'rejects') return Promise.reject(new Error('rejected'))
      return item === 'stuck'
        ? new Promise((resolve) => signal.addEventListener('abort', () => resolve('')))
        : Promise.resolve('done')
    },
    failed: (item, error) => `${item}: ${error instanceof Error ? error.message : error}`,
  })
  await clock.advance(2000)
  expect(await results).toEqual(['done', 'throws: thrown', 'rejects: rejected', 'stuck: it took longer than 2 s'])
})

test('work of several has failed once the signal aborts', async () => {
  const ends = new AbortController()
  const options = {
    clock: virtualClock(),
    timeoutMs: 2000,
    signal: ends.signal,
    run: () => new Promise<string>(() => {}),
  }
  const results = runEach(['one', 'two'], { ...options, failed: (item, error) => `${item}: ${error}` })
  ends.abort('over')
  expect(await results).toEqual(['one: over', 'two: over'])
})
