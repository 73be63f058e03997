import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { OVER_HTTP, openStage } from './stage.ts'

async function setup(mode: 'socket' | 'events', group?: string) {
  const { fake, platform, listen, close } = await openStage(mode === 'events' ? { config: OVER_HTTP } : {})
  const join = () => {
    if (mode === 'events') listen()
    const member = fake.member(group === undefined ? {} : { group })
    return {
      chatId: member.chatId,
      say: async (text: string) => void (await member.say(text)),
      heard: () => fake.deliveries().map(({ visible }) => visible),
    }
  }
  return { platform, join, close }
}

describe('Slack keeps the contract of platforms in a direct message, over a socket', () => {
  for (const { name, run } of platformContract(() => setup('socket'))) test(name, run)
})

describe('Slack keeps the contract of platforms in a channel, over a socket', () => {
  for (const { name, run } of platformContract(() => setup('socket', 'lab'))) test(name, run)
})

describe('Slack keeps the contract of platforms over HTTP', () => {
  for (const { name, run } of platformContract(() => setup('events'))) test(name, run)
})
