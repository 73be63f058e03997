import type { PlatformLimits } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { Pacer } from '../../../../../plugins/messaging/outbox/pacer.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { stage: bot } = createStages('telegram', openStandIn)

/** When messages to as many chats leave, each as soon as it may. */
function departures(limits: PlatformLimits, chats: number): readonly number[] {
  const pacer = new Pacer(limits)
  let now = 0
  return Array.from({ length: chats }, (_, chat) => {
    now += pacer.wait(String(chat), now)
    pacer.take(String(chat), now)
    return now
  })
}

test('Telegram gets no more than 30 messages within any second, however long each is on its way', async () => {
  await using at = await bot()
  const left = departures(at.platform.limits, 300)
  const arrivals = left.map((moment, index) => moment + ((index * 7919) % 180))
  const within = (from: number) => arrivals.filter((each) => each >= from && each < from + 1000).length
  expect(Math.max(...arrivals.map(within))).toBeLessThanOrEqual(30)
  expect(left.at(-1)).toBeLessThan(12_500)
})
