/** Where the parts of a message go, what stands on them, and what becomes of an edit. */
import { deliveryBusy, deliveryRefused, deliveryUncertain, type OutboundMessageEdit } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
const choice = [{ value: 'y', label: 'Yes' }]

test('of a message in pieces the first answers, the last has the buttons, and all are in the thread', async () => {
  const { post, outbox, fake } = await stage({ platform: { limits: { maxTextLength: 120, buttons: 3 } } })
  post(words(60), { threadId: 'topic', replyTo: '7', buttons: choice })
  await outbox.idle()
  const count = fake.sent.length
  expect(count).toBeGreaterThan(2)
  expect(fake.sent.map(({ replyTo }) => replyTo)).toEqual(['7', ...Array.from({ length: count - 1 }, () => undefined)])
  expect(fake.sent.map(({ buttons = [] }) => buttons.length)).toEqual([
    ...Array.from({ length: count - 1 }, () => 0),
    1,
  ])
  expect(new Set(fake.sent.map(({ chatId, threadId }) => `${chatId} ${threadId}`))).toEqual(new Set(['ada topic']))
})

test('threads of one chat do not mix: an edit goes to the thread of its message', async () => {
  const { post, outbox, platform, clock } = await stage()
  const edits: OutboundMessageEdit[] = []
  const { edit } = platform
  platform.edit = async (given) => {
    edits.push(given)
    await edit?.call(platform, given)
  }
  post('one', { key: 'a', threadId: 'first' })
  post('two', { key: 'b', threadId: 'second' })
  await outbox.idle()
  post('one more', { key: 'a' })
  await clock.advance(2000)
  await outbox.idle()
  expect(edits).toMatchObject([{ chatId: 'ada', threadId: 'first', text: 'one more', isFinal: true }])
})

test('a text that is changed while it is being sent is what stands there at the end', async () => {
  const { post, said, outbox, platform, clock, fake } = await stage()
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { send } = platform
  const sending = vi.fn(async (message: Parameters<typeof send>[0]) => {
    await gate
    return send.call(platform, message)
  })
  platform.send = sending
  post('before', { key: 'a' })
  await vi.waitFor(() => expect(sending).toHaveBeenCalled())
  post('after', { key: 'a' })
  release()
  await vi.waitFor(() => expect(fake.sent).toHaveLength(1))
  await clock.advance(2000)
  await outbox.idle()
  expect(said()).toEqual(['after'])
})

test('what cannot be edited any more is sent again, once, and not swallowed as a repetition', async () => {
  const { post, said, states, outbox, platform, clock } = await stage()
  platform.edit = async () => {
    throw deliveryRefused('TEST', 'too old to be edited')
  }
  post('one', { key: 'a' })
  await outbox.idle()
  post('two', { key: 'a' })
  await clock.advance(5000)
  await outbox.idle()
  expect([said(), states()]).toEqual([['one', 'two'], ['delivered']])
  post('three', { key: 'a' })
  await clock.advance(5000)
  await outbox.idle()
  expect(said()).toEqual(['one', 'two'])
  expect(outbox.deliveries()[0]).toMatchObject({ state: 'failed', error: 'too old to be edited' })
})

test('an edit that no one saw the answer of is made again, whatever the platform knows of messages', async () => {
  const { post, said, states, outbox, platform, clock } = await stage({ platform: { limits: { idempotency: 'none' } } })
  const { edit } = platform
  let isCut = true
  platform.edit = async (given) => {
    if (isCut) {
      isCut = false
      throw deliveryUncertain('TEST', 'cut')
    }
    await edit?.call(platform, given)
  }
  post('half', { key: 'a' })
  await outbox.idle()
  post('whole', { key: 'a' })
  await clock.advance(5000)
  await outbox.idle()
  expect([said(), states()]).toEqual([['whole'], ['delivered']])
})

test('an answer that became shorter leaves none of its words behind', async () => {
  const { post, said, outbox, clock } = await stage({ platform: { limits: { maxTextLength: 120 } } })
  post(words(40), { key: 'a', isDraft: true })
  await outbox.idle()
  const before = said().length
  post('short', { key: 'a' })
  await clock.advance(5000)
  await outbox.idle()
  expect(said()).toEqual(['short', ...Array.from({ length: before - 1 }, () => '…')])
})

test('a draft whose first piece may have arrived is followed by the whole answer, which says so', async () => {
  const { post, said, states, outbox, fake } = await stage({ platform: { limits: { idempotency: 'none' } } })
  fake.failSends(deliveryUncertain('TEST', 'cut'))
  post('Hel', { key: 'a', isDraft: true })
  await vi.waitFor(() => expect(states()).toEqual(['uncertain']))
  post('Hello Ada', { key: 'a' })
  await outbox.idle()
  expect(said().join()).toMatch(/Sent whole[\s\S]*Hello Ada/)
})

test('a platform that is not connected any more is not written to, nor is anything tried there again', async () => {
  const { post, outbox, platform, stop, clock, fake } = await stage()
  const send = vi.spyOn(platform, 'send')
  fake.failSends(deliveryBusy('TEST', 'too fast', { retryAfterMs: 1000 }))
  post('tried')
  await vi.waitFor(() => expect(outbox.deliveries()[0]).toMatchObject({ state: 'pending', attempts: 1 }))
  stop()
  post('later')
  await clock.advance(600_000)
  await outbox.idle()
  expect(send).toHaveBeenCalledTimes(1)
})
