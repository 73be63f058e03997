import { platformContract } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { TEMPLATE } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/cards.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { stage } = createStages('dingtalk', openStandIn)

async function setup(config: Readonly<Record<string, unknown>> = {}) {
  const { fake, platform } = await stage({ config })
  return {
    platform,
    join: async () => {
      const ada = fake.member()
      // A message without words says where Ada is to be answered; no one hands it over.
      await ada.say('')
      await vi.waitFor(() => expect(fake.acks).toEqual([200]))
      const heard = () => fake.deliveries().filter(({ chatId }) => chatId === ada.chatId)
      return {
        chatId: ada.chatId,
        say: (text: string) => ada.say(text).then(() => undefined),
        heard: () => heard().map(({ visible }) => visible),
      }
    },
  }
}

describe('DingTalk keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => setup())) test(name, run)
})

describe('DingTalk keeps the contract of platforms with cards', () => {
  const cards = { card_template: TEMPLATE, streaming: true }
  for (const { name, run } of platformContract(() => setup(cards))) test(name, run)
})
