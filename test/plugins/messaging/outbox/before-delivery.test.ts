/** What other plugins make of a text before it leaves, and that each attempt sends the same. */
import type { PluginContext } from 'svc/sdk'
import { BeforeDelivery, type DeliveryContext, type DeliveryDraft } from 'svc/sdk/hooks'
import { deliveryBusy, deliveryUncertain, Outbox } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

type Listener = (draft: DeliveryDraft, context: DeliveryContext) => DeliveryDraft | undefined | Promise<DeliveryDraft>

/** A plugin that changes what leaves. */
function editor(listener: Listener, failure?: 'stop') {
  return {
    name: 'editor',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(BeforeDelivery, listener, failure === undefined ? {} : { failure }),
  }
}

test('a text leaves as the plugin returns it, cut for the platform, with secrets masked', async () => {
  const seen: DeliveryContext[] = []
  const { post, said, outbox } = await stage({
    platform: { limits: { maxTextLength: 40 } },
    with: [
      editor(({ text }, context) => {
        seen.push(context)
        return { text: `${text}\n\n${'-- sent by the agent of Ada. '.repeat(2)}` }
      }),
    ],
  })
  post('hello', { key: 'k1' })
  await outbox.idle()
  expect(seen).toEqual([{ key: 'k1', platform: 'fake', chatId: 'ada', isDraft: false }])
  expect(said().length).toBeGreaterThan(1)
  expect(said().join(' ')).toMatch(/^hello[\s\S]*agent of Ada[\s\S]*agent of Ada/)
  expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true)
})

test('the order of what is posted at once stays, whatever a plugin takes its time for', async () => {
  const { post, said, outbox } = await stage({
    with: [
      editor(async ({ text }) => {
        await new Promise((resolve) => setTimeout(resolve, text === 'one' ? 20 : 0))
        return { text: text.toUpperCase() }
      }),
    ],
  })
  for (const text of ['one', 'two', 'three']) post(text)
  await outbox.idle()
  expect(said()).toEqual(['ONE', 'TWO', 'THREE'])
})

test('each attempt sends the text of the first one, although the plugin would answer otherwise by now', async () => {
  let count = 0
  const { post, said, outbox, clock, fake } = await stage({
    platform: { limits: { idempotency: 'key' } },
    with: [editor(({ text }) => ({ text: `${text} #${++count}` }))],
  })
  fake.failSends(deliveryBusy('TEST', 'later'), deliveryUncertain('TEST', 'perhaps'))
  post('hello')
  await clock.advance(60_000)
  await outbox.idle()
  expect(said()).toEqual(['hello #1'])
  expect(count).toBe(1)
  // The same message again is the same message.
  post('hello')
  await outbox.idle()
  expect([said(), count]).toEqual([['hello #1'], 1])
})

test('after a crash between two attempts the next process sends the text that was stored', async () => {
  let word = 'first'
  const plugin = editor(({ text }) => ({ text: `${text} ${word}` }))
  const before = await stage({ with: [plugin] })
  before.fake.failSends(deliveryBusy('TEST', 'later'))
  before.post('hello')
  await expect.poll(() => before.outbox.deliveries()[0]?.attempts).toBe(1)
  await expect.poll(before.states).toEqual(['pending'])
  before.stop()
  word = 'second'
  const after = await stage({ home: before.kernel.home, with: [plugin] })
  await after.clock.advance(60_000)
  await after.outbox.idle()
  expect(after.said()).toEqual(['hello first'])
})

test('a message that was posted where no platform was is changed where it leaves', async () => {
  const plugin = editor(({ text }) => ({ text: `${text}!` }))
  const first = await stage()
  first.stop()
  first.post('waits')
  const second = await stage({ home: first.kernel.home, with: [plugin] })
  await second.outbox.idle()
  expect(second.said()).toEqual(['waits!'])
})

test('an answer that grows is changed with each text of it, and edited in its place', async () => {
  const drafts: boolean[] = []
  const { post, fake, outbox, clock } = await stage({
    with: [
      editor(({ text }, { isDraft }) => {
        drafts.push(isDraft)
        return { text: text.replaceAll('mail', '[mail]') }
      }),
    ],
  })
  post('my mail', { key: 'k', isDraft: true })
  await outbox.idle()
  post('my mail is here', { key: 'k' })
  await clock.advance(5000)
  await outbox.idle()
  expect(fake.sent.at(-1)?.text).toBe('my [mail] is here')
  expect(outbox.deliveries()).toHaveLength(1)
  expect(drafts).toEqual([true, false])
})

test('a refused message fails with the reason, is not sent, and may be tried again by hand', async () => {
  let isRefused = true
  const { post, said, outbox, kernel } = await stage({
    with: [editor(({ text }) => (isRefused ? { text, refusal: 'it names a customer' } : undefined))],
  })
  post('hello')
  await outbox.idle()
  const [delivery] = outbox.deliveries()
  expect(delivery).toMatchObject({ state: 'failed', error: 'not sent: it names a customer', attempts: 0 })
  isRefused = false
  expect(kernel.use(Outbox).retry(delivery?.id ?? '')).toBe(true)
  await outbox.idle()
  expect(said()).toEqual(['hello'])
})

test('a failing listener leaves the text as it was; one that has to succeed keeps it back', async () => {
  const fail: Listener = () => {
    throw new Error('a defect')
  }
  const lenient = await stage({ with: [editor(fail)] })
  lenient.post('hello')
  await lenient.outbox.idle()
  expect(lenient.said()).toEqual(['hello'])
  const strict = await stage({ with: [editor(fail, 'stop')] })
  strict.post('hello')
  await strict.outbox.idle()
  expect(strict.said()).toEqual([])
  expect(strict.outbox.deliveries()[0]).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('editor failed'),
  })
})

test('a value that is no draft is not sent', async () => {
  const { post, said, outbox } = await stage({ with: [editor(() => ({ words: 'x' }) as never)] })
  post('hello')
  await outbox.idle()
  expect(said()).toEqual(['hello'])
})
