/** What a chat is told when someone comes, stops, interrupts, or gets no answer. */
import { deliveryUncertain } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const never = () => new Promise<void>(() => {})
const slowly = { timeout: 10_000 }

test('anyone who opens the chat is greeted without a word of the model, whatever the link carried', async () => {
  const { fake, gateway, said, model } = await stage([])
  await fake.say('ada', '/start')
  await fake.say('ada', '/start ref_42')
  await gateway.idle()
  expect(said()).toHaveLength(2)
  for (const text of said()) expect(text).toMatch(/^Hello\. .*\/help/)
  expect(model.requests).toHaveLength(0)
})

test('/stop says what it did, and nothing of what it stopped is done with the next message', async () => {
  const { fake, gateway, said, model } = await stage([{ text: 'x', gate: never() }, 'hello'])
  await fake.say('ada', '/stop')
  await vi.waitFor(() => expect(said()).toEqual(['Nothing is running.']), slowly)
  await fake.say('ada', 'delete it all')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), slowly)
  await fake.say('ada', 'and the copies')
  await fake.say('ada', '/stop')
  await gateway.idle()
  expect(said().slice(1)).toEqual(['Stopped.'])
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said().at(-1)).toBe('hello')
  expect(model.requests.at(-1)?.messages.at(-1)?.text).toBe('hi')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('copies')
})

test('anyone who writes during an answer is told that it was heard, once in a while', async () => {
  const clock = virtualClock()
  const { fake, said, model } = await stage([{ text: 'x', gate: never() }], { clock })
  await fake.say('ada', 'one')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), slowly)
  for (const [at, text] of ['two', 'three', 'four'].entries()) {
    await fake.say('ada', text)
    await clock.advance(at === 1 ? 31_000 : 400)
    await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(at + 1), slowly)
  }
  expect(said()).toEqual(Array.from({ length: 2 }, () => 'I have your message; it is next.'))
})

test('a text that a client cut in two is one message, also when its rest takes a second', async () => {
  const clock = virtualClock()
  const { fake, gateway, model } = await stage(['read'], { clock, platform: { limits: { maxTextLength: 1000 } } })
  await fake.say('ada', 'x'.repeat(1000))
  await clock.advance(1500)
  expect(model.requests).toHaveLength(0)
  await fake.say('ada', 'and the rest')
  await gateway.idle()
  expect(model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([`${'x'.repeat(1000)}\nand the rest`])
})

test('a model that has nothing to say is not quoted, unless its words stand in a sentence', async () => {
  const { fake, gateway, said } = await stage(['NO_REPLY', ' [SILENT]\n', 'Say NO_REPLY to be silent.'])
  for (const text of ['one', 'two', 'three']) {
    await fake.say('ada', text)
    await gateway.idle()
  }
  expect(said()).toEqual(['Say NO_REPLY to be silent.'])
})

test('a model that says nothing at all is told of in one message', async () => {
  const { fake, gateway, said } = await stage([''])
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said()).toEqual([expect.stringMatching(/^⚠️ The model ended its answer/)])
})

test('an answer that may not have arrived is told of once, and sent again only when the person says so', async () => {
  const platform = { limits: { idempotency: 'none' as const } }
  const home = temporaryFolder()
  const first = await stage(['the answer', 'next', 'after'], { home, platform })
  first.fake.failSends(deliveryUncertain('FAKE_CUT', 'The connection broke.'))
  await first.fake.say('ada', 'ask')
  await first.gateway.idle()
  expect(first.said()).toEqual([])
  await first.fake.say('bob', 'hi')
  await first.fake.say('ada', 'still there?')
  await first.gateway.idle()
  const notice = 'An earlier answer may not have arrived. /resend sends it again.'
  expect(first.said().filter((text) => text === notice)).toHaveLength(1)
  expect(first.fake.sent.find(({ text }) => text === notice)?.chatId).toBe('ada')
  await first.kernel.stop()
  const second = await stage(['later'], { home, platform })
  await second.fake.say('ada', 'and now?', { messageId: 'later-1' })
  await second.gateway.idle()
  expect(second.said()).toEqual(['later'])
  await second.fake.say('bob', '/resend', { messageId: 'later-2' })
  await second.gateway.idle()
  expect(second.said().slice(1)).toEqual(['Nothing to resend.'])
  await second.fake.say('ada', '/resend', { messageId: 'later-3' })
  await vi.waitFor(() => expect(second.said().slice(2)).toEqual(['the answer']), slowly)
  await second.fake.say('ada', '/resend', { messageId: 'later-4' })
  await vi.waitFor(() => expect(second.said().slice(3)).toEqual(['Nothing to resend.']), slowly)
})
