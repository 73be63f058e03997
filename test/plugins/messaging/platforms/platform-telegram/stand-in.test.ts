/** The stand-in refuses what the Bot API refuses: a test against it would prove nothing otherwise. */
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'

async function service() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const ask = async (method: string, params: object) => {
    const url = `${fake.config['base_url']}/bot${fake.env['TELEGRAM_BOT_TOKEN']}/${method}`
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(params) })
    return { status: answer.status, ...((await answer.json()) as { description?: string; result?: unknown }) }
  }
  return { fake, ask }
}

const TEXT = { chat_id: '1001', text: 'hello', link_preview_options: { is_disabled: true } }
const key = (more: object = {}) => ({ text: 'Yes', callback_data: 'y', ...more })
const keyboard = (...rows: object[][]) => ({ reply_markup: { inline_keyboard: rows } })

test.for([
  ['a field that the method does not have', { ...TEXT, reply_to: 5 }, 'no parameter "reply_to"'],
  ['no text', { chat_id: '1001' }, 'message text is empty'],
  ['no chat', { text: 'hello' }, 'chat_id is empty'],
  ['a chat that never wrote', { ...TEXT, chat_id: '4711' }, 'chat not found'],
  ['a topic that is not there', { ...TEXT, message_thread_id: 9 }, 'message thread not found'],
  ['an answer to nothing', { ...TEXT, reply_parameters: { message_id: 9 } }, 'message to be replied not found'],
  ['an answer without its message', { ...TEXT, reply_parameters: {} }, 'message_id'],
  ['an answer to words', { ...TEXT, reply_parameters: { message_id: 'x' } }, 'valid Number'],
  ['an answer that is no object', { ...TEXT, reply_parameters: 9 }, 'reply parameters JSON object'],
  ['a markup that there is not', { ...TEXT, parse_mode: 'html5' }, 'unsupported parse_mode'],
  ['nine buttons side by side', { ...TEXT, ...keyboard(Array.from({ length: 9 }, () => key())) }, 'too long'],
  ['a button without words', { ...TEXT, ...keyboard([key({ text: '' })]) }, 'inline keyboard button'],
  ['a button that says too much', { ...TEXT, ...keyboard([key({ callback_data: 'x'.repeat(65) })]) }, 'BUTTON_DATA'],
] as const)('Telegram’s stand-in refuses a message with %s', async ([, params, words]) => {
  const { ask, fake } = await service()
  expect(await ask('sendMessage', params)).toMatchObject({ status: 400, description: expect.stringContaining(words) })
  expect(fake.deliveries()).toEqual([])
})

test('Telegram’s stand-in knows only methods that there are, and wants a file in the field of its method', async () => {
  const { ask } = await service()
  expect(await ask('sendLetter', TEXT)).toMatchObject({ status: 404 })
  const photo = await ask('sendPhoto', { chat_id: '1001', document: 'x' })
  expect(photo).toMatchObject({ status: 400, description: 'Bad Request: there is no photo in the request' })
})

test('Telegram’s stand-in brings only the kinds of updates that were asked for, and remembers which', async () => {
  const { ask, fake } = await service()
  await ask('getUpdates', { allowed_updates: ['message'] })
  await ask('sendMessage', { ...TEXT, ...keyboard([key()]) })
  await fake.member().press?.('Yes')
  expect((await ask('getUpdates', {})).result).toEqual([])
  await ask('getUpdates', { allowed_updates: [] })
  await fake.member().press?.('Yes')
  expect((await ask('getUpdates', {})).result).toMatchObject([{ callback_query: { data: 'y' } }])
})
