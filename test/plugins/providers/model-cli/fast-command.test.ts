import { Providers } from 'svc/sdk/provider'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function open(model: object = {}, more: object = {}) {
  const fake = fakeProvider(['Yes.'], { tiers: ['priority', 'flex', 'default'] })
  const kernel = await testKernel({
    plugins: ['model-cli', 'agent', 'conversation'],
    with: [fake.plugin, { name: 'priced', setup: (ctx) => ctx.add(Providers, priced) }],
    config: { model: { provider: 'fake', default: 'fake-1', ...model }, ...more },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel)
  return { talk, fake }
}

/** Named as a service whose prices are known. */
const priced = {
  name: 'openai',
  models: async () => [{ id: 'gpt-5.1' }],
  tiers: () => ['priority', 'default'] as const,
  async *stream() {
    yield { type: 'end', reason: 'stop' } as const
  },
}

test('the faster tier is asked for after a word about its price, until it is turned off', async () => {
  const { talk, fake } = await open()
  expect(await talk.type('/fast on')).toMatch(/answers in its faster tier.*costs more; how much is not known/)
  await talk.type('go')
  expect(await talk.type('/fast status')).toContain('Tier: priority.')
  expect(await talk.type('/fast normal')).toContain('The usual tier')
  await talk.type('go')
  expect(fake.requests.map(({ serviceTier }) => serviceTier)).toEqual(['priority', 'default'])
})

test('a price that is known is named', async () => {
  const { talk } = await open({ provider: 'openai', default: 'gpt-5.1' })
  expect(await talk.type('/fast on')).toContain(
    '$2.5 and $20 for a million tokens read and written, not $1.25 and $10.',
  )
})

test('off holds against the configuration, and its tier is shown', async () => {
  const { talk, fake } = await open({}, { agent: { service_tier: 'fast' } })
  expect(await talk.type('/fast')).toContain('Tier: priority.')
  await talk.type('/fast off', 'go')
  expect(fake.requests.map(({ serviceTier }) => serviceTier)).toEqual(['default'])
  expect(await talk.type('/fast faster')).toContain('/fast [on|off|status]')
})
