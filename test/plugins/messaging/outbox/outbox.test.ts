import { deliveryBusy, deliveryRefused, deliveryUncertain } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const wait = (retryAfterMs: number) => deliveryBusy('TEST_BUSY', 'too fast', { retryAfterMs })

test('messages of one chat arrive in order, also when the first has to wait', async () => {
  const { post, said, fake, clock, outbox } = await stage()
  fake.failSends(wait(5000))
  post('one')
  post('two')
  post('elsewhere', { chatId: 'bob' })
  await vi.waitFor(() => expect(said()).toEqual(['elsewhere']))
  await clock.advance(4900)
  expect(said()).toEqual(['elsewhere'])
  await clock.advance(200)
  await outbox.idle()
  expect(said()).toEqual(['elsewhere', 'one', 'two'])
})

test('the same key makes one message, even if another caller posts it again', async () => {
  const { post, said, outbox } = await stage()
  post('hello')
  post('hello')
  await outbox.idle()
  post('hello')
  await outbox.idle()
  expect(said()).toEqual(['hello'])
})

test('a message that no one saw the answer of is sent again under its key where the platform knows keys', async () => {
  const { post, said, fake, clock, outbox } = await stage({ platform: { limits: { idempotency: 'key' } } })
  fake.failSends(deliveryUncertain('TEST', 'cut'))
  post('hello')
  await vi.waitFor(() => expect(outbox.deliveries()[0]?.attempts).toBe(1))
  await clock.advance(2000)
  await outbox.idle()
  expect(said()).toEqual(['hello'])
})

test('a message that no one saw the answer of is uncertain where nothing tells, until a person decides', async () => {
  const { post, said, fake, clock, outbox, states, kernel } = await stage({
    platform: { limits: { idempotency: 'none' } },
  })
  fake.failSends(deliveryUncertain('TEST', 'the connection broke'))
  post('hello')
  post('next')
  await vi.waitFor(() => expect(states()).toEqual(['delivered', 'uncertain']))
  await clock.advance(86_400_000)
  expect(said()).toEqual(['next'])
  expect(outbox.counts()).toEqual({ pending: 0, attempting: 0, uncertain: 1, failed: 0 })
  const [waiting] = outbox.deliveries({ state: 'uncertain' })
  expect(waiting).toMatchObject({ error: 'the connection broke', preview: 'hello' })
  expect((await kernel.run(['outbox', 'list', '--state', 'uncertain'])).out).toContain('hello')
  expect(await kernel.run(['outbox', 'retry', waiting?.id ?? ''])).toMatchObject({ code: 0 })
  await outbox.idle()
  expect(said()).toEqual(['next', 'hello'])
})

test('a platform that can look a message up is asked before it is sent again', async () => {
  const { said, fake, clock, outbox, platform, post } = await stage({ platform: { limits: { idempotency: 'lookup' } } })
  const asked: string[] = []
  platform.find = async ({ text }) => {
    asked.push(text)
    return text === 'arrived' ? { messageId: 'known' } : undefined
  }
  fake.failSends(deliveryUncertain('TEST', 'cut'), deliveryUncertain('TEST', 'cut'))
  post('arrived')
  post('lost', { chatId: 'bob' })
  await vi.waitFor(() => expect(outbox.deliveries().every(({ attempts }) => attempts === 1)).toBe(true))
  await clock.advance(2000)
  await outbox.idle()
  expect(asked.sort()).toEqual(['arrived', 'lost'])
  expect(said()).toEqual(['lost'])
  expect(outbox.deliveries({ key: 'arrived' })[0]).toMatchObject({ state: 'delivered', messageId: 'known' })
})

test('what the platform refuses is kept as failed with the reason, and what comes after it is sent', async () => {
  const { post, said, fake, outbox } = await stage()
  fake.failSends(deliveryRefused('TEST', 'The chat is gone.'))
  post('hello')
  post('next')
  await outbox.idle()
  expect(said()).toEqual(['next'])
  expect(outbox.deliveries({ state: 'failed' })[0]).toMatchObject({ error: 'The chat is gone.', preview: 'hello' })
})

test('when a message first stood in its chat is known while it is edited and afterwards', async () => {
  const { post, outbox, clock } = await stage()
  const [first] = [clock.now(), post('one', { key: 'k', isDraft: true })]
  await outbox.idle()
  const times = () => outbox.deliveries({ key: 'k' }).map((part) => [part.firstDeliveredAt, part.deliveredAt])
  const [[shown] = []] = times()
  expect(shown).toBeGreaterThanOrEqual(first)
  await clock.advance(60_000)
  post('two', { key: 'k' })
  expect(times()).toEqual([[shown, undefined]])
  await outbox.idle()
  const [[firstly, lately] = []] = times()
  expect(firstly).toBe(shown)
  expect(lately).toBeGreaterThanOrEqual(Number(shown) + 60_000)
})

test('a draft is edited until it is final, and a late draft changes nothing any more', async () => {
  const { post, said, clock, outbox, fake } = await stage()
  post('Hel', { key: 'a', isDraft: true })
  await outbox.idle()
  expect(said()).toEqual(['Hel'])
  post('Hello', { key: 'a', isDraft: true })
  post('Hello Ada', { key: 'a' })
  await clock.advance(1000)
  await outbox.idle()
  post('Hell', { key: 'a', isDraft: true })
  await outbox.idle()
  expect(said()).toEqual(['Hello Ada'])
  expect(fake.sent).toHaveLength(1)
})

test('a text over the limit is several messages, and each is sent once', async () => {
  const { post, said, outbox } = await stage({ platform: { limits: { maxTextLength: 120 } } })
  const text = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
  post(text)
  await outbox.idle()
  expect(said().length).toBeGreaterThan(2)
  expect(said().join(' ').split(/\s+/)).toEqual(text.split(' '))
})

test('messages leave as fast as the platform allows, and no faster', async () => {
  const { post, said, clock, outbox } = await stage({
    platform: { limits: { rate: { chat: { count: 2, perMs: 1000 } } } },
  })
  for (let at = 0; at < 6; at++) post(`message ${at}`)
  await vi.waitFor(() => expect(said()).toHaveLength(2))
  await clock.advance(999)
  expect(said()).toHaveLength(2)
  await clock.advance(2)
  await vi.waitFor(() => expect(said()).toHaveLength(4))
  await clock.advance(1001)
  await outbox.idle()
  expect(said()).toHaveLength(6)
})

test('a message for a platform that is not connected waits on disk for it', async () => {
  const { post, said, stop, outbox, platform } = await stage()
  stop()
  post('later')
  await outbox.idle()
  expect(said()).toEqual([])
  outbox.serve(platform)
  await outbox.idle()
  expect(said()).toEqual(['later'])
})

test('what was being sent when svc died is in doubt at the next start', async () => {
  const first = await stage({ platform: { limits: { idempotency: 'none' } } })
  const hanging = vi.fn(() => new Promise<never>(() => {}))
  first.platform.send = hanging
  first.post('hello')
  await vi.waitFor(() => expect(hanging).toHaveBeenCalled())
  const second = await stage({ home: first.kernel.home, platform: { limits: { idempotency: 'none' } } })
  await second.outbox.idle()
  expect(second.said()).toEqual([])
  expect(second.outbox.deliveries()[0]).toMatchObject({
    state: 'uncertain',
    error: 'svc stopped while it was being sent',
  })
})

test('a chat that no one knows is no target, unless the owner names it', async () => {
  const { outbox, said } = await stage({ platform: { settings: { home_channel: 'home' } } })
  const send = (target: string, more = {}) => outbox.send({ target, text: 'hi', key: target, ...more })
  expect(() => send('fake:stranger')).toThrow('There is no chat "fake:stranger"')
  expect(() => send('pigeon')).toThrow('There is no chat "pigeon"')
  outbox.know({ platform: 'fake', chatId: 'ada', threadId: 't:1', label: 'Ada' })
  send('fake')
  send('fake:ada:t:1')
  send('fake:new', { isOwners: true })
  await outbox.idle()
  expect(said()).toEqual(['hi', 'hi', 'hi'])
  expect(
    outbox
      .deliveries()
      .map(({ chatId }) => chatId)
      .sort(),
  ).toEqual(['ada', 'home', 'new'])
  expect(outbox.destinations().map(({ target }) => target)).toEqual(['fake', 'fake:ada:t:1'])
})

test('a draft whose first send no one saw the answer of says at the end what it is to say', async () => {
  const { post, said, fake, clock, outbox, platform } = await stage({ platform: { limits: { idempotency: 'key' } } })
  const { send } = platform
  let first = true
  platform.send = async (message) => {
    const receipt = await send.call(platform, message)
    if (!first) return receipt
    first = false
    throw deliveryUncertain('TEST', 'cut before the answer')
  }
  post('Hel', { key: 'a', isDraft: true })
  await vi.waitFor(() => expect(outbox.deliveries()[0]).toMatchObject({ attempts: 1, state: 'pending' }))
  post('Hello Ada', { key: 'a' })
  await clock.advance(3000)
  await outbox.idle()
  expect(said()).toEqual(['Hello Ada'])
  expect(fake.sent).toHaveLength(1)
})
