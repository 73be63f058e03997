/** Stories of topics in a private chat, each with a conversation of its own. */
import { Sessions } from 'svc/sdk'
import { Gateway } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { stage } from '../gateway/stage.ts'

let written = 0

async function open(script: Parameters<typeof stage>[0] = ['one', 'two', 'three', 'four']) {
  const story = await stage(script, { plugins: ['handoff'] })
  const say = async (text: string, threadId?: string, who = 'ada', where: object = {}) => {
    const thread = threadId === undefined ? {} : { threadId }
    await story.fake.say(who, text, { messageId: `t${++written}`, ...thread, ...where })
    await story.gateway.idle()
  }
  const sessions = () => story.kernel.use(Sessions)
  const find = (text: string) => sessions().search(text)[0]?.sessionId ?? ''
  const asked = () => story.model.requests.at(-1)?.messages.map(({ text }) => text) ?? []
  const last = () => story.fake.sent.at(-1)
  return { ...story, say, find, asked, last, gatewayService: story.kernel.use(Gateway) }
}

test('a topic continues a conversation of another topic, and where that was a new one begins', async () => {
  const { say, find, asked, last, gatewayService } = await open()
  await say('I like bees', '7')
  await say('I like wasps', '8')
  const bees = find('bees')
  await say('/topic', '8')
  expect(last()?.text).toMatch(/^This topic continues .*\n\nOthers of this chat/)
  expect(last()?.text).toContain(bees)
  await say(`/topic ${bees}`, '8')
  expect(last()).toMatchObject({ threadId: '8', text: expect.stringContaining('goes on here') })
  expect(gatewayService.findChat(bees)).toMatchObject({ chatId: 'ada', threadId: '8' })
  await say('well?', '8')
  expect(asked()).toContain('I like bees')
  expect(asked()).not.toContain('I like wasps')
  await say('and here?', '7')
  expect(asked()).not.toContain('I like bees')
})

test('off continues the conversation of a topic in the chat itself, from which a topic takes it again', async () => {
  const { say, find, asked, last, gatewayService } = await open()
  await say('I like bees', '7')
  const bees = find('bees')
  await say('/topic off', '7')
  expect(last()).toMatchObject({ threadId: '7', text: expect.stringContaining('in the chat itself') })
  expect(gatewayService.findChat(bees)).not.toHaveProperty('threadId')
  await say('well?')
  expect(asked()).toContain('I like bees')
  await say('/topic off')
  expect(last()?.text).toBe('This is not a topic.')
  await say(`/topic ${bees}`, '7')
  expect(gatewayService.findChat(bees)).toMatchObject({ threadId: '7' })
  await say(`/topic ${bees}`, '7')
  expect(last()?.text).toBe('You are in it.')
})

test('an earlier conversation of the chat, which nothing shows any more, goes on in a topic', async () => {
  const { say, find, asked, last, gatewayService } = await open()
  await say('I like bees')
  const bees = find('bees')
  await say('/new now')
  await say('I like wasps')
  expect(gatewayService.findChat(bees)).toBeUndefined()
  expect(gatewayService.findChat(bees, 'last')).toMatchObject({ chatId: 'ada' })
  await say(`/topic ${bees}`, '7')
  expect(last()?.text).toContain('goes on here')
  await say('well?', '7')
  expect(asked()).toContain('I like bees')
})

test('conversations of other people and of groups are out of reach, and nothing is moved during an answer', async () => {
  let finish: () => void = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const { say, find, last, fake, model, gateway, gatewayService } = await open(['one', { text: 'slow', gate }])
  await say('I like bees', undefined, 'eve')
  const bees = find('bees')
  await say(`/topic ${bees}`, '7')
  expect(last()?.text).toMatch(/No conversation of this chat has this id/)
  await say('/topic 20260101_000000_00000000', '7')
  expect(last()?.text).toMatch(/No conversation of this chat has this id/)
  expect(gatewayService.findChat(bees)).toMatchObject({ chatId: 'eve' })
  await say(`/topic ${bees}`, '7', 'eve', { chatId: 'team', chatKind: 'group', isMention: true })
  expect(last()?.text).toBe('This is for topics of a private chat.')
  await fake.say('eve', 'write a book', { messageId: `t${++written}` })
  await expect.poll(() => model.requests.length).toBe(2)
  await fake.say('eve', `/topic ${bees}`, { messageId: `t${++written}`, threadId: '9' })
  await expect.poll(() => last()?.text).toMatch(/was not moved: an answer is under way in it/)
  finish()
  await gateway.idle()
})

test('/topic help says how it works', async () => {
  const { say, last } = await open()
  await say('/topic help', '7')
  expect(last()?.text).toContain('/topic <session-id>')
  expect(last()?.text).toContain('/topic off')
})
