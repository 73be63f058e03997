import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { stage } from './stage.ts'

async function setup() {
  const { fake, platform } = await stage()
  return {
    platform,
    join: () => {
      const ada = fake.member()
      const heard = () => fake.deliveries().filter(({ chatId }) => chatId === ada.chatId)
      return {
        chatId: ada.chatId,
        say: (text: string) => ada.say(text).then(() => undefined),
        heard: () => heard().map(({ visible }) => visible),
      }
    },
  }
}

describe('Signal keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(setup)) test(name, run)
})
