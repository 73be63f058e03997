import type { PlatformLimits } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { telegramFake } from '../../../sdk/testing/platforms/telegram.ts'
import { stagesOf } from '../../support/platform-stage.ts'
import { stage } from '../outbox/stage.ts'

const { stage: bot } = stagesOf('telegram', telegramFake)

/** How long a message is on its way: never the same. */
const transit = (index: number) => (index * 7919) % 180

async function sentAt(limits: PlatformLimits, chats: number) {
  const { post, clock, platform, outbox } = await stage({ platform: { limits: { rate: limits.rate ?? {} } } })
  const moments: number[] = []
  const send = platform.send.bind(platform)
  platform.send = (message) => {
    moments.push(clock.now())
    return send(message)
  }
  for (let chat = 0; chat < chats; chat++) post(`to ${chat}`, { chatId: `chat ${chat}` })
  await vi.waitFor(async () => {
    await clock.advance(20)
    expect(moments).toHaveLength(chats)
  }, 20_000)
  await outbox.idle()
  return moments
}

test('Telegram gets no more than 30 messages within any second, however long each is on its way', async () => {
  await using at = await bot()
  const moments = await sentAt(at.platform.limits, 90)
  const arrivals = moments.map((moment, index) => moment + transit(index)).sort((a, b) => a - b)
  const most = Math.max(...arrivals.map((from) => arrivals.filter((each) => each >= from && each < from + 1000).length))
  expect(most).toBeLessThanOrEqual(30)
  expect((moments.at(-1) ?? 0) - (moments[0] ?? 0)).toBeLessThan(5000)
})
