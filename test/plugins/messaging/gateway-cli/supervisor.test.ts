import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import type { Notice } from '../../../../plugins/messaging/gateway-cli/announcements.ts'
import { Ending } from '../../../../plugins/messaging/gateway-cli/ending.ts'
import type { Child, ProcessEnd } from '../../../../plugins/messaging/gateway-cli/supervised-process.ts'
import { supervise } from '../../../../plugins/messaging/gateway-cli/supervisor.ts'

/** Children that end when the test says so. */
function stage() {
  const clock = virtualClock()
  const ending = new Ending()
  const said: Notice[] = []
  const crashes: string[] = []
  const children: { orders: string[]; killed: boolean; end(end: Partial<ProcessEnd>): Promise<void> }[] = []
  const start = (): Child => {
    const { promise: ended, resolve } = withResolvers<ProcessEnd>()
    const entry = {
      orders: [] as string[],
      killed: false,
      async end(end: Partial<ProcessEnd>) {
        resolve({ code: null, signal: null, ...end })
        await clock.advance(0)
      },
    }
    children.push(entry)
    const kill = () => {
      entry.killed = true
      resolve({ code: null, signal: 'SIGKILL' })
    }
    return { pid: 100 + children.length, ended, tell: ({ order }) => void entry.orders.push(order), kill }
  }
  const code = supervise({
    ...{ clock, ending, start, stopMs: 60_000 },
    started: () => {},
    crashed: (reason) => void crashes.push(reason),
    say: (notice) => void said.push(notice),
  })
  return { clock, ending, said, crashes, children, code, last: () => children.at(-1) as (typeof children)[number] }
}

function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('a gateway that stops, or cannot work as it is configured, is not started again', async () => {
  for (const code of [0, 78]) {
    const { last, code: result, children } = stage()
    await last().end({ code })
    expect(await result).toBe(code)
    expect(children).toHaveLength(1)
  }
})

test('a crash is waited out, longer each time, and the fourth in ten minutes is the last', async () => {
  const { clock, last, children, code, said, crashes } = stage()
  for (const wait of [500, 1000, 2000]) {
    const before = children.length
    await last().end({ code: 1 })
    await clock.advance(wait - 1)
    expect(children).toHaveLength(before)
    await clock.advance(1)
    expect(children).toHaveLength(before + 1)
  }
  await last().end({ signal: 'SIGSEGV' })
  expect(await code).toBe(1)
  expect(crashes).toEqual(['exit code 1', 'exit code 1', 'exit code 1', 'ended by SIGSEGV'])
  expect(said.at(-1)).toMatchObject({ type: 'warning', message: expect.stringContaining('THE GATEWAY IS DOWN') })
})

test('crashes that are far apart are borne for ever', async () => {
  const { clock, last, children } = stage()
  for (let count = 0; count < 20; count++) {
    await last().end({ code: 1 })
    await clock.advance(600_000)
  }
  expect(children).toHaveLength(21)
})

test('restarts that were asked for are not counted, however many', async () => {
  const { clock, last, children, ending } = stage()
  for (let count = 0; count < 20; count++) await last().end({ code: 75 })
  expect(children).toHaveLength(21)
  ending.ask({ kind: 'restart', reason: 'SIGUSR1' })
  expect(last().orders).toEqual(['restart'])
  await last().end({ code: 1 })
  await clock.advance(0)
  expect(children).toHaveLength(22)
  expect(last().orders).toEqual([])
})

test('a stop is passed on and waited for; what does not stop is ended by force', async () => {
  const { clock, last, ending, code } = stage()
  ending.ask({ kind: 'stop', reason: 'SIGTERM' })
  ending.ask({ kind: 'restart', reason: 'too late' })
  expect(last().orders).toEqual(['stop'])
  await clock.advance(59_999)
  expect(last().killed).toBe(false)
  await clock.advance(1)
  expect(last().killed).toBe(true)
  expect(await code).toBe(0)
})

test('a stop comes before a restart that was asked for, and ends the wait after a crash', async () => {
  const first = stage()
  first.ending.ask({ kind: 'restart', reason: 'SIGUSR1' })
  first.ending.ask({ kind: 'stop', reason: 'SIGTERM' })
  expect(first.last().orders).toEqual(['restart', 'stop'])
  await first.last().end({ code: 75 })
  expect(await first.code).toBe(0)
  const second = stage()
  await second.last().end({ code: 1 })
  second.ending.ask({ kind: 'stop', reason: 'SIGTERM' })
  expect(await second.code).toBe(0)
  expect(second.children).toHaveLength(1)
})

test('a restart that is asked for while a crash is waited out comes at once, and is one', async () => {
  const { clock, last, children, ending } = stage()
  await last().end({ code: 1 })
  ending.ask({ kind: 'restart', reason: 'SIGUSR1' })
  await clock.advance(0)
  expect(children).toHaveLength(2)
  expect(last().orders).toEqual([])
})
