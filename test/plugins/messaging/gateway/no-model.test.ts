/** Without a configured model a chat gets one message that says what to do, never the text of the scripted demo. */
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

test('a chat without a model gets one message that says how to connect one', async () => {
  const { fake, said, gateway } = await stage([], { config: { model: {} }, plugins: ['provider-demo'] })
  await fake.say('ada', 'hello')
  await gateway.idle()
  expect(said()).toHaveLength(1)
  expect(said()[0]).toMatch(/No model is connected[\s\S]*svc config set model\.provider/)
})

test('the demo answers a chat where the config names it', async () => {
  const { fake, said, gateway } = await stage([], {
    config: { model: { provider: 'demo' } },
    plugins: ['provider-demo'],
  })
  await fake.say('ada', 'hello')
  await gateway.idle()
  expect(said()[0]).toContain('scripted demo')
})
