/** Choices: a few are buttons, more are menus. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const choices = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ value: `q:${at}`, label: `Choice ${at}`, ...more }))

interface Component {
  readonly type: number
  readonly placeholder?: string
  readonly options?: readonly unknown[]
}

async function asked(buttons: readonly { value: string; label: string }[]) {
  const stage = await createStages('discord', openStandIn).connected()
  const ada = stage.fake.member({ group: 'lab' })
  const sent = await stage.platform.send({ chatId: ada.chatId, text: 'which?', key: 'k', buttons })
  const { body = '' } = stage.fake.requests.find(({ call }) => call.endsWith('/messages')) ?? {}
  const rows = JSON.parse(body).components as { components: Component[] }[]
  return { ...stage, ada, sent, rows: rows.map(({ components }) => components) }
}

test.for([
  [5, [5]],
  [25, [1]],
  [26, [1, 1]],
  [125, [1, 1, 1, 1, 1]],
] as const)('%i choices can be made on Discord, and one that is made comes with its label', async ([count, shape]) => {
  const { fake, ear, ada, sent, rows, platform } = await asked(choices(count))
  expect(rows.map((row) => row.length)).toEqual(shape)
  expect(new Set(rows.flat().map(({ type }) => type))).toEqual(new Set([count > 5 ? 3 : 2]))
  expect(fake.deliveries()[0]?.buttons).toHaveLength(count)
  await ada.press?.(`Choice ${count - 1}`)
  await expect.poll(() => ear.received.length).toBe(1)
  const press = { press: `q:${count - 1}`, text: `Choice ${count - 1}`, quote: { messageId: sent.messageId } }
  expect(ear.received[0]).toMatchObject({ ...press, userId: ada.userId })
  await expect.poll(() => fake.callbacks.map(({ type }) => type)).toEqual([6])
  await platform.edit?.({ chatId: ada.chatId, messageId: sent.messageId, text: 'chosen', isFinal: true })
  expect(fake.deliveries()[0]).toMatchObject({ buttons: [], visible: 'chosen' })
})

test('of several menus each says which choices it has; one alone leaves the words to Discord', async () => {
  const placeholders = (rows: readonly (readonly Component[])[]) => rows.flat().map(({ placeholder }) => placeholder)
  expect(placeholders((await asked(choices(30))).rows)).toEqual(['1–25', '26–30'])
  expect(placeholders((await asked(choices(6))).rows)).toEqual([undefined])
})

test('choices with a colour stay buttons on Discord: no approval is hidden in a menu', async () => {
  const { rows } = await asked(choices(7, { style: 'danger' }))
  expect(rows.map((row) => row.map(({ type }) => type))).toEqual([Array(5).fill(2), [2, 2]])
})

test('what does not fit into the label of an option on Discord stands below it', async () => {
  const { rows, fake } = await asked([...choices(6), { value: 'q:9', label: 'x'.repeat(99) + 'y'.repeat(20) }])
  expect(fake.deliveries()[0]?.buttons.at(-1)).toBe(`${'x'.repeat(99)}…`)
  expect(rows[0]?.[0]?.options?.at(-1)).toMatchObject({ description: `…${'y'.repeat(20)}` })
})
