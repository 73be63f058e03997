import { Gateway, type GatewayConnection, type Platform, Platforms, platformSettingDefaults } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

/** A gateway with platforms that do nothing; what they were given to connect with. */
async function gatewayIn(home: string, ...names: readonly string[]) {
  const links = new Map<string, GatewayConnection>()
  const platform = (name: string): Platform => ({
    name,
    label: name,
    limits: { maxTextLength: 100, idempotency: 'none' },
    settings: platformSettingDefaults,
    connect: async (link) => void links.set(name, link),
    send: async () => ({ messageId: '1' }),
    probe: async () => true,
    close: async () => undefined,
  })
  const own = {
    name: 'quiet-platforms',
    kind: 'platform' as const,
    contributes: { platforms: names },
    setup: (ctx: { add(point: typeof Platforms, item: Platform): unknown }) => {
      for (const name of names) ctx.add(Platforms, platform(name))
    },
  }
  const kernel = await testKernel({ home, plugins: ['gateway'], with: [own as never] })
  onTestFinished(() => kernel.stop())
  await kernel.use(Gateway).start()
  return { links, stop: () => kernel.stop() }
}

test('how far a platform has read is known after a restart, for each account of each platform', async () => {
  const home = temporaryFolder()
  const first = await gatewayIn(home, 'mail', 'news')
  const link = first.links.get('mail')
  expect(link?.cursor('ada@here').get()).toBeUndefined()
  link?.cursor('ada@here').set('10')
  link?.cursor('ada@here').set('11')
  link?.cursor('ada@there').set('7')
  expect(first.links.get('news')?.cursor('ada@here').get()).toBeUndefined()
  await first.stop()

  const { links } = await gatewayIn(home, 'mail', 'news')
  const second = links.get('mail')
  expect(second?.cursor('ada@here').get()).toBe('11')
  expect(second?.cursor('ada@there').get()).toBe('7')
})

test('a connection that has ended does not set back what the next one has read', async () => {
  const { links } = await gatewayIn(temporaryFolder(), 'mail')
  const before = links.get('mail')
  const cursor = before?.cursor('ada')
  cursor?.set('10')
  before?.lost('reset by peer')
  expect(before?.signal.aborted).toBe(true)
  cursor?.set('9')
  expect(cursor?.get()).toBe('10')
})
