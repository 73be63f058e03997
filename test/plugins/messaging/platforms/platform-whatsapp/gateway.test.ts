import { Gateway } from 'svc/sdk/platform'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'

test('someone writes on WhatsApp and is answered in its style, under the header', async () => {
  const [meta, model] = [await openStandIn(), fakeProvider(['It is **sunny**, and ~~cold~~ warm.'])]
  const friend = meta.member()
  const kernel = await testKernel({
    plugins: ['gateway', 'platform-whatsapp', 'markup'],
    with: [model.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      platforms: { whatsapp: { ...meta.config, reply_prefix: '*bot*\\n' } },
    },
    env: { ...meta.env, WHATSAPP_ALLOWED_USERS: friend.userId },
  })
  onTestFinished(async () => {
    await kernel.stop()
    await meta.close()
  })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const door = () =>
    kernel
      .use(Http)
      .apps()
      .find(({ name }) => name === 'whatsapp')?.url ?? ''
  await expect.poll(door, { timeout: 10_000 }).toContain('http')
  meta.callback?.(door())
  await friend.say('How is the weather?')
  await expect
    .poll(() => meta.deliveries().map(({ raw }) => raw), { timeout: 10_000 })
    .toEqual(['*bot*\nIt is *sunny*, and ~cold~ warm.'])
  expect(meta.deliveries()[0]?.visible).toBe('bot\nIt is sunny, and cold warm.')
  await friend.say('*bot*\nIt is *sunny*, and ~cold~ warm.')
  await gateway.idle()
  expect(model.requests).toHaveLength(1)
})
