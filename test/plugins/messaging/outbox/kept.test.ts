/** What stays on disk, for how long, and what is done with it by hand, by another process and at the next connection. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Secrets } from 'svc/sdk'
import { deliveryBusy, deliveryRefused, deliveryUncertain, Outbox } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OutboxStore } from '../../../../plugins/messaging/outbox/store.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const DAY_MS = 86_400_000
const takesFiles = { limits: { files: 1000 } }

/** A send that hangs until it is let go. */
function held() {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  return { gate, release: () => release() }
}

const createFile = (text: string) => ({ name: 'notes.txt', bytes: Buffer.from(text) })

test('after a month what was delivered is forgotten with its files, and after a year all the rest', async () => {
  const { post, outbox, fake, clock, stop, platform, kernel } = await stage({ platform: takesFiles })
  const folder = join(kernel.home, 'data', 'outbox', 'files')
  const sent = post('sent', { files: [createFile('x')] }).id
  await outbox.idle()
  fake.failSends(deliveryRefused('TEST', 'The chat is gone.'), deliveryRefused('TEST', 'The chat is gone.'))
  const failed = post('refused', { files: [createFile('y')] }).id
  const waiting = { platform: 'pigeon', chatId: 'coop', key: 'waits', text: 'waits' }
  const kept = outbox.post(waiting).id
  await outbox.idle()
  // The copy of what arrived has done its work.
  expect(readdirSync(folder)).toHaveLength(1)
  stop()
  await clock.jump(31 * DAY_MS)
  const serving = outbox.serve(platform)
  expect(new Set(outbox.deliveries().map(({ id }) => id.split('.')[0]))).toEqual(new Set([failed]))
  expect(readdirSync(folder)).toHaveLength(1)
  // The same message is known still, also while no one serves its platform; the one that arrived is not.
  expect(outbox.post(waiting).id).toBe(kept)
  expect(post('sent').id).not.toBe(sent)
  await outbox.idle()
  serving()
  await clock.jump(366 * DAY_MS)
  // Their time ends while no one looks: what is unknown at the next connection goes as well, but that may be far. Upkeep that meets a
  // busy database tries again a second later.
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return readdirSync(folder)
    })
    .toEqual([])
  outbox.serve(platform)
  expect(outbox.deliveries()).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  expect(outbox.post(waiting).id).not.toBe(kept)
})

test('a connection that is made again does not repeat what the one before is still sending', async () => {
  const { post, said, states, outbox, platform } = await stage({ platform: { limits: { idempotency: 'none' } } })
  const { send } = platform
  const { gate, release } = held()
  const sending = vi.fn(async (message: Parameters<typeof send>[0]) => {
    await gate
    return send.call(platform, message)
  })
  platform.send = sending
  post('hello')
  await vi.waitFor(() => expect(sending).toHaveBeenCalled())
  outbox.serve(platform)
  expect(states()).toEqual(['attempting'])
  release()
  await vi.waitFor(() => expect([said(), states()]).toEqual([['hello'], ['delivered']]))
  await outbox.idle()
  expect(sending).toHaveBeenCalledTimes(1)
})

test('nothing is retried or dropped that was delivered or is being sent', async () => {
  const { post, said, states, outbox, platform, kernel } = await stage()
  post('hello')
  await outbox.idle()
  const id = outbox.deliveries()[0]?.id ?? ''
  expect(outbox.retry(id)).toBe(false)
  expect(outbox.drop(id)).toBe(false)
  expect((await kernel.run(['outbox', 'retry', id])).code).not.toBe(0)
  expect([said(), states()]).toEqual([['hello'], ['delivered']])
  const { send } = platform
  const { gate, release } = held()
  platform.send = async (message) => {
    await gate
    return send.call(platform, message)
  }
  post('under way')
  await vi.waitFor(() => expect(states()[0]).toBe('attempting'))
  const [underWay] = outbox.deliveries()
  expect(outbox.retry(underWay?.id ?? '')).toBe(false)
  expect(outbox.drop(underWay?.id ?? '')).toBe(false)
  release()
  await outbox.idle()
  expect(states()).toEqual(['delivered', 'delivered'])
})

test('a secret is masked in the words and on the buttons of a message', async () => {
  const { post, outbox, fake, kernel } = await stage({ platform: { limits: { buttons: 3 } } })
  kernel.use(Secrets).protect('hunter2-and-more-of-it')
  post('is it hunter2-and-more-of-it?', { buttons: [{ value: 'y', label: 'Use hunter2-and-more-of-it' }] })
  await outbox.idle()
  expect(fake.sent[0]).toMatchObject({ text: 'is it ***?', buttons: [{ value: 'y', label: 'Use ***' }] })
})

test('what was posted where its platform was not known leaves where it is', async () => {
  const home = temporaryFolder()
  const before = await testKernel({ plugins: ['outbox', 'markup'], home, clock: virtualClock() })
  before.use(Outbox).post({ platform: 'fake', chatId: 'ada', key: 'early', text: 'early' })
  await before.stop()
  const { said, outbox } = await stage({ home })
  await outbox.idle()
  expect(said()).toEqual(['early'])
})

test('what another process posts leaves within seconds, from the one that is connected', async () => {
  const first = await stage()
  const other = await testKernel({ plugins: ['outbox', 'markup'], home: first.kernel.home, clock: virtualClock() })
  onTestFinished(() => other.stop())
  const known = await stage({ home: first.kernel.home })
  known.stop()
  other.use(Outbox).post({ platform: 'fake', chatId: 'ada', key: 'whole', text: 'whole' })
  known.post('in parts', { chatId: 'bob' })
  await first.clock.advance(4100)
  await first.outbox.idle()
  expect([...first.said()].sort()).toEqual(['in parts', 'whole'])
  expect(known.said()).toEqual([])
})

test('what is to leave survives a power cut before anyone is told that it was taken', async () => {
  const { kernel } = await stage()
  const asked: unknown[] = []
  const storage = kernel.use(Storage)
  const watched: Storage = {
    open(options) {
      const database = storage.open(options)
      const transaction: typeof database.transaction = (work, how) => {
        asked.push(how?.sync)
        return database.transaction(work, how)
      }
      return Object.assign(Object.create(database) as typeof database, {
        transaction,
        prepare: (sql: string) => database.prepare(sql),
        close: () => database.close(),
      })
    },
  }
  const store = new OutboxStore({
    storage: () => watched,
    file: join(temporaryFolder(), 'outbox.db'),
    clock: virtualClock,
    forgotten: () => {},
  })
  onTestFinished(async () => void (await store.close()))
  store.step(() => store.byKey('any'))
  expect(asked).toEqual([true])
})

test('a message that the platform never has time for is given up after a day, and says so', async () => {
  const { post, said, states, outbox, clock, platform } = await stage()
  platform.send = async () => {
    throw deliveryBusy('TEST', 'too fast', { retryAfterMs: 8 * 3_600_000 })
  }
  post('hello')
  for (let shifts = 0; shifts < 5 && states()[0] !== 'failed'; shifts++) await clock.advance(8.1 * 3_600_000)
  expect(said()).toEqual([])
  expect(outbox.deliveries()[0]).toMatchObject({ state: 'failed', error: 'given up after a day: too fast' })
})

test('doubt about a message outlives a busy platform: it is looked up before it is sent again', async () => {
  const { post, said, fake, clock, outbox, platform } = await stage({ platform: { limits: { idempotency: 'lookup' } } })
  const asked = vi.fn(async () => {
    if (asked.mock.calls.length === 1) throw deliveryBusy('TEST', 'too fast', { retryAfterMs: 1000 })
    return { messageId: 'known' }
  })
  platform.find = asked
  fake.failSends(deliveryUncertain('TEST', 'cut'))
  post('arrived')
  await vi.waitFor(() => expect(outbox.deliveries()[0]?.attempts).toBe(1))
  for (let at = 0; at < 10; at++) await clock.advance(2000)
  await outbox.idle()
  expect(said()).toEqual([])
  expect(outbox.deliveries()[0]).toMatchObject({ state: 'delivered', messageId: 'known' })
})
