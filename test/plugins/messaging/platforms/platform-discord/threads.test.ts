/** Threads that answers begin, and what was said in a channel before. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { home } = createStages('discord', openStandIn)
type StageOptions = Parameters<typeof home>[0]

async function asked(text: string, options: StageOptions = {}) {
  const stage = await home(options)
  const ada = stage.fake.member({ group: 'lab' })
  const messageId = await ada.say(text, { mention: true })
  await expect.poll(() => stage.ear.received.length, { timeout: 10_000 }).toBe(1)
  const [inbound] = stage.ear.received
  if (!inbound) throw new Error('nothing came')
  return { ...stage, ada, messageId, inbound }
}

test('what addresses the bot in a channel is answered in a thread that is named after it', async () => {
  const { fake, platform, ada, messageId, inbound } = await asked('Why is the build red?\nIt was green.')
  expect(inbound.threadId).toBe(messageId)
  expect(fake.requests.filter(({ call }) => call.includes('/threads'))).toEqual([])
  const place = { chatId: ada.chatId, threadId: messageId }
  await platform.typing?.(ada.chatId, messageId)
  await platform.send({ ...place, text: 'A test fails.', key: 'k1', replyTo: messageId })
  await platform.send({ ...place, text: 'It is mended.', key: 'k2' })
  const begun = fake.requests.filter(({ call }) => call.includes('/threads'))
  expect(begun.map(({ body }) => JSON.parse(body).name)).toEqual(['Why is the build red?'])
  expect(fake.deliveries()).toMatchObject([
    { visible: 'A test fails.', chatId: ada.chatId, threadId: messageId },
    { visible: 'It is mended.', threadId: messageId },
  ])
})

test.for([
  ['auto_thread is off', { auto_thread: false }, 'hello'],
  ['a command', {}, '/status'],
] as const)('%s: the answer stays in the channel', async ([, config, text]) => {
  const { inbound } = await asked(text, { config })
  expect(inbound.threadId).toBeUndefined()
})

test('channels that are named get no threads', async () => {
  const { chatId } = (await home()).fake.member({ group: 'lab' })
  for (const config of [{ no_thread_channels: [chatId] }, { free_response_chats: [chatId] }]) {
    const { inbound, ada } = await asked('hello', { config })
    if (ada.chatId === chatId) expect(inbound.threadId).toBeUndefined()
  }
})

test('where the bot may begin no thread the channel takes the answer, and is asked no more', async () => {
  const { fake, platform, ada, messageId, ear } = await asked('hello')
  fake.answerNext('POST /channels', { status: 403, body: { message: 'Missing Permissions', code: 50013 } })
  const failed = await platform
    .send({ chatId: ada.chatId, threadId: messageId, text: 'hi', key: 'k' })
    .catch((error) => error)
  expect(classifyDeliveryError(failed)).toMatchObject({ kind: 'refused', isThreadGone: true })
  await ada.say('again', { mention: true })
  await expect.poll(() => ear.received.length).toBe(2)
  expect(ear.received[1]?.threadId).toBeUndefined()
})

test('a thread that was named before a restart is made after it, and then remembered no more', async () => {
  const { ada, messageId, close, restart, cursors } = await asked('Why is the build red?')
  await close()
  expect([...cursors.values()].some((value) => value.includes('Why is the build red?'))).toBe(true)
  const { fake, platform } = await restart()
  await platform.send({ chatId: ada.chatId, threadId: messageId, text: 'A test fails.', key: 'k1' })
  await platform.send({ chatId: ada.chatId, threadId: messageId, text: 'It is mended.', key: 'k2' })
  const begun = fake.requests.filter(({ call }) => call.includes('/threads'))
  expect(begun.map(({ body }) => JSON.parse(body).name)).toEqual(['Why is the build red?'])
  expect(fake.deliveries().map(({ threadId }) => threadId)).toEqual([messageId, messageId])
  expect([...cursors.values()].some((value) => value.includes('Why is the build red?'))).toBe(false)
})

test.for(['refused', 'ignored'] as const)('the thread of a message that was %s is forgotten', async (outcome) => {
  const stage = await home()
  stage.ear.reception = { outcome }
  await stage.fake.member({ group: 'lab' }).say('let me in', { mention: true })
  await expect.poll(() => stage.ear.received.length, { timeout: 10_000 }).toBe(1)
  await expect.poll(() => [...stage.cursors.values()].some((value) => value.includes('let me in'))).toBe(false)
})

test('Discord that cannot begin a thread for now is asked again, and the channel has threads as before', async () => {
  const { fake, platform, ada, messageId, ear } = await asked('hello')
  fake.answerNext('POST /channels', { status: 503, body: 'upstream' })
  const send = () => platform.send({ chatId: ada.chatId, threadId: messageId, text: 'hi', key: 'k' })
  const failed = await send().catch((error) => error)
  expect(classifyDeliveryError(failed)).toMatchObject({ kind: 'busy' })
  await send()
  expect(fake.deliveries()).toMatchObject([{ threadId: messageId, visible: 'hi' }])
  const again = await ada.say('again', { mention: true })
  await expect.poll(() => ear.received.at(-1)?.threadId).toBe(again)
})

test('a thread that another process has begun already is used', async () => {
  const { fake, platform, ada, messageId } = await asked('hello')
  fake.answerNext('POST /channels', {
    status: 400,
    body: { message: 'A thread has already been created', code: 160004 },
  })
  const sending = platform.send({ chatId: ada.chatId, threadId: messageId, text: 'hi', key: 'k' })
  // The stand-in has no such thread, so only the send itself is refused.
  expect(classifyDeliveryError(await sending.catch((error) => error))).toMatchObject({ isThreadGone: true })
  expect(fake.requests.filter(({ call }) => call.startsWith('POST') && call.endsWith('/messages'))).toHaveLength(1)
})

test('what others said before is read up to the last words of the bot', async () => {
  const { fake, platform, ear } = await asked('old')
  const ada = fake.member({ group: 'lab' })
  await ada.say('before the bot spoke')
  await platform.send({ chatId: ada.chatId, text: 'here I am', key: 'k' })
  await ada.say('lunch?')
  await fake.member({ userId: '77', group: 'lab' }).say('at noon')
  await ada.say('where?', { mention: true })
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(5)
  const last = ear.received.at(-1)
  if (!last || !platform.earlier) throw new Error('nothing came')
  const earlier = await platform.earlier(last, { limit: 50, signal: new AbortController().signal })
  expect(earlier.map(({ text }) => text)).toEqual(['lunch?', 'at noon'])
  expect(earlier[1]?.userId).toBe('77')
})
