import { PromptParts } from 'svc/sdk'
import { expect, test } from 'vitest'
import { scene } from '../../../support/scene.ts'

test('a prompt whose parts change is made once: the session keeps the words that services have in their cache', async () => {
  let count = 0
  const { turn, fake } = await scene({
    script: ['one', 'two'],
    with: [
      {
        name: 'clockwork',
        setup: (ctx) =>
          void ctx.add(PromptParts, { name: 'tick', tier: 'volatile', text: async () => `Tick ${++count}.` }),
      },
    ],
  })
  await turn('hello')
  await turn('again')
  const prompts = fake.requests.map(({ messages }) => messages[0])
  expect(prompts[0]).toMatchObject({ role: 'system', text: expect.stringContaining('Tick 1.') })
  expect(prompts[1]).toEqual(prompts[0])
})
