/** Where stories of the outbox happen: a kernel with it, and a chat platform in memory whose sends can go wrong. */
import type { DeliveryFinished } from 'svc/sdk/hooks'
import { type DirectOutboxMessage, Outbox, Platforms } from 'svc/sdk/platform'
import { type FakePlatform, fakePlatform, testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { Ear } from '../../../support/platform-stage.ts'

export type Settled = Parameters<NonNullable<NonNullable<typeof DeliveryFinished._types>['listener']>>[0]

/** What a story begins with. */
export interface StageOptions {
  readonly platform?: Parameters<typeof fakePlatform>[0]
  readonly fake?: FakePlatform
  readonly home?: string
  readonly with?: NonNullable<Parameters<typeof testKernel>[0]>['with']
}

/** An outbox that serves the platform `fake`. */
export async function stage({ platform, fake = fakePlatform(platform), home, with: more = [] }: StageOptions = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['outbox', 'markup'],
    with: [fake.plugin, ...more],
    clock,
    ...(home !== undefined && { home }),
  })
  onTestFinished(() => kernel.stop())
  const outbox = kernel.use(Outbox)
  const served = kernel.all(Platforms).get('fake')
  if (!served) throw new Error('the fake platform is missing')
  await served.connect(new Ear())
  const stop = outbox.serve(served)
  return {
    kernel,
    outbox,
    fake,
    clock,
    stop,
    platform: served,
    post: (text: string, more: Partial<DirectOutboxMessage> = {}) =>
      outbox.post({ platform: 'fake', chatId: 'ada', key: text, ...more, text }),
    said: () => fake.sent.map(({ text }) => text),
    states: () => outbox.deliveries().map(({ state }) => state),
  }
}
