/** The stand-in refuses what Discord refuses: a test against it would prove nothing otherwise. */
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

async function service() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const ask = async (call: string, body: object) => {
    const [method = '', path] = call.split(' ')
    const headers = { 'content-type': 'application/json', authorization: `Bot ${fake.env['DISCORD_BOT_TOKEN']}` }
    const said = await fetch(`${fake.config['api_url']}${path}`, { method, headers, body: JSON.stringify(body) })
    return { status: said.status, text: await said.text() }
  }
  return { fake, ask, chatId: fake.member().chatId }
}

const TEXT = { content: 'hello', allowed_mentions: { parse: [] }, flags: 4 }
const BUTTON = { type: 2, style: 1, label: 'Yes', custom_id: 'y' }
const rows = (...components: object[]) => ({ ...TEXT, components: [{ type: 1, components }] })
const OPTION = { value: 'a', label: 'A' }
const menu = (...options: object[]) => ({ type: 3, custom_id: `m${options.length}`, options })
const without = (name: string) => Object.fromEntries(Object.entries(BUTTON).filter(([each]) => each !== name))

test.for([
  ['a field that there is not', { ...TEXT, reply_to: '1' }, 'reply_to'],
  [
    'a row without its type',
    { ...TEXT, components: [{ components: [BUTTON] }] },
    '"type":{"_errors":[{"code":"BASE_TYPE_REQ',
  ],
  ['a button without its type', rows(without('type')), '"type":{"_errors":[{"code":"BASE_TYPE_REQ'],
  ['a button without its style', rows(without('style')), '"style":{"_errors":[{"code":"BASE_TYPE_REQ'],
  ['a style that there is not', rows({ ...BUTTON, style: 9 }), '"style"'],
  ['a button without its id', rows(without('custom_id')), '"custom_id"'],
  ['an id of over a hundred characters', rows({ ...BUTTON, custom_id: 'x'.repeat(101) }), '1 and 100'],
  ['one id twice', rows(BUTTON, BUTTON), 'COMPONENT_CUSTOM_ID_DUPLICATED'],
  ['a menu without options', rows(menu()), 'between 1 and 25'],
  ['a menu of over 25 options', rows(menu(...Array(26).fill(OPTION))), 'between 1 and 25'],
  ['one option twice', rows(menu(OPTION, OPTION)), 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED'],
  ['an option without its value', rows(menu({ label: 'A' })), '"value"'],
  ['an option of over a hundred characters', rows(menu({ value: 'a', label: 'x'.repeat(101) })), '"label"'],
  ['two menus in a row', rows(menu(OPTION), menu(OPTION, { value: 'b', label: 'B' })), 'WIDTH_EXCEEDED'],
  ['a menu beside a button', rows(menu(OPTION), BUTTON), 'WIDTH_EXCEEDED'],
  ['an answer to nothing', { ...TEXT, message_reference: { message_id: '5' } }, 'Unknown message'],
  ['an answer to words', { ...TEXT, message_reference: { message_id: 'x' } }, 'is not snowflake'],
  ['an answer without its message', { ...TEXT, message_reference: {} }, '"message_id"'],
] as const)('Discord’s stand-in refuses a message with %s', async ([, body, words]) => {
  const { ask, fake, chatId } = await service()
  const said = await ask(`POST /channels/${chatId}/messages`, body)
  expect(said.status).toBe(400)
  expect(said.text).toContain(words)
  expect(fake.deliveries()).toEqual([])
})

test('a message of Discord is changed only in its channel, and an interaction answered only by its kind', async () => {
  const { fake, ask, chatId } = await service()
  const { text } = await ask(`POST /channels/${chatId}/messages`, TEXT)
  const { id } = JSON.parse(text) as { id: string }
  const elsewhere = fake.member().chatId
  expect(await ask(`PATCH /channels/${elsewhere}/messages/${id}`, TEXT)).toMatchObject({ status: 404 })
  expect(await ask(`PATCH /channels/${chatId}/messages/${id}`, { ...TEXT, nonce: '1' })).toMatchObject({ status: 400 })
  fake.dispatch('INTERACTION_CREATE', { id: '7', token: 't', type: 2 })
  expect(await ask('POST /interactions/8/t/callback', { type: 5 })).toMatchObject({ status: 404 })
  expect(await ask('POST /interactions/7/t/callback', { type: 6 })).toMatchObject({ status: 400 })
  const note = `DELETE /webhooks/${fake.applicationId}/t/messages/@original`
  expect(await ask(note, {})).toMatchObject({ status: 404 })
  expect(await ask('POST /interactions/7/t/callback', { type: 5 })).toMatchObject({ status: 204 })
  expect(await ask(note, {})).toMatchObject({ status: 204 })
})

test('what Discord finds wrong in a form is told with the field, not only that there is something', async () => {
  const { fake, platform } = await createStages('discord', openStandIn).connected()
  const buttons = [{ value: 'x'.repeat(101), label: 'Yes' }]
  const sending = platform.send({ chatId: fake.member().chatId, text: 'sure?', key: 'k', buttons })
  await expect(sending).rejects.toThrow('components.0.components.0.custom_id: Must be between 1 and 100')
})
