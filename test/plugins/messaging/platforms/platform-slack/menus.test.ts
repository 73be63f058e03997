/** Choices: a few are buttons, more are a menu. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const choices = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ value: `q:${at}`, label: `Choice ${at}`, ...more }))

async function asked(buttons: readonly { value: string; label: string }[]) {
  const stage = await createStages('slack', openStandIn).connected()
  const ada = stage.fake.member({ group: 'lab' })
  const sent = await stage.platform.send({ chatId: ada.chatId, text: 'which?', key: 'k', buttons })
  const form = stage.fake.calls.find(({ method }) => method === 'chat.postMessage')?.form
  const [{ blocks }] = JSON.parse(form?.['attachments'] ?? '[]')
  return { ...stage, ada, sent, elements: blocks[0].elements as { type: string; options?: unknown[] }[] }
}

test.for([5, 6, 100])('%i choices can be made on Slack, and one that is made comes with its label', async (count) => {
  const { fake, ear, platform, ada, sent, elements } = await asked(choices(count))
  expect(elements.map(({ type }) => type)).toEqual(count > 5 ? ['static_select'] : Array(5).fill('button'))
  expect(fake.deliveries()[0]?.buttons).toHaveLength(count)
  await ada.press?.(`Choice ${count - 1}`)
  await expect.poll(() => ear.received.length).toBe(1)
  const press = { press: `q:${count - 1}`, text: `Choice ${count - 1}`, quote: { messageId: sent.messageId } }
  expect(ear.received[0]).toMatchObject({ ...press, userId: ada.userId, isMention: true })
  await platform.edit?.({ chatId: ada.chatId, messageId: sent.messageId, text: 'chosen', isFinal: true })
  expect(fake.deliveries()[0]).toMatchObject({ buttons: [], visible: 'chosen' })
})

test('choices with a colour stay buttons on Slack: no approval is hidden in a menu', async () => {
  const { elements } = await asked(choices(7, { style: 'danger' }))
  expect(elements.map(({ type }) => type)).toEqual(Array(7).fill('button'))
})

test('what does not fit into the label of an option on Slack stands below it', async () => {
  const long = { value: 'q:9', label: 'x'.repeat(74) + 'y'.repeat(20) }
  const { elements, fake } = await asked([...choices(6), long])
  expect(fake.deliveries()[0]?.buttons.at(-1)).toBe(`${'x'.repeat(74)}…`)
  expect(elements[0]?.options?.at(-1)).toMatchObject({ description: { text: `…${'y'.repeat(20)}` } })
})
