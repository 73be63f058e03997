/** More than three choices are a list. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

test('up to ten choices are a list, and the one that is taken is a press', async () => {
  const { fake, platform, ear } = await createStages('whatsapp', openStandIn).connected()
  const ada = fake.member()
  await ada.say('hi')
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(1)
  const long = 'Allow for this conversation and no other'
  const buttons = ['Allow once', long, 'Allow for this project', 'Always allow', 'Deny'].map((label, at) => ({
    value: `q:${at}`,
    label,
  }))
  const text = `${'what is decided on '.repeat(150)}?`
  await platform.send({ chatId: ada.chatId, text, key: 'k', buttons })
  const [shown] = fake.deliveries()
  expect(shown?.visible).toBe(text)
  expect(shown?.buttons).toEqual([
    'Allow once',
    `${long.slice(0, 23)}…`,
    'Allow for this project',
    'Always allow',
    'Deny',
  ])
  await ada.press?.('Always allow')
  await expect.poll(() => ear.received.at(-1)?.press).toBe('q:3')
})
