/** The service tier of a turn: its source, the request, the notices and the cost. */
import { Agent, Sessions, type TurnRequest } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { SelectedSettings, type ServiceTier } from 'svc/sdk/sessions'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { RequestDigest } from '../../../../plugins/agent/agent/request-digest.ts'
import { collect } from '../../../support/scene.ts'

async function open({
  tiers,
  agent = {},
  script = ['Yes.'],
}: {
  readonly tiers?: readonly ServiceTier[]
  readonly agent?: object
  readonly script?: readonly ScriptedReply[]
} = {}) {
  const fake = fakeProvider(script, tiers ? { tiers } : {})
  const known = { 'fake/fake-1': { input_price: 1, output_price: 2 } }
  const kernel = await testKernel({
    plugins: ['agent', 'budgets'],
    with: [fake.plugin],
    config: { agent, model: { provider: 'fake', default: 'fake-1', known } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = (more: Partial<TurnRequest> = {}) =>
    collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test', ...more }))
  const asked = () => fake.requests.map(({ serviceTier }) => serviceTier)
  const { requests } = fake
  return { kernel, session, turn, requests, asked, spent: () => kernel.use(Budgets).spent({ sessionId: session.id }) }
}

const all: readonly ServiceTier[] = ['priority', 'flex', 'default']
const notices = (events: Awaited<ReturnType<typeof collect>>) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))

test('a turn, then the session, then the configuration say which tier is asked for', async () => {
  const { session, turn, asked } = await open({ tiers: all, agent: { service_tier: 'fast' } })
  await turn()
  session.setState(SelectedSettings, { serviceTier: 'default' })
  await turn()
  await turn({ serviceTier: 'flex' })
  expect(asked()).toEqual(['priority', 'default', 'flex'])
})

test('without a choice none is sent', async () => {
  const { turn, asked } = await open({ tiers: all })
  await turn()
  expect(asked()).toEqual([undefined])
})

test('a model without the tier is asked as usual, and that is said once', async () => {
  const { turn, asked } = await open({ tiers: ['default', 'flex'], agent: { service_tier: 'priority' } })
  expect(notices(await turn())).toEqual(['fake-1 of Scripted model has no priority tier; it is asked as usual.'])
  expect(notices(await turn())).toEqual([])
  expect(asked()).toEqual([undefined, undefined])
  const none = await open()
  expect(notices(await none.turn({ serviceTier: 'default' }))).toEqual([])
  expect(none.asked()).toEqual([undefined])
})

test('the prompt does not depend on the tier: the messages of a call begin with those of the call before', async () => {
  const { turn, requests } = await open({ tiers: all })
  await turn()
  const start = (await turn({ serviceTier: 'priority' })).find(({ type }) => type === 'model.start')
  const [usual, fast] = requests
  if (!usual || !fast || start?.type !== 'model.start') throw new Error('not asked twice')
  expect(fast.serviceTier).toBe('priority')
  expect(fast.messages.slice(0, usual.messages.length)).toEqual(usual.messages)
  expect(fast.tools).toEqual(usual.tools)
  // The fingerprint, which names what breaks a cache, is that of the prompt alone.
  expect(start.digest).toBe(new RequestDigest().of(fast.messages, fast.tools, { model: fast.model }).digest)
})

test('a call in a tier of unknown price is unpriced; one that the service ran as usual has the usual price, and that is said', async () => {
  const usage = { input: 1_000_000, output: 0 }
  const { turn, spent } = await open({
    tiers: all,
    agent: { service_tier: 'priority' },
    script: [
      { text: 'a', usage },
      { text: 'b', usage, tier: 'default' },
      { text: 'c', usage, tier: 'default' },
    ],
  })
  expect(notices(await turn())).toEqual([])
  expect(spent()).toMatchObject({ unpricedCalls: 1 })
  expect(spent().costUsd).toBeUndefined()
  expect(notices(await turn())).toEqual(['Scripted model ran fake-1 in its default tier instead of priority.'])
  expect(notices(await turn())).toEqual([])
  expect(spent()).toMatchObject({ unpricedCalls: 1, costUsd: 2 })
})
