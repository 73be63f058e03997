import { SvcError } from 'svc/sdk'
import type { OutboundMessage } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const platform = { limits: { idempotency: 'none', commits: true } } as const

/** A send that hangs, before or after it has committed. */
function hanging(isCommitted: boolean) {
  return vi.fn(async ({ commit }: OutboundMessage): Promise<never> => {
    if (isCommitted) commit?.()
    return new Promise(() => {})
  })
}

test('what svc had not committed when it died is sent by the next one', async () => {
  const first = await stage({ platform })
  const send = hanging(false)
  first.platform.send = send
  first.post('hello')
  await vi.waitFor(() => expect(send).toHaveBeenCalled())
  const second = await stage({ home: first.kernel.home, platform })
  await second.clock.advance(2000)
  await second.outbox.idle()
  expect(second.said()).toEqual(['hello'])
  expect(second.states()).toEqual(['delivered'])
})

test('what svc had committed when it died is in doubt, also when an earlier attempt of it was not', async () => {
  const first = await stage({ platform })
  first.fake.failSends(new Error('it broke before anything was said'))
  first.post('hello')
  await vi.waitFor(() => expect(first.outbox.deliveries()[0]).toMatchObject({ attempts: 1, state: 'pending' }))
  const send = hanging(true)
  first.platform.send = send
  await first.clock.advance(2000)
  await vi.waitFor(() => expect(send).toHaveBeenCalled())
  const second = await stage({ home: first.kernel.home, platform })
  await second.outbox.idle()
  expect(second.said()).toEqual([])
  expect(second.outbox.deliveries()[0]).toMatchObject({
    state: 'uncertain',
    error: 'svc stopped while it was being sent',
  })
})

test('a failure that says nothing of itself is certain before the commit, and in doubt after it', async () => {
  const { post, clock, outbox, platform: served, said } = await stage({ platform })
  const send = served.send.bind(served)
  served.send = async () => {
    throw new Error('cut')
  }
  post('before')
  await vi.waitFor(() => expect(outbox.deliveries({ key: 'before' })[0]?.attempts).toBe(1))
  served.send = send
  await clock.advance(2000)
  await outbox.idle()
  expect(said()).toEqual(['before'])
  served.send = async ({ commit }) => {
    commit?.()
    throw new Error('cut')
  }
  post('after')
  await outbox.idle()
  expect(outbox.deliveries({ key: 'after' })[0]?.state).toBe('uncertain')
})

test('an attempt that took too long may not commit any more, when the message is already under way again', async () => {
  const { post, clock, outbox, platform: served, said } = await stage({ platform })
  const send = served.send.bind(served)
  const late: OutboundMessage[] = []
  served.send = async (message) => {
    late.push(message)
    return new Promise(() => {})
  }
  post('slow')
  await vi.waitFor(() => expect(late).toHaveLength(1))
  await clock.advance(120_001)
  await vi.waitFor(() => expect(outbox.deliveries()[0]?.state).toBe('pending'))
  const second = hanging(true)
  served.send = second
  await clock.advance(2000)
  await vi.waitFor(() => expect(second).toHaveBeenCalled())
  expect(() => late[0]?.commit?.()).toThrow(SvcError)
  served.send = send
  expect(said()).toEqual([])
})

test('a process whose message another one took over sends nothing of it', async () => {
  const first = await stage({ platform })
  const waiting: OutboundMessage[] = []
  first.platform.send = async (message) => {
    waiting.push(message)
    return new Promise(() => {})
  }
  first.post('hello')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  const second = await stage({ home: first.kernel.home, platform })
  expect(() => waiting[0]?.commit?.()).toThrow('Another process of svc sends this message now.')
  await second.clock.advance(2000)
  await second.outbox.idle()
  expect(second.said()).toEqual(['hello'])
})

test('a platform that does not commit is given nothing to call, and what it was doing counts as sent', async () => {
  const { post, platform: served } = await stage({ platform: { limits: { idempotency: 'none' } } })
  const send = hanging(false)
  served.send = send
  post('hello')
  await vi.waitFor(() => expect(send).toHaveBeenCalled())
  expect(send.mock.calls[0]?.[0]).not.toHaveProperty('commit')
})

test('an answer of the platform that comes after the outbox was unloaded harms nothing; the next one knows the attempt', async () => {
  const first = await stage({ platform })
  let answer: () => void = () => {}
  first.platform.send = ({ commit }: OutboundMessage) => {
    commit?.()
    return new Promise((resolve) => {
      answer = () => resolve({ messageId: 'late' })
    })
  }
  first.post('hello')
  await vi.waitFor(() => expect(first.outbox.deliveries()[0]?.state).toBe('attempting'))
  await first.kernel.stop()
  answer()
  // An unhandled rejection would fail this file.
  await new Promise((resolve) => setImmediate(resolve))
})

test('the signal of a send is open while it is waited for, and aborts when it is given up', async () => {
  const { post, clock, outbox, platform: served } = await stage({ platform })
  const signals: (AbortSignal | undefined)[] = []
  served.send = async (_message, signal) => {
    signals.push(signal)
    return new Promise(() => {})
  }
  post('slow')
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  expect(signals[0]?.aborted).toBe(false)
  await clock.advance(120_001)
  await vi.waitFor(() => expect(outbox.deliveries()[0]?.state).toBe('pending'))
  expect(signals[0]?.aborted).toBe(true)
})
