import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type PluginContext } from 'svc/sdk'
import { tryFileLock } from 'svc/sdk/kit/process'
import type { JobOptions } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { realClock, realRandom } from '../../program/ports.ts'

const MINUTE = 60_000

/** A running plugin whose setup is given, in a home where time stands still. */
async function start(setup: (ctx: PluginContext<never>) => void, home?: string) {
  const clock = virtualClock()
  const kernel = await testKernel({
    clock,
    audit: true,
    with: [{ name: 'weather', setup }],
    ...(home !== undefined && { home }),
  })
  onTestFinished(() => kernel.stop())
  return { kernel, clock }
}

test('a job runs each time its interval is over, and not before the first one', async () => {
  let runs = 0
  const { clock } = await start((ctx) => void ctx.every(MINUTE, () => void runs++))
  await clock.advance(MINUTE - 1)
  expect(runs).toBe(0)
  await clock.advance(1)
  expect(runs).toBe(1)
  await clock.advance(5 * MINUTE)
  expect(runs).toBe(6)
})

test('a job with atStart runs when the plugin has started, after what onStart opens', async () => {
  const order: string[] = []
  await start((ctx) => {
    ctx.every(MINUTE, () => void order.push('job'), { atStart: true })
    ctx.onStart(() => void order.push('connected'))
  })
  expect(order).toEqual(['connected', 'job'])
})

test('a job never overlaps itself, however long a run takes', async () => {
  const ends: (() => void)[] = []
  let atOnce = 0
  let most = 0
  const { clock } = await start((ctx) => {
    ctx.every(MINUTE, async () => {
      most = Math.max(most, ++atOnce)
      await new Promise<void>((resolve) => ends.push(resolve))
      atOnce--
    })
  })
  await clock.advance(10 * MINUTE)
  expect([ends.length, most]).toEqual([1, 1])
  ends[0]?.()
  await clock.advance(MINUTE)
  expect([ends.length, most]).toEqual([2, 1])
  ends[1]?.()
})

test('the interval may be a function that is called before each wait', async () => {
  const at: number[] = []
  let wait = 0
  const { clock } = await start(
    (ctx) =>
      void ctx.every(
        () => ++wait * MINUTE,
        () => void at.push(clock.monotonic() / MINUTE),
      ),
  )
  await clock.advance(10 * MINUTE)
  expect(at).toEqual([1, 3, 6, 10])
})

test('a job that is woken runs soon, once for several calls, and otherwise at its interval', async () => {
  const at: number[] = []
  let wake: (ms?: number) => void = () => {}
  const { clock } = await start((ctx) => {
    const job = ctx.every(MINUTE, () => void at.push(clock.monotonic()))
    wake = (ms) => job.wake(ms)
  })
  wake(500)
  wake(200)
  wake(1000)
  await clock.advance(10_000)
  expect(at).toEqual([200])
  await clock.advance(MINUTE)
  expect(at).toEqual([200, MINUTE + 200])
  wake(2 * MINUTE)
  await clock.advance(MINUTE)
  expect(at).toHaveLength(3)
})

test('a job that is woken during a run runs once more after it', async () => {
  let [runs, end, wake] = [0, () => {}, () => {}]
  const { clock } = await start((ctx) => {
    const job = ctx.every(MINUTE, () => {
      runs++
      return new Promise((resolve) => (end = resolve))
    })
    wake = () => job.wake()
  })
  await clock.advance(MINUTE)
  wake()
  wake()
  await clock.advance(10 * MINUTE)
  expect(runs).toBe(1)
  end()
  await clock.advance(1)
  expect(runs).toBe(2)
  end()
  await clock.advance(MINUTE - 1)
  expect(runs).toBe(2)
})

test('a job that failed waits its time, however often it is woken', async () => {
  const at: number[] = []
  let wake = () => {}
  const { clock } = await start((ctx) => {
    const job = ctx.every(MINUTE, () => {
      at.push(clock.monotonic() / MINUTE)
      if (at.length === 1) throw new Error('no network')
    })
    wake = () => job.wake()
  })
  await clock.advance(MINUTE)
  for (let second = 0; second < 60; second++) {
    wake()
    await clock.advance(1000)
  }
  expect(at).toEqual([1])
  await clock.advance(MINUTE)
  expect(at).toEqual([1, 3])
})

test('a failure is charged to the plugin and lengthens the wait until a run succeeds', async () => {
  const at: number[] = []
  const { kernel, clock } = await start((ctx) => {
    ctx.every(MINUTE, () => {
      at.push(clock.monotonic() / MINUTE)
      if (at.length <= 3) throw new Error('no network')
    })
  })
  await clock.advance(18 * MINUTE)
  // 1, then waits of 2, 4 and 8 minutes; the fourth run succeeds.
  expect(at).toEqual([1, 3, 7, 15, 16, 17, 18])
  const problems = kernel.problems()
  expect(problems).toHaveLength(3)
  expect(problems[0]).toMatchObject({ plugin: 'weather', stage: 'job', code: 'JOB_FAILED', message: 'no network' })
  expect(kernel.plugins.info('weather')?.status).toBe('started')
})

test('the end of the plugin aborts the signal, waits for the run under way and leaves no timer', async () => {
  const happened: string[] = []
  const { kernel, clock } = await start((ctx) => {
    ctx.every(MINUTE, async (signal) => {
      happened.push('begun')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)))
      happened.push('ended')
    })
    ctx.timeout(5 * MINUTE, () => void happened.push('too late'))
  })
  await clock.advance(MINUTE)
  await kernel.plugins.disable('weather')
  expect(happened).toEqual(['begun', 'ended'])
  expect(clock.pending()).toBe(0)
  await clock.advance(60 * MINUTE)
  expect(happened).toEqual(['begun', 'ended'])
  expect(kernel.plugins.info('weather')?.holds).toEqual({})
  expect(kernel.problems()).toEqual([])
})

test('a job that was aborted by the end of its plugin has not failed', async () => {
  const { kernel, clock } = await start((ctx) => {
    ctx.every(
      MINUTE,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
  })
  await clock.advance(MINUTE)
  await kernel.plugins.disable('weather')
  expect(kernel.problems()).toEqual([])
})

test('a job may end itself', async () => {
  let runs = 0
  const { kernel, clock } = await start((ctx) => {
    const end = ctx.every(MINUTE, async () => {
      runs++
      await end()
    })
  })
  await clock.advance(5 * MINUTE)
  expect(runs).toBe(1)
  expect(kernel.plugins.info('weather')?.holds).toEqual({})
})

test('the jobs of a generation that does not start never begin', async () => {
  let runs = 0
  const { clock } = await start((ctx) => {
    ctx.every(MINUTE, () => void runs++, { atStart: true })
    ctx.onStart(() => Promise.reject(new Error('no')))
  })
  await clock.advance(5 * MINUTE)
  expect(runs).toBe(0)
})

test('after a reload the job of the new generation runs alone', async () => {
  let generation = 0
  const runs: number[] = []
  const { kernel, clock } = await start((ctx) => {
    const mine = ++generation
    ctx.every(MINUTE, () => void runs.push(mine))
  })
  await clock.advance(MINUTE)
  await kernel.plugins.reload('weather')
  await clock.advance(2 * MINUTE)
  expect(runs).toEqual([1, 2, 2])
})

test('a timeout runs once, and its failure is charged to the plugin', async () => {
  let runs = 0
  const { kernel, clock } = await start((ctx) => {
    ctx.timeout(MINUTE, () => {
      runs++
      throw new Error('late')
    })
    const cancel = ctx.timeout(MINUTE, () => {
      runs += 10
    })
    void cancel()
  })
  await clock.advance(5 * MINUTE)
  expect(runs).toBe(1)
  expect(kernel.problems()).toMatchObject([{ plugin: 'weather', stage: 'job', message: 'late' }])
  expect(kernel.plugins.info('weather')?.holds).toEqual({})
})

test('an interval that is no time is refused', async () => {
  for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    const { kernel } = await start((ctx) => void ctx.every(ms, () => {}))
    expect(kernel.problems()).toMatchObject([{ plugin: 'weather', stage: 'setup', code: 'JOB_INVALID' }])
  }
})

test('an interval function that fails is reported, and the job goes on after a minute', async () => {
  let runs = 0
  const { kernel, clock } = await start(
    (ctx) =>
      void ctx.every(
        () => {
          throw new Error('no setting')
        },
        () => void runs++,
      ),
  )
  await clock.advance(MINUTE)
  expect(runs).toBe(1)
  expect(kernel.problems()[0]).toMatchObject({ code: 'JOB_FAILED', message: 'no setting' })
})

/** Two runtimes with one home, as two processes have it. */
async function twoProcesses(options: JobOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), 'svc-jobs-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const runs: string[] = []
  const open = (name: string) =>
    start((ctx) => void ctx.every(MINUTE, () => void runs.push(name), { one: 'home', ...options }), home)
  return { home, runs, one: await open('one'), two: await open('two') }
}

test('a job with one holder per home is taken over when its holder ends', async () => {
  const { runs, one, two } = await twoProcesses()
  await one.clock.advance(2 * MINUTE)
  await two.clock.advance(2 * MINUTE)
  expect(runs).toEqual(['one', 'one'])
  await one.kernel.stop()
  await two.clock.advance(2 * MINUTE)
  expect(runs).toEqual(['one', 'one', 'two', 'two'])
})

test('the lock of a process that died is taken over', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-jobs-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const file = join(home, 'data', 'weather', 'jobs', 'job.lock')
  expect(tryFileLock(file, realRandom).lock).toBeDefined()
  const holder = JSON.parse(readFileSync(file, 'utf8'))
  // No process has this id with this start time.
  writeFileSync(file, JSON.stringify({ ...holder, pid: 2 ** 22 + 1 }))
  let runs = 0
  const { clock, kernel } = await start((ctx) => void ctx.every(MINUTE, () => void runs++, { one: 'home' }), home)
  await clock.advance(2 * MINUTE)
  expect(runs).toBe(2)
  await kernel.stop()
  expect(existsSync(file)).toBe(false)
})

test('two jobs of one plugin cannot share a lock', async () => {
  const { kernel } = await start((ctx) => {
    ctx.every(MINUTE, () => {}, { one: 'home' })
    ctx.every(MINUTE, () => {}, { one: 'home' })
  })
  expect(kernel.problems()).toMatchObject([{ stage: 'setup', code: 'JOB_INVALID' }])
})

test('a timer that is longer than Node can wait does not fire at once', async () => {
  let fired = false
  const cancel = realClock.after(2 ** 31 + 1000, () => {
    fired = true
  })
  const abort = new AbortController()
  const slept = realClock.sleep(2 ** 32, abort.signal)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(fired).toBe(false)
  cancel()
  abort.abort(new Error('enough'))
  await expect(slept).rejects.toThrow('enough')
})

test('a plugin knows the role of its process', async () => {
  let role = ''
  const plugin = definePlugin({
    setup(ctx) {
      role = ctx.process.role
    },
  })
  await (await testKernel({ with: [{ name: 'weather', ...plugin }] })).stop()
  expect(role).toBe('embedded')
  await (await testKernel({ role: 'gateway', with: [{ name: 'weather', ...plugin }] })).stop()
  expect(role).toBe('gateway')
})
