import { Agent, Sessions } from 'svc/sdk'
import { type TurnSettings, turnSettings } from 'svc/sdk/sessions'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

/** Every setting that there is: a new one does not compile until it is here, and fails until the journal has it. */
const all: Required<TurnSettings> = {
  provider: 'fake',
  model: 'fake-model',
  reasoning: 'low',
  serviceTier: 'flex',
  maxIterations: 3,
  toolsets: [],
  systemPrompt: 'Answer in JSON.',
  groups: ['job:nightly'],
  format: { name: 'anything' },
}

test('the settings of a request are all of them, and those that are undefined are left out', () => {
  expect(turnSettings({ ...all, text: 'hi', surface: 'cli' } as TurnSettings)).toEqual(all)
  expect(turnSettings({ model: 'm', reasoning: undefined })).toEqual({ model: 'm' })
})

test('the journal has every setting of a turn', async () => {
  const fake = fakeProvider(['{}'], { formats: { holds: 'schema' } })
  await using kernel = await testKernel({ plugins: ['agent', 'sessions', 'models'], with: [fake.plugin] })
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
  const { provider: _provider, model: _model, ...recorded } = all
  for await (const event of kernel.use(Agent).run({ ...all, sessionId: session.id, surface: 'cli', text: 'hi' }))
    if (event.type === 'turn.start') expect(event.options).toEqual({ surface: 'cli', ...recorded })
  expect(session.events().some(({ type }) => type === 'turn.start')).toBe(true)
})
