/** Stories of messages to Zulip whose answer was lost: what was sent is found, and nothing else is. */
import { classifyDeliveryError, type OutboundMessage, type Platform } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-zulip/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, home } = createStages('zulip', openStandIn)

/** Sends as the outbox does; resolves with the message as it is looked for. */
async function lose(platform: Platform, message: OutboundMessage): Promise<OutboundMessage> {
  let note = ''
  const writeNote = (text: string) => {
    note = text
  }
  const failure: unknown = await platform.send({ ...message, writeNote }).catch((error: unknown) => error)
  expect(classifyDeliveryError(failure).kind).toBe('unsure')
  expect(note.length).toBeLessThan(200)
  return { ...message, note }
}

test('the queue tells under which id a message was taken, also without a note', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  fake.failSends('unanswered')
  const { note: _note, ...message } = await lose(platform, { chatId, text: 'once', key: 'k' })
  await expect.poll(() => platform.find?.(message)).toEqual({ messageId: fake.deliveries()[0]?.messageId })
  expect(await platform.find?.({ ...message, key: 'other' })).toBeUndefined()
})

test.each([
  ['in a direct message', undefined],
  ['in a channel', 'lab'],
])('after a restart a message %s is found by its note, with 600 behind it', async (_name, group) => {
  const { fake, platform, close, restart } = await home()
  const ada = fake.member(group === undefined ? {} : { group })
  const message = { chatId: ada.chatId, ...(group && { threadId: 'Café' }), text: ' once \n', key: 'k' }
  await platform.send({ ...message, key: 'k0' })
  fake.failSends('unanswered')
  const lost = await lose(platform, message)
  await close()
  const next = await restart()
  for (let at = 0; at < 600; at++) await next.platform.send({ ...message, text: `noise ${at}`, key: `n${at}` })
  const found = await next.platform.find?.(lost)
  expect(found).toMatchObject({ messageId: fake.deliveries()[1]?.messageId, at: expect.any(Number) })
})

test('one that did not arrive is not found: not by the same words before it, in another topic, chat or under another key', async () => {
  const { fake, platform, close, restart } = await home()
  const [ada, bob] = [fake.member({ group: 'lab' }), fake.member()]
  const message = { chatId: ada.chatId, threadId: 'one', text: 'same words', key: 'k' }
  await platform.send({ ...message, key: 'before' })
  fake.failSends('lost')
  const lost = await lose(platform, message)
  await platform.send({ ...message, key: 'after' })
  expect(await platform.find?.(lost)).toBeUndefined()
  fake.failSends('lost')
  const other = await lose(platform, { ...message, key: 'k2' })
  await platform.send({ ...message, threadId: 'two', key: 'k3' })
  await platform.send({ chatId: bob.chatId, text: 'same words', key: 'k4' })
  await ada.say('same words', { threadId: 'one' })
  await close()
  const next = await restart()
  expect(await next.platform.find?.(other)).toBeUndefined()
})

test('a message with files is found by the words that it had, not by those of a later attempt', async () => {
  const { fake, platform, close, restart } = await home()
  const { chatId } = fake.member()
  fake.failSends('unanswered')
  const files = [outboundFile('a.txt', 'a')]
  const lost = await lose(platform, { chatId, text: 'with a file', key: 'k', files })
  await close()
  const next = await restart()
  const found = await next.platform.find?.({ ...lost, text: 'with a file, and more' })
  expect(found?.messageId).toBe(fake.deliveries()[0]?.messageId)
})

test('a topic is the same in upper case; what a person has moved elsewhere is not found', async () => {
  const { fake, platform, close, restart } = await home()
  const { chatId } = fake.member({ group: 'lab' })
  fake.failSends('unanswered', 2)
  const first = await lose(platform, { chatId, threadId: 'Café', text: 'one', key: 'k1' })
  const second = await lose(platform, { chatId, threadId: 'Café', text: 'two', key: 'k2' })
  await close()
  const [one, two] = fake.deliveries().map(({ messageId }) => messageId)
  fake.move(one ?? '', 'CAFÉ')
  fake.move(two ?? '', 'Garden')
  const next = await restart()
  expect(await next.platform.find?.(first)).toMatchObject({ messageId: one })
  expect(await next.platform.find?.(second)).toBeUndefined()
})

test('a note that cannot be written keeps the message back', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const writeNote = () => {
    throw new Error('the disk is full')
  }
  await expect(platform.send({ chatId, text: 'x', key: 'k', writeNote })).rejects.toThrow('the disk is full')
  expect(fake.deliveries()).toEqual([])
})
