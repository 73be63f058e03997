import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { listening, office } from './office.ts'

describe('text messages keep the contract of platforms', () => {
  const setup = async () => {
    const { fake, kernel, platform, close } = await office()
    return {
      platform,
      close,
      join() {
        listening(kernel, fake)
        const { chatId, say } = fake.member()
        const heard = () => fake.deliveries().flatMap((each) => (each.chatId === chatId ? each.visible : []))
        return { chatId, heard, say: async (text: string) => void (await say(text)) }
      },
    }
  }
  for (const { name, run } of platformContract(setup)) test(name, run)
})
