/** Threads as conversations, through the real gateway, over restarts. */
import { Gateway } from 'svc/sdk/platform'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const SOON = { timeout: 20_000 }

/** A home of svc on Discord that can be started several times. */
async function onDiscord(answers: readonly string[]) {
  const [fake, model, home] = [await openStandIn(), fakeProvider([...answers]), temporaryFolder()]
  onTestFinished(() => fake.close())
  const ada = fake.member({ group: 'lab' })
  const start = async () => {
    const kernel = await testKernel({
      plugins: ['gateway', 'platform-discord'],
      with: [model.plugin],
      config: { model: { provider: 'fake', default: 'fake-1' }, platforms: { discord: fake.config } },
      env: { ...fake.env, DISCORD_ALLOWED_CHANNELS: ada.chatId },
      home,
    })
    onTestFinished(() => kernel.stop())
    await kernel.use(Gateway).start()
    await expect.poll(() => fake.connected(), SOON).toBe(true)
    return kernel
  }
  const heard = () => fake.deliveries().map(({ visible, threadId }) => ({ visible, threadId }))
  return { fake, model, ada, start, heard }
}

test('a mention opens a thread in which the conversation goes on without one, also after a restart', async () => {
  const { model, ada, start, heard } = await onDiscord(['A test fails.', 'It is mended.', 'In March.'])
  const first = await start()
  const threadId = await ada.say('why is the build red?', { mention: true })
  await expect.poll(heard, SOON).toEqual([{ visible: 'A test fails.', threadId }])
  await ada.say('and now?', { threadId })
  await expect.poll(() => heard().at(-1), SOON).toEqual({ visible: 'It is mended.', threadId })
  await first.stop()
  await start()
  await ada.say('said to others in the channel')
  await ada.say('since when?', { threadId })
  await expect.poll(() => heard().at(-1), SOON).toEqual({ visible: 'In March.', threadId })
  expect(model.requests).toHaveLength(3)
  const said = model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')
  const questions = said?.map(({ text }) => text.replace(/^\[user-\d+\] /, ''))
  expect(questions).toEqual(['why is the build red?', 'and now?', 'since when?'])
})
