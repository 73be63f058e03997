/** Where people reach the agent from a phone: found by the gateway, kept after its end, and asked for without one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc/sdk/host'
import type { Platform } from 'svc/sdk/platform'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStandIn } from '../../../support/stand-ins.ts'

const EVENTUALLY = { timeout: 10_000, interval: 10 }
const SECRET = 'a-secret-of-the-platform'

/** The platform `fake`, with this contact. */
function withContact(name: string, contact: NonNullable<Platform['contact']>): InlinePlugin {
  const { plugin } = fakePlatform({ name })
  return {
    ...plugin,
    env: [{ name: 'FAKE_SECRET', description: 'A secret.', secret: true }],
    setup: (ctx) =>
      plugin.setup({
        ...ctx,
        add: (point: never, item: object) => ctx.add(point, Object.assign(item, { contact }) as never),
      } as typeof ctx),
  }
}

async function open(plugins: readonly InlinePlugin[]) {
  const kernel = await testKernel({
    plugins: ['gateway-cli'],
    with: [fakeProvider(() => 'Hello.').plugin, ...plugins],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    env: { SVC_GATEWAY_NO_SUPERVISE: 'true', FAKE_SECRET: SECRET },
  })
  onTestFinished(() => kernel.stop())
  const stop = new AbortController()
  const status = async () => JSON.parse((await kernel.run(['gateway', 'status', '--json'])).out)
  const run = kernel.run(['gateway'], { signal: stop.signal })
  await vi.waitFor(async () => expect(await status()).toMatchObject({ isReady: true }), EVENTUALLY)
  const end = async () => {
    stop.abort()
    await run
  }
  return { kernel, status, end }
}

test('the contact is in the status of a gateway that runs, and is kept when it has ended', async () => {
  const { kernel, status, end } = await open([
    withContact('fake', async () => 'https://chat.example/svc'),
    fakePlatform({ name: 'plain' }).plugin,
  ])
  const platforms = async () =>
    Object.fromEntries((await status()).platforms.map((each: Platform) => [each.name, each]))
  await vi.waitFor(async () => expect((await platforms())['fake']).toHaveProperty('contact'), EVENTUALLY)
  expect((await platforms())['fake']).toMatchObject({ state: 'connected', contact: 'https://chat.example/svc' })
  expect((await platforms())['plain']).not.toHaveProperty('contact')
  expect((await kernel.run(['gateway', 'status'])).out).toMatch(/fake +connected.*https:\/\/chat\.example\/svc$/m)
  const all = [{ name: 'fake', label: 'Fake', contact: 'https://chat.example/svc' }]
  expect(JSON.parse((await kernel.run(['gateway', 'contact', '--json'])).out)).toMatchObject([{ name: 'fake' }])
  await end()
  const state = JSON.parse(readFileSync(join(kernel.home, 'gateway_state.json'), 'utf8'))
  expect(state.platforms.fake.contact).toBe('https://chat.example/svc')
  expect(state.platforms.plain).not.toHaveProperty('contact')
  const [known] = JSON.parse((await kernel.run(['gateway', 'contact', 'fake', '--json'])).out)
  expect(known).toMatchObject({ name: all[0]?.name, contact: all[0]?.contact })
  expect(await kernel.run(['gateway', 'contact'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nhttps:\/\/chat\.example\/svc\n$/),
  })
})

test('a contact that holds a secret, runs something or fails is not shown, and the platform works as well', async () => {
  const { kernel, status } = await open([
    withContact('leak', async () => `https://chat.example/${SECRET}`),
    withContact('script', async () => 'javascript:alert(1)'),
    withContact('broken', async () => Promise.reject(new Error('no'))),
    withContact('good', async () => 'sms:+15550100'),
  ])
  await vi.waitFor(async () => expect(JSON.stringify(await status())).toContain('sms:+15550100'), EVENTUALLY)
  const { platforms } = await status()
  for (const name of ['leak', 'script', 'broken']) {
    const found = platforms.find((each: Platform) => each.name === name)
    expect(found, name).toMatchObject({ state: 'connected' })
    expect(found, name).not.toHaveProperty('contact')
  }
  expect((await kernel.run(['gateway', 'contact'])).out).toContain('sms:+15550100\n')
})

test('without a gateway the service is asked, and what is wrong is said', async () => {
  const service = await openStandIn('telegram')
  onTestFinished(() => service.close())
  await using kernel = await testKernel({
    plugins: ['gateway-cli', 'platform-telegram'],
    config: { platforms: { telegram: service.config } },
    env: service.env,
  })
  expect(await kernel.run(['gateway', 'contact', 'telegram'])).toMatchObject({
    code: 0,
    out: 'Telegram\nhttps://t.me/svc_test_bot\n',
  })
  const none = await kernel.run(['gateway', 'contact'])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No address is known yet') })
  expect(await kernel.run(['gateway', 'contact', '--json'])).toMatchObject({ code: 0, out: '[]\n' })
  const unknown = await kernel.run(['gateway', 'contact', 'pigeon'])
  expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/no platform "pigeon".*telegram/) })
  service.disturb('logout')
  const refused = await kernel.run(['gateway', 'contact', 'telegram'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/token/i) })
})

test('a platform that is not set up, or has no address, says so', async () => {
  await using kernel = await testKernel({ plugins: ['gateway-cli', 'platform-telegram', 'platform-gotify'] })
  const missing = await kernel.run(['gateway', 'contact', 'telegram'])
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Telegram is not set up') })
  const service = await openStandIn('gotify')
  onTestFinished(() => service.close())
  await using other = await testKernel({
    plugins: ['gateway-cli', 'platform-gotify'],
    config: { platforms: { gotify: service.config } },
    env: service.env,
  })
  const none = await other.run(['gateway', 'contact', 'gotify'])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('has no address to show') })
})
