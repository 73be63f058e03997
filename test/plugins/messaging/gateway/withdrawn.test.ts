/** Platforms whose plugins are reloaded, switched off and switched on while the gateway runs. */
import {
  Gateway,
  type GatewayConnection,
  type InboundMessage,
  type Platform,
  Platforms,
  platformSettingDefaults,
} from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

/** A service with one account, which outlives the plugins that connect to it. */
class Service {
  readonly sent: string[] = []
  link: GatewayConnection | undefined
  generations = 0
  #count = 0

  /** Someone writes; rejects when svc does not acknowledge it. */
  async say(text: string): Promise<void> {
    const message: InboundMessage = {
      platform: 'pager',
      chatId: 'ada',
      userId: 'ada',
      messageId: `m${++this.#count}`,
      text,
    }
    if (!this.link) throw new Error('nobody is connected')
    await this.link.receive(message)
  }

  platform(): Platform {
    const generation = ++this.generations
    return {
      name: 'pager',
      label: 'Pager',
      limits: { maxTextLength: 4096, idempotency: 'key' },
      settings: { ...platformSettingDefaults, dm_policy: 'open', allow_all: true },
      account: () => 'the only account',
      connect: async (link) => {
        this.link = link
      },
      send: async ({ text }) => {
        this.sent.push(`${generation}: ${text}`)
        return { messageId: String(this.sent.length) }
      },
      probe: async () => true,
      close: async () => {},
    }
  }
}

async function stage() {
  const service = new Service()
  const model = fakeProvider((request) => `heard ${JSON.stringify(request.messages.at(-1)).match(/say (\w+)/)?.[1]}`)
  const pager = {
    name: 'pager-platform',
    kind: 'platform',
    contributes: { platforms: ['pager'] },
    setup: (ctx: { add(point: typeof Platforms, item: Platform): unknown }) =>
      void ctx.add(Platforms, service.platform()),
  }
  const kernel = await testKernel({
    plugins: ['gateway'],
    with: [pager as never, model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const status = () => gateway.status().platforms.find(({ name }) => name === 'pager')
  const connected = () => expect.poll(() => status()?.state).toBe('connected')
  return { service, kernel, gateway, status, connected }
}

test('a platform that was reloaded is connected with its new code, with a chat open', async () => {
  const { service, kernel, gateway, connected } = await stage()
  await service.say('say one')
  await gateway.idle()
  await kernel.plugins.reload('pager-platform')
  await connected()
  await service.say('say two')
  await gateway.idle()
  expect(service.sent).toEqual(['1: heard one', '2: heard two'])
})

test('the account of a platform stays with the gateway when the gateway itself is reloaded', async () => {
  const { service, kernel, gateway, status } = await stage()
  await service.say('say one')
  await gateway.idle()
  for (const name of ['agent', 'gateway', 'conversation', 'outbox', 'storage', 'access'])
    await kernel.plugins.reload(name)
  expect(status()).toMatchObject({ state: 'connected', attempts: 0 })
  await service.say('say two')
  await gateway.idle()
  expect(service.sent).toEqual(['1: heard one', '1: heard two'])
  expect(kernel.use(Gateway)).toBe(gateway)
})

test('a message for a platform that was switched off is not acknowledged, and is answered once it is on again', async () => {
  const { service, kernel, gateway, status, connected } = await stage()
  await kernel.plugins.disable('pager-platform')
  expect(status()).toBeUndefined()
  await expect(service.say('say one')).rejects.toThrow(/nothing new is taken|takes nothing new/)
  await kernel.plugins.enable('pager-platform')
  await connected()
  await service.say('say one')
  await gateway.idle()
  expect(service.sent).toEqual(['2: heard one'])
})

test('an answer to a platform that was switched off leaves when it is on again', async () => {
  const { service, kernel, gateway, connected } = await stage()
  await service.say('say one')
  await kernel.plugins.disable('pager-platform')
  await gateway.idle()
  await kernel.plugins.enable('pager-platform')
  await connected()
  await expect.poll(() => service.sent.map((text) => text.slice(3))).toEqual(['heard one'])
})

test('a platform that a person paused stays paused when its plugin is reloaded', async () => {
  const { kernel, gateway, status } = await stage()
  await gateway.pause('pager')
  await kernel.plugins.reload('pager-platform')
  await expect.poll(() => status()?.state).toBe('paused')
  await gateway.resume('pager')
  expect(status()?.state).toBe('connected')
})

test('a plugin that brings a platform to a running gateway is connected', async () => {
  const { kernel, gateway } = await stage()
  expect(kernel.find(Access)).toBeDefined()
  await kernel.plugins.disable('pager-platform')
  await kernel.plugins.enable('pager-platform')
  await expect.poll(() => gateway.status().platforms.map(({ state }) => state)).toContain('connected')
})
