/** Where a connection may break without leaving a message in doubt: before its last byte. */
import { Outbox } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStandIn } from '../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { cuttingProxy } from '../../../support/cutting-proxy.ts'
import { createStages } from '../../../support/platform-stage.ts'

const PATIENCE = { timeout: 20_000 }

/** Telegram behind a proxy that can cut, with an outbox that serves it. */
async function story() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const base = String((fake.config as { base_url?: string }).base_url)
  const proxy = await cuttingProxy(base)
  const clock = virtualClock()
  const { kernel, platform } = await createStages('telegram', openStandIn).connected({
    fake,
    clock,
    config: { base_url: base.replace(/http:\/\/127\.0\.0\.1:\d+/, proxy.url) },
    plugins: ['outbox', 'markup'],
  })
  const outbox = kernel.use(Outbox)
  const { chatId } = fake.member()
  outbox.serve(platform)
  const big = { name: 'big.bin', bytes: Buffer.alloc(24_000_000, 'x') }
  const post = () => outbox.post({ platform: 'telegram', chatId, key: 'k', text: 'the file', files: [big] })
  /** Lets time pass until it is so. */
  const until = (check: () => void) =>
    vi.waitFor(async () => {
      await clock.advance(2000)
      check()
    }, PATIENCE)
  const files = () => fake.deliveries().flatMap((each) => each.files)
  return { proxy, outbox, clock, post, until, files }
}

test('a connection that breaks in the middle of a file: it is sent again, and arrives once', async () => {
  const { proxy, outbox, post, until, files } = await story()
  proxy.cutOnce({ middle: 1_000_000 })
  post()
  await until(() => expect(outbox.deliveries().map(({ state }) => state)).toEqual(['delivered']))
  expect([proxy.cuts, files().length]).toEqual([1, 1])
})

test('a connection that breaks after the last byte: no one knows, and it is not sent again', async () => {
  const { proxy, outbox, clock, post, until, files } = await story()
  proxy.cutOnce('answer')
  post()
  await until(() => expect(outbox.counts()).toMatchObject({ uncertain: 1, pending: 0, attempting: 0 }))
  await clock.advance(600_000)
  expect([proxy.cuts, files().length]).toEqual([1, 1])
})
