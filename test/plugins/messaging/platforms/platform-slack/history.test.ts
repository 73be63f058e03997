/** What was said before a message, out of the history of Slack. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

async function lab() {
  const stage = await createStages('slack', openStandIn).connected()
  const [ada, bob] = [stage.fake.member({ group: 'lab' }), stage.fake.member({ userId: 'UBOB', group: 'lab' })]
  const ask = async (text: string, threadId?: string) => {
    const messageId = await ada.say(text, { mention: true, ...(threadId && { threadId }) })
    const find = () => stage.ear.received.find((each) => each.messageId === messageId)
    await expect.poll(find, { timeout: 10_000 }).toBeDefined()
    const found = find()
    if (!found) throw new Error('nothing came')
    return found
  }
  const earlier = async (message: Awaited<ReturnType<typeof ask>>, limit = 50, signal = new AbortController().signal) =>
    (await stage.platform.earlier?.(message, { limit, signal })) ?? []
  return { ...stage, ada, bob, ask, earlier }
}

test('what others said in the channel of Slack since the last words of the app is read, without threads and bots', async () => {
  const { fake, platform, ada, bob, ask, earlier } = await lab()
  await ada.say('before the app spoke')
  await platform.send({ chatId: ada.chatId, text: 'here I am', key: 'k' })
  const lunch = await ada.say('lunch, <b>?')
  await bob.say('in a thread', { threadId: lunch })
  await bob.say('at noon')
  const found = await earlier(await ask('where?'))
  expect(found).toMatchObject([
    { userId: ada.userId, userName: 'Ada', text: 'lunch, <b>?', messageId: lunch },
    { userId: 'UBOB', text: 'at noon' },
  ])
  expect((await earlier(await ask('and again?'), 1)).map(({ text }) => text)).toEqual(['@UBOT where?'])
  expect(fake.calls.filter(({ method }) => method === 'conversations.replies')).toEqual([])
})

test('in a thread of Slack that was there before, what was said in it is read, its beginning included', async () => {
  const { ada, bob, ask, earlier } = await lab()
  await ada.say('elsewhere')
  const threadId = await ada.say('the build is red')
  await bob.say('since noon', { threadId })
  const asked = await ask('can you look?', threadId)
  await bob.say('said after it', { threadId })
  expect((await earlier(asked)).map(({ text }) => text)).toEqual(['the build is red', 'since noon'])
  expect((await earlier(asked, 1)).map(({ text }) => text)).toEqual(['since noon'])
})

test('reading the history of Slack ends when it is waited for no more', async () => {
  const { ask, earlier } = await lab()
  await expect(earlier(await ask('where?'), 5, AbortSignal.abort())).rejects.toThrow()
})

test('what programs and Slack itself wrote in a channel is not given as the words of people', async () => {
  const { fake, ask, earlier } = await lab()
  const asked = await ask('where?')
  const messages = [
    { ts: '1.4', user: 'UBOB', text: 'at noon' },
    { ts: '1.3', user: 'UCI', bot_id: 'BCI', text: 'the build is red' },
    { ts: '1.2', user: 'UBOB', subtype: 'channel_join', text: 'joined' },
    { ts: '1.1', user: 'UBOB', text: ' ' },
  ]
  fake.answerNext('conversations.history', { body: { ok: true, messages } })
  expect((await earlier(asked)).map(({ text }) => text)).toEqual(['at noon'])
})
