import { platformContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { SECRET, yard } from './yard.ts'

/**
 * Each event is its own chat and its words are data: the two cases in which one person goes on talking in one chat,
 * word for word, cannot be of webhooks.
 */
const ofPeople = [
  'hands over what people write, once and in order, with ids that stay',
  'a message that could not be taken does not stop the next',
]

async function setup() {
  const routes = {
    hook: { secret: SECRET, deliver: 'github_comment', deliver_extra: { repo: 'ada/engine', pr_number: 7 } },
  }
  const one = await yard({ routes })
  let count = 0
  return {
    platform: one.platform,
    close: one.close,
    async join() {
      await one.send('hook', { id: 'one' })
      return {
        chatId: 'hook:one',
        heard: () => one.sender.comments.map(({ visible }) => visible),
        say: async (text: string) => void (await one.send('hook', { id: `said-${++count}`, payload: { text } })),
      }
    },
  }
}

describe('webhooks keep the contract of platforms, but for what only people do', () => {
  const cases = platformContract(setup)
  for (const { name, run } of cases.filter((each) => !ofPeople.includes(each.name))) test(name, run)
  test('the cases that are left out are cases of the contract', () => {
    expect(cases.filter(({ name }) => ofPeople.includes(name))).toHaveLength(2)
  })
})
