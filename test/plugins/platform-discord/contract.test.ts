import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStage } from './stage.ts'

async function setup(group?: string) {
  const { fake, platform, close } = await openStage()
  const join = () => {
    const member = fake.member(group === undefined ? {} : { group })
    return {
      chatId: member.chatId,
      say: async (text: string) => void (await member.say(text)),
      heard: () => fake.deliveries().map(({ visible }) => visible),
    }
  }
  return { platform, join, close }
}

describe('Discord keeps the contract of platforms in a direct message', () => {
  for (const { name, run } of platformContract(() => setup())) test(name, run)
})

describe('Discord keeps the contract of platforms in a channel', () => {
  for (const { name, run } of platformContract(() => setup('lab'))) test(name, run)
})
