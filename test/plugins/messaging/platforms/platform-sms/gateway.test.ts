import { Gateway } from 'svc/sdk/platform'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/service.ts'

test('someone texts the number and is answered in plain words; strangers are not answered by the agent', async () => {
  const [twilio, model] = [await openStandIn(), fakeProvider(['It is **sunny**, see [here](https://weather.example).'])]
  const [friend, stranger] = [twilio.member(), twilio.member()]
  const kernel = await testKernel({
    plugins: ['gateway', 'platform-sms', 'markup'],
    with: [model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' }, platforms: { sms: twilio.config } },
    env: { ...twilio.env, SMS_ALLOWED_USERS: friend.userId },
  })
  onTestFinished(async () => {
    await kernel.stop()
    await twilio.close()
  })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const door = () =>
    kernel
      .use(Http)
      .apps()
      .find(({ name }) => name === 'sms')?.url ?? ''
  await expect.poll(door, { timeout: 10_000 }).toContain('http')
  twilio.callback?.(door())
  await stranger.say('let me in')
  await friend.say('How is the weather?')
  await expect
    .poll(() => twilio.deliveries().map(({ chatId, visible }) => [chatId, visible]), { timeout: 10_000 })
    .toEqual([[friend.chatId, 'It is sunny, see here (https://weather.example).']])
  expect(model.requests).toHaveLength(1)
})
