/** The status of an assistant's thread. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const METHOD = 'assistant.threads.setStatus'

async function thread() {
  const stage = await createStages('slack', openStandIn).connected()
  const { chatId, say } = stage.fake.member({ group: 'lab' })
  const threadId = await say('hello', { mention: true })
  const asked = () => stage.fake.calls.filter(({ method }) => method === METHOD).map(({ form }) => form['status'])
  return { ...stage, chatId, threadId, asked }
}

test('a thread shows that the assistant is at work; a channel has no such sign', async () => {
  const { platform, chatId, threadId, asked } = await thread()
  await platform.typing?.(chatId)
  expect(asked()).toEqual([])
  await platform.typing?.(chatId, threadId)
  expect(asked()).toEqual(['is thinking…'])
})

test('an app that may not do so is asked once', async () => {
  const { fake, platform, chatId, threadId, asked } = await thread()
  fake.answerNext(METHOD, { body: { ok: false, error: 'missing_scope', needed: 'assistant:write' } })
  await expect(platform.typing?.(chatId, threadId)).rejects.toThrow('missing_scope')
  await platform.typing?.(chatId, threadId)
  expect(asked()).toHaveLength(1)
})

test('a refusal that is about one thread does not end the status of others', async () => {
  const { fake, platform, chatId, threadId, asked } = await thread()
  fake.answerNext(METHOD, { body: { ok: false, error: 'channel_not_found' } })
  await expect(platform.typing?.(chatId, threadId)).rejects.toThrow('channel_not_found')
  await platform.typing?.(chatId, threadId)
  expect(asked()).toHaveLength(2)
})
