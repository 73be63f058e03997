import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Control, Plugins } from 'svc/sdk/host'
import { type DryRunStep, deliveryRefused, Gateway, PlatformDryRuns } from 'svc/sdk/platform'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'

type KernelOptions = NonNullable<Parameters<typeof testKernel>[0]>
const EVENTUALLY = { timeout: 10_000, interval: 10 }

/** A home with a gateway that can be run in this process. */
async function open({ config = {}, with: more = [], ...options }: KernelOptions = {}) {
  const model = fakeProvider(() => 'Hello.')
  const kernel = await testKernel({
    plugins: ['gateway-cli'],
    with: [model.plugin, ...more],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...config },
    env: { SVC_GATEWAY_NO_SUPERVISE: 'TRUE' },
    ...options,
  })
  onTestFinished(() => kernel.stop())
  const stop = new AbortController()
  const json = async () => JSON.parse((await kernel.run(['gateway', 'status', '--json'])).out)
  return {
    kernel,
    json,
    begin: (...words: string[]) => kernel.run(['gateway', ...words], { signal: stop.signal }),
    end: () => stop.abort(),
    state: () => JSON.parse(readFileSync(join(kernel.home, 'gateway_state.json'), 'utf8')),
    ready: () => vi.waitFor(async () => expect(await json()).toMatchObject({ isReady: true }), EVENTUALLY),
  }
}

test('svc gateway is the gateway until a signal comes, and says each platform in a line', async () => {
  const fake = fakePlatform()
  const { kernel, begin, end, ready, json, state } = await open({ with: [fake.plugin] })
  expect(await json()).toEqual({ isRunning: false, state: 'stopped' })
  const run = begin()
  await ready()
  await fake.say('ann', 'hi')
  expect((await fake.next()).text).toBe('Hello.')
  expect(await json()).toMatchObject({
    isRunning: true,
    state: expect.stringMatching(/running|degraded/),
    pid: process.pid,
    outbox: { pending: 0, attempting: 0, uncertain: 0, failed: 0 },
  })
  expect(state()).toMatchObject({ kind: 'gateway', pid: process.pid, served_profiles: ['default'], exit_reason: null })
  const shown = await kernel.run(['gateway', 'status'])
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Gateway {2}\w+, process \d+, not supervised/),
  })
  end()
  const said = await run
  expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^fake +connected\n[\s\S]*The gateway stops: /m) })
  expect(state()).toMatchObject({
    gateway_state: 'stopped',
    platforms: { fake: { state: 'connected', error_code: null } },
  })
  expect(await kernel.run(['gateway', 'status'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('not running'),
  })
})

test('with --json every line is an event', async () => {
  const { begin, end, ready } = await open({ with: [fakePlatform().plugin] })
  const run = begin('run', '--json')
  await ready()
  end()
  const events = (await run).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const fake = events.filter(({ type, name }) => type === 'platform' && name === 'fake')
  expect(fake.map(({ state }) => state)).toEqual(['connecting', 'connected', 'disabled'])
  expect(events.filter(({ type }) => type === 'gateway').map(({ state }) => state)).toEqual([
    expect.stringMatching(/running|degraded/),
    'draining',
  ])
  expect(events.every(({ at }) => /^\d{4}-.*Z$/.test(at))).toBe(true)
})

test('another command stops it, restarts it, and pauses one platform', async () => {
  const { kernel, begin, ready } = await open({ with: [fakePlatform().plugin] })
  for (const [method, code, words] of [
    ['restart', 75, 'The gateway restarts: svc gateway restart.'],
    ['stop', 0, 'The gateway stops: the story is over.'],
  ] as const) {
    const run = begin()
    await ready()
    expect(await kernel.run(['gateway', 'pause', 'fake'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/fake +paused/),
    })
    expect(await kernel.run(['gateway', 'resume', 'fake'])).toMatchObject({
      out: expect.stringMatching(/fake +connected/),
    })
    const params = method === 'stop' ? { reason: 'the story is over', drainMs: 0 } : {}
    const [answer] = await kernel.use(Control).ask(`gateway.${method}`, params)
    expect(answer?.result).toEqual({ pid: process.pid, drainMs: method === 'stop' ? 0 : 30_000 })
    expect(await run).toMatchObject({ code, out: expect.stringContaining(words) })
  }
})

test('nothing is paused, and nothing is told, where no gateway runs', async () => {
  const { kernel } = await open()
  expect(await kernel.run(['gateway', 'stop'])).toMatchObject({ code: 0, out: 'The gateway does not run.\n' })
  const said = await kernel.run(['gateway', 'pause', 'fake']).catch((error: { code: string }) => error)
  expect(JSON.stringify(said)).toContain('GATEWAY_NOT_RUNNING')
})

test('a gateway that is loaded again continues without anyone doing anything', async () => {
  const { kernel, begin, end, ready } = await open({ with: [fakePlatform().plugin] })
  const run = begin()
  await ready()
  await kernel.use(Plugins).reload('gateway')
  await vi.waitFor(() => expect(kernel.use(Gateway).status().state).not.toBe('stopped'), EVENTUALLY)
  end()
  expect((await run).code).toBe(0)
})

test('svc gateway drain begins no turns until it is cancelled, also when the gateway is loaded again', async () => {
  const fake = fakePlatform()
  const { kernel, begin, end, ready, json, state } = await open({ with: [fake.plugin] })
  const refused = await kernel.run(['gateway', 'drain']).catch((error: unknown) => error)
  expect(JSON.stringify(refused)).toContain('GATEWAY_NOT_RUNNING')
  const run = begin()
  await ready()
  expect((await kernel.run(['gateway', 'drain', '--cancel'])).out).toBe('The gateway was not drained.\n')
  const drained = await kernel.run(['gateway', 'drain', '--no-notice'])
  expect(drained.out).toBe('The gateway begins no turns. None is under way. End that: svc gateway drain --cancel\n')
  expect(await json()).toMatchObject({ state: 'draining', drainedAt: expect.any(Number) })
  expect(state()).toMatchObject({ gateway_state: 'draining' })
  expect((await kernel.run(['gateway', 'status'])).out).toMatch(/^Drained {2}It begins no turns since/m)
  await kernel.use(Plugins).reload('gateway')
  await vi.waitFor(async () => expect(await json()).toMatchObject({ state: 'draining' }), EVENTUALLY)
  await fake.say('ann', 'hi')
  await kernel.use(Gateway).idle()
  expect(fake.sent).toEqual([])
  const cancelled = await kernel.run(['gateway', 'drain', '--cancel', '--json'])
  expect(JSON.parse(cancelled.out)).toEqual({ wasDraining: true })
  expect((await fake.next()).text).toBe('Hello.')
  end()
  expect((await run).out).toContain('The gateway begins turns again.')
})

test('platforms that all refuse are a matter of the configuration: exit code 78', async () => {
  const fake = fakePlatform()
  const closed = {
    ...fake.plugin,
    setup: (ctx: Parameters<typeof fake.plugin.setup>[0]) => {
      const add = ctx.add.bind(ctx)
      const refuse = async () =>
        Promise.reject(deliveryRefused('FAKE_UNAUTHORIZED', 'The token is wrong. Set FAKE_TOKEN.'))
      const changed = {
        ...ctx,
        add: (point: never, item: object) => add(point, Object.assign(item, { connect: refuse }) as never),
      }
      return fake.plugin.setup(changed as typeof ctx)
    },
  }
  const { begin, state } = await open({ with: [closed] })
  const said = await begin()
  expect(said).toMatchObject({ code: 78, err: expect.stringContaining('The token is wrong. Set FAKE_TOKEN.') })
  expect(state()).toMatchObject({ gateway_state: 'startup_failed', exit_reason: expect.stringContaining('FAKE_TOKEN') })
})

test('a gateway that is switched off is not run, and says how it is switched on', async () => {
  const { begin } = await open({ config: { plugins: { disabled: ['gateway'] } } })
  expect(await begin()).toMatchObject({ code: 78, err: expect.stringContaining('svc plugins enable gateway') })
})

test('a rehearsal says its steps as they come, and fails when one of them did', async () => {
  const asked: unknown[] = []
  const rehearsals: PlatformDryRuns = {
    platforms: async () => ['dove'],
    faults: async () => ['busy', 'flap'],
    async run(platform, { chaos, onStep }) {
      asked.push({ platform, chaos })
      const steps: DryRunStep[] = [
        { name: 'connects', result: 'ok', detail: 'and proves it' },
        { name: 'doors', result: 'failed', detail: 'everybody may write', advice: 'Set allow_from.' },
      ]
      for (const step of steps) onStep?.(step)
      return steps
    },
  }
  const stand = {
    name: 'stand',
    provides: ['rehearsals'],
    setup: (ctx: Giving) => ctx.provide(PlatformDryRuns, () => rehearsals),
  }
  const { kernel } = await open({
    with: [stand as never],
    config: { plugins: { disabled: ['rehearsal'] } },
  })
  expect((await kernel.run(['gateway', 'rehearse'])).out).toMatch(/^dove +busy, flap\n/)
  const said = await kernel.run(['gateway', 'rehearse', 'dove', '--chaos', 'busy,flap'])
  expect(said).toMatchObject({
    code: 1,
    out: 'ok       connects: and proves it\nfailed   doors: everybody may write\n         Set allow_from.\n',
  })
  expect(asked).toEqual([{ platform: 'dove', chaos: ['busy', 'flap'] }])
})

type Giving = Parameters<NonNullable<KernelOptions['with']>[number]['setup']>[0]
