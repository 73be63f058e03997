/** Slack's views for assistants. */
import { expect, test } from 'vitest'
import { createContext } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/assistants.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

async function beside(config: object = {}) {
  const stage = await createStages('slack', openStandIn).connected({ config: { ...config } })
  return { ...stage, ada: stage.fake.member(), lab: stage.fake.member({ group: 'lab' }).chatId }
}

test('who opens the view is offered prompts; pressing one is a message of the thread, which gets its title', async () => {
  const { fake, ear, ada } = await beside()
  const thread = fake.openAssistant(ada)
  await expect.poll(() => fake.suggested).toHaveLength(1)
  expect(fake.suggested[0]).toMatchObject({ channel: ada.chatId, thread })
  const [first] = fake.suggested[0]?.prompts ?? []
  expect(first).toEqual({ title: 'What can you do for me?', message: 'What can you do for me?' })
  await ada.say('!help', { threadId: thread })
  await ada.say(`${'Why is it red? '.repeat(6)}\nPlease look.`, { threadId: thread })
  await ada.say('And now?', { threadId: thread })
  await expect.poll(() => ear.received).toHaveLength(3)
  expect(ear.received.every(({ threadId, chatKind }) => threadId === thread && chatKind === 'dm')).toBe(true)
  await expect.poll(() => fake.titles).toEqual([{ thread, title: `${'Why is it red? '.repeat(6).slice(0, 74)}…` }])
})

test('a message of a sender who may not write gives the thread no title', async () => {
  const { fake, ear, ada } = await beside()
  const thread = fake.openAssistant(ada)
  ear.reception = { outcome: 'refused' }
  await ada.say('let me in', { threadId: thread })
  await expect.poll(() => ear.received).toHaveLength(1)
  ear.reception = { outcome: 'taken' }
  await ada.say('thank you', { threadId: thread })
  await expect.poll(() => fake.titles.map(({ title }) => title)).toEqual(['thank you'])
})

test('the prompts are those of the settings, and without any Slack is not asked', async () => {
  const own = await beside({ suggested_prompts: ['What is new?'] })
  own.fake.openAssistant(own.ada)
  await expect.poll(() => own.fake.suggested[0]?.prompts).toEqual([{ title: 'What is new?', message: 'What is new?' }])
  const none = await beside({ suggested_prompts: [] })
  const thread = none.fake.openAssistant(none.ada)
  await none.ada.say('hello', { threadId: thread })
  await expect.poll(() => none.fake.titles).toHaveLength(1)
  expect(none.fake.suggested).toEqual([])
})

test('an app without the view is asked once', async () => {
  const { fake, ear, ada } = await beside()
  const method = 'assistant.threads.setSuggestedPrompts'
  fake.answerNext(method, { body: { ok: false, error: 'missing_scope', needed: 'assistant:write' } })
  const asked = () =>
    fake.calls.filter((call) => call.method.startsWith('assistant.threads')).map((call) => call.method)
  fake.openAssistant(ada)
  await expect.poll(asked).toEqual([method])
  const thread = fake.openAssistant(ada)
  await ada.say('hello', { threadId: thread })
  await expect.poll(() => ear.received).toHaveLength(1)
  expect(asked()).toEqual([method])
})

test('a refusal that is about one thread does not end the feature', async () => {
  const { fake, ada } = await beside()
  fake.answerNext('assistant.threads.setSuggestedPrompts', { body: { ok: false, error: 'invalid_thread_ts' } })
  fake.openAssistant(ada)
  const second = fake.openAssistant(ada)
  await expect.poll(() => fake.suggested.map(({ thread }) => thread)).toEqual([second])
})

test('the channel that a person is looking at comes with the next message, once', async () => {
  const { fake, ear, ada, lab } = await beside()
  const thread = fake.openAssistant(ada, lab)
  const viewed = () => ear.received.map(({ viewing }) => viewing?.chatId)
  await ada.say('what is this?', { threadId: thread })
  await ada.say('and this?', { threadId: thread })
  fake.lookAt(ada, thread, 'COTHER')
  await ada.say('and there?', { threadId: thread })
  await expect.poll(viewed).toEqual([lab, undefined, 'COTHER'])
  const elsewhere = fake.openAssistant(ada)
  await ada.say('nothing beside', { threadId: elsewhere })
  await expect.poll(viewed).toEqual([lab, undefined, 'COTHER', undefined])
})

test('a message that was not taken comes again with what its person was looking at', async () => {
  const { fake, ear, ada, lab } = await beside()
  const thread = fake.openAssistant(ada, lab)
  ear.refuse = 1
  await ada.say('what is this?', { threadId: thread })
  await expect.poll(() => ear.refused).toBe(1)
  fake.resend()
  await expect.poll(() => ear.received.map(({ viewing }) => viewing?.chatId)).toEqual([lab])
})

test('in the newer view prompts belong to no thread, and each message says what its person is looking at', async () => {
  const { fake, ear, ada, lab } = await beside()
  fake.openTab(ada, 'home')
  fake.openTab(ada, 'messages')
  await expect.poll(() => fake.suggested.map(({ thread }) => thread)).toEqual([undefined])
  const say = (ts: string, app_context: object) => {
    const event = { type: 'message', channel: ada.chatId, channel_type: 'im', user: ada.userId, ts, text: ts }
    fake.sendEnvelope('events_api', { team_id: 'T1', event: { ...event, app_context } })
  }
  const message = { type: 'slack#/types/message_context', value: { message_ts: '1.1', channel_id: 'COTHER' } }
  say('1.1', createContext(lab))
  say('1.2', createContext(lab))
  say('1.3', { entities: [{ type: 'slack#/types/canvas_id', value: 'F1' }, message] })
  say('1.4', {})
  await expect
    .poll(() => ear.received.map(({ viewing }) => viewing?.chatId))
    .toEqual([lab, undefined, 'COTHER', undefined])
})
