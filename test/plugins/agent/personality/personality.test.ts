import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start(personality = {}) {
  const fake = fakeProvider(['ok'])
  const kernel = await testKernel({
    plugins: ['conversation', 'personality', 'prompt'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' }, personality },
  })
  onTestFinished(() => kernel.stop())
  const system = () => fake.requests.at(-1)?.messages.find(({ role }) => role === 'system')?.text
  return { talk: fakeTalk(kernel), system }
}

test('a manner holds from the next message on, is kept, and none takes it away', async () => {
  const { talk, system } = await start()
  await talk.type('hi')
  expect(system()).not.toContain('How you talk')
  expect(await talk.type('/personality PIRATE')).toMatch(/pirate, from your next message on/)
  await talk.type('hi')
  expect(system()).toContain('How you talk: Talk like a pirate')
  expect(await talk.type('/personality')).toMatch(/It is pirate/)
  await talk.type('/personality neutral', 'hi')
  expect(system()).not.toContain('How you talk')
})

test('a manner of the user, and a typo', async () => {
  const { talk, system } = await start({ current: 'captain', custom: { captain: 'Like a captain.' } })
  await talk.type('hi')
  expect(system()).toContain('How you talk: Like a captain.')
  expect(await talk.type('/personality pirat')).toMatch(/no personality pirat\. There are: .*captain/)
  expect((await talk.conversation.complete('/personality p')).map(({ text }) => text)).toEqual([
    'pirate',
    'philosopher',
  ])
})
