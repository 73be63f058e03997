import { Gateway } from 'svc/sdk/platform'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'

test('someone writes to a bot with a webhook and is answered once, even when Telegram brings it twice', async () => {
  const [telegram, model] = [await openStandIn({ webhook: true }), fakeProvider(['It is **sunny**.'])]
  const friend = telegram.member()
  const kernel = await testKernel({
    plugins: ['gateway', 'platform-telegram', 'markup'],
    with: [model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' }, platforms: { telegram: telegram.config } },
    env: { ...telegram.env, TELEGRAM_ALLOWED_USERS: friend.userId },
  })
  onTestFinished(async () => {
    await kernel.stop()
    await telegram.close()
  })
  await kernel.use(Gateway).start()
  const door = () => kernel.use(Http).apps()[0]?.url ?? ''
  await expect.poll(door, { timeout: 10_000 }).toContain('http')
  telegram.callback?.(door())
  telegram.disturb('twice')
  await friend.say('How is the weather?')
  const seen = () => telegram.deliveries().map(({ chatId, visible }) => [chatId, visible])
  await expect.poll(seen, { timeout: 10_000 }).toEqual([[friend.chatId, 'It is sunny.']])
  expect(model.requests).toHaveLength(1)
})
