/** The stand-in refuses what Slack refuses: a test against it would prove nothing otherwise. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

async function service() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const ask = async (method: string, form: Record<string, string>) => {
    const headers = { authorization: `Bearer ${fake.env['SLACK_BOT_TOKEN']}` }
    const init = { method: 'POST', headers, body: new URLSearchParams(form) }
    return (await (await fetch(`${fake.config['api_url']}/${method}`, init)).json()) as Record<string, unknown>
  }
  return { fake, ask, channel: fake.member({ group: 'lab' }).chatId }
}

const TEXT = { text: 'hello', unfurl_links: 'false', unfurl_media: 'false' }
const BUTTON = { type: 'button', action_id: 'a', value: 'y', text: { type: 'plain_text', text: 'Yes' } }
const OPTION = { value: 'a', text: { type: 'plain_text', text: 'A' } }
const menu = (...options: object[]) => row({ type: 'static_select', action_id: 'm', options })
const row = (...elements: object[]) => JSON.stringify([{ blocks: [{ type: 'actions', elements }] }])

test.for([
  ['an argument that there is not', { reply_to: '1' }, 'invalid_arguments'],
  ['attachments that are no JSON', { attachments: '[{' }, 'invalid_arguments'],
  ['a thread that nobody began', { thread_ts: '1.000001' }, 'thread_not_found'],
  ['a channel that is not there', { channel: 'C404' }, 'channel_not_found'],
  ['a button without its type', { attachments: row({ ...BUTTON, type: undefined }) }, 'invalid_blocks'],
  ['words that are not marked as plain', { attachments: row({ ...BUTTON, text: { text: 'Yes' } }) }, 'invalid_blocks'],
  ['a style that there is not', { attachments: row({ ...BUTTON, style: 'plain' }) }, 'invalid_blocks'],
  ['one action twice', { attachments: row(BUTTON, BUTTON) }, 'invalid_blocks'],
  ['a row without elements', { attachments: row() }, 'invalid_blocks'],
  ['a menu without options', { attachments: menu() }, 'invalid_blocks'],
  ['a menu of over a hundred options', { attachments: menu(...Array(101).fill(OPTION)) }, 'invalid_blocks'],
  ['one option twice', { attachments: menu(OPTION, OPTION) }, 'invalid_blocks'],
  ['an option without its value', { attachments: menu({ ...OPTION, value: undefined }) }, 'invalid_blocks'],
  ['an option with marks', { attachments: menu({ ...OPTION, text: { type: 'mrkdwn', text: 'A' } }) }, 'invalid_blocks'],
] as const)('Slack’s stand-in refuses a message with %s', async ([, more, error]) => {
  const { fake, ask, channel } = await service()
  expect(await ask('chat.postMessage', { channel, ...TEXT, ...more })).toMatchObject({ ok: false, error })
  expect(fake.deliveries()).toEqual([])
})

test('Slack’s stand-in knows the methods that there are, the people whom it knows, and needs what is needed', async () => {
  const { ask, channel } = await service()
  expect(await ask('conversations.invented', { channel })).toMatchObject({ error: 'unknown_method' })
  expect(await ask('conversations.replies', { channel })).toMatchObject({ error: 'invalid_arguments' })
  expect(await ask('conversations.replies', { channel, ts: '1.1' })).toMatchObject({ error: 'thread_not_found' })
  expect(await ask('users.info', { user: 'UNOBODY' })).toMatchObject({ error: 'user_not_found' })
})

test('a channel of Slack that the app was removed from takes nothing more, and that is final', async () => {
  const { fake, platform } = await createStages('slack', openStandIn).connected()
  const { chatId } = fake.member({ group: 'lab' })
  await platform.send({ chatId, text: 'one', key: 'a' })
  fake.leave(chatId)
  const failure: unknown = await platform.send({ chatId, text: 'two', key: 'b' }).catch((error: unknown) => error)
  expect(String(failure)).toContain('not_in_channel')
  expect(classifyDeliveryError(failure).kind).toBe('refused')
})

test('what Slack hands the app of its own words begins no turn, also without the mark of a bot', async () => {
  const { fake, platform, ear } = await createStages('slack', openStandIn).connected()
  const ada = fake.member()
  await platform.send({ chatId: ada.chatId, text: 'mine', key: 'k' })
  const own = { type: 'message', channel: ada.chatId, channel_type: 'im', user: 'UBOT', ts: '9.1', text: 'mine' }
  fake.sendEnvelope('events_api', { event: own })
  await ada.say('theirs')
  await expect.poll(() => ear.texts).toEqual(['theirs'])
})

test('the view for assistants of Slack’s stand-in takes four prompts at most, and knows its threads', async () => {
  const { fake, ask, channel } = await service()
  const ada = fake.member()
  const [at, prompt] = [
    { channel_id: ada.chatId, thread_ts: fake.openAssistant(ada) },
    { title: 'a', message: 'b' },
  ]
  const suggest = (prompts: object[], more: object = {}) =>
    ask('assistant.threads.setSuggestedPrompts', { ...at, prompts: JSON.stringify(prompts), ...more })
  expect(await suggest([prompt])).toMatchObject({ ok: true })
  for (const wrong of [[], Array(5).fill(prompt), [{ title: 'a' }]])
    expect(await suggest(wrong)).toMatchObject({ error: 'invalid_arguments' })
  expect(await suggest([prompt], { thread_ts: '9.9' })).toMatchObject({ error: 'invalid_thread_ts' })
  expect(await suggest([prompt], { channel_id: channel })).toMatchObject({ error: 'channel_not_found' })
  expect(await ask('assistant.threads.setTitle', at)).toMatchObject({ error: 'invalid_arguments' })
})
