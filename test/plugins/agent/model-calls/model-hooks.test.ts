/** Hooks around calls of models: of turns and of side work. */
import { Agent, AuxiliaryModels, Clock, type PluginContext, Sessions } from 'svc/sdk'
import { AroundModelCall, type FinishedModelCall, ModelCallFinished } from 'svc/sdk/hooks'
import { fakeProvider, type ScriptedReply, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { collect } from '../../../support/scene.ts'

async function open(
  script: readonly ScriptedReply[],
  setup: (ctx: PluginContext<undefined>) => void,
  more: object = {},
) {
  const fake = fakeProvider(script)
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['agent', 'auxiliary'],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...more },
    with: [fake.plugin, { name: 'acme', setup }],
    clock,
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const run = () => collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  const ask = () => kernel.use(AuxiliaryModels).ask({ slot: 'title', messages: [{ role: 'user', text: 'Name it.' }] })
  return { kernel, fake, session, run, ask, clock }
}

const answer = (events: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['run']>>) =>
  events.flatMap((event) => (event.type === 'message.complete' ? [event.text] : [])).join()

test('every call is announced with its purpose, usage, time and failure', async () => {
  const calls: FinishedModelCall[] = []
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const { run, ask, session } = await open(['the answer', 'A title', { failure }], (ctx) => {
    ctx.on(ModelCallFinished, (call) => void calls.push(call))
    ctx.on(AroundModelCall, async (call, next) => {
      await (ctx.use(Clock) as VirtualClock).advance(250)
      return next(call)
    })
  })
  await run()
  await ask()
  await run()
  const base = { provider: 'fake', model: 'fake-1' }
  await expect.poll(() => calls.length).toBe(3)
  expect(calls).toMatchObject([
    { ...base, purpose: 'turn', sessionId: session.id, turnId: expect.stringMatching(/^turn_/) },
    { ...base, purpose: 'title' },
    { ...base, purpose: 'turn', failure: { kind: 'auth' }, usage: {} },
  ])
  expect(calls[0]?.usage.output).toBeGreaterThan(0)
  expect(calls.map(({ failure }) => failure?.kind)).toEqual([undefined, undefined, 'auth'])
  expect(calls.map(({ durationMs }) => durationMs)).toEqual([250, 250, 250])
})

test('a listener around a call changes the request and the answer, also of side work', async () => {
  const purposes: string[] = []
  const { run, ask, fake } = await open(['my number is 4711', 'Title 4711'], (ctx) => {
    ctx.on(AroundModelCall, async (call, next) => {
      purposes.push(call.purpose)
      const events = await next({ ...call, request: { ...call.request, temperature: 0 } })
      return (async function* () {
        for await (const batch of events)
          yield [batch]
            .flat()
            .map((event) => (event.type === 'text' ? { ...event, text: event.text.replace(/\d/g, '*') } : event))
      })()
    })
  })
  expect(answer(await run())).toBe('my number is ****')
  expect((await ask()).text).toBe('Title ****')
  expect(purposes).toEqual(['turn', 'title'])
  expect(fake.requests.map(({ temperature }) => temperature)).toEqual([0, 0])
})

test('a listener answers instead of the model', async () => {
  const { run, fake } = await open([], (ctx) => {
    ctx.on(AroundModelCall, async () =>
      (async function* () {
        yield { type: 'text', text: 'from the cache' } as const
        yield { type: 'end', reason: 'stop' } as const
      })(),
    )
  })
  expect(answer(await run())).toBe('from the cache')
  expect(fake.requests).toEqual([])
})

test('a listener that fails, changes the provider or returns no stream fails the call; what it holds is released', async () => {
  const cases: [RegExp, (ctx: PluginContext<undefined>) => void][] = [
    [
      /acme failed around model:streaming: broken/,
      (ctx) => void ctx.on(AroundModelCall, () => Promise.reject(new Error('broken'))),
    ],
    [
      /may not change what model:streaming was called with/,
      (ctx) => void ctx.on(AroundModelCall, (call, next) => next({ ...call, provider: 'other' })),
    ],
    [/something else than a stream/, (ctx) => void ctx.on(AroundModelCall, async () => 'text' as never)],
    [
      /lost in a plugin around the call: broken later/,
      (ctx) =>
        void ctx.on(AroundModelCall, async () =>
          // biome-ignore lint/correctness/useYield: it fails before its first event
          (async function* () {
            throw new Error('broken later')
          })(),
        ),
    ],
  ]
  for (const [message, setup] of cases) {
    const { run } = await open(['never'], setup)
    const events = await run()
    const error = events.find((event) => event.type === 'error')
    expect(error?.type === 'error' && error.message).toMatch(message)
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
  }
})
