/** Who answers what: words answer only a question that was in the chat before they were written. */
import fc from 'fast-check'
import { deliveryBusy } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { Prompts, promptKey, type Written } from '../../../../plugins/messaging/gateway/chat-questions.ts'
import { stage } from './stage.ts'

const asked = { calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }
/** A message does not interrupt the turn that waits for an answer. */
const config = { display: { busy_input_mode: 'queue' } }
const hiccup = () => deliveryBusy('FAKE_BUSY', 'The platform is busy.')

/** A chat with questions whose receipts come when a test says so. */
function chat() {
  const receipts = new Map<string, number>()
  const prompts = new Prompts(() => undefined, { buttons: 0, shownAt: (key) => receipts.get(key) })
  const answered: string[] = []
  const asked = new Set<string>()
  return {
    answered,
    shownAt: (id: string) => receipts.get(promptKey(id)) ?? Number.POSITIVE_INFINITY,
    deliver: (id: string, at: number) => {
      if (asked.has(id) && !receipts.has(promptKey(id))) receipts.set(promptKey(id), at)
    },
    say: (written: Written) => prompts.take(written, () => true),
    ask: (id: string, isFree: boolean) => {
      if (asked.has(id)) return
      asked.add(id)
      const options = isFree ? [] : [{ id: 'once', label: 'Allow once', words: ['yes'] }]
      const given = prompts.ask({ id, text: id, options, isFree }, new AbortController().signal)
      void given.then(() => answered.push(id))
    },
  }
}

type Chat = ReturnType<typeof chat>
type Step = (chat: Chat, now: number) => Promise<void> | void

const ids = fc.constantFrom('a', 'b', 'c')
const asks = fc.tuple(ids, fc.boolean()).map(
  ([id, isFree]): Step =>
    ({ ask }) =>
      ask(id, isFree),
)
const delivers = ids.map(
  (id): Step =>
    ({ deliver }, now) =>
      deliver(id, now),
)
const texts = fc.constantFrom('yes', '1', 'please paint it red')
const says = fc.tuple(texts, fc.constantFrom(undefined, 0, 1, 3, 8)).map(
  ([text, late]): Step =>
    async (at, now) => {
      const writtenAt = late === undefined ? {} : { writtenAt: now - late }
      const before = at.answered.length
      at.say({ text, receivedAt: now, ...writtenAt })
      await new Promise(setImmediate)
      for (const id of at.answered.slice(before)) expect(at.shownAt(id)).toBeLessThan(now - (late ?? 0))
    },
)

test('words answer a question only when its receipt is older than they are, in every order of receipts and words', async () => {
  let answers = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(asks, delivers, says), { minLength: 3, maxLength: 20 }), async (steps) => {
      const place = chat()
      for (const [at, step] of steps.entries()) await step(place, 1000 + at * 2)
      answers += place.answered.length
    }),
    { numRuns: 300 },
  )
  expect(answers).toBeGreaterThan(20)
})

test('the newest question that was shown is answered, not a newer one that is still on its way', async () => {
  const { answered, ask, deliver, say } = chat()
  ask('a', false)
  deliver('a', 1000)
  ask('b', false)
  expect(say({ text: 'yes', writtenAt: 2000, receivedAt: 2000 })).toBe('answered')
  await new Promise(setImmediate)
  expect(answered).toEqual(['a'])
})

test('a yes that is written while the question cannot be delivered approves nothing, and the question can be answered later', async () => {
  const clock = virtualClock()
  const { fake, gateway, said, model, outbox } = await stage([asked, 'Clean.', 'Why yes?'], {
    plugins: ['tool-terminal', 'approvals'],
    config,
    clock,
  })
  fake.failSends(hiccup(), hiccup())
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(outbox.deliveries().some(({ error }) => error)).toBe(true), { timeout: 10_000 })
  await fake.say('ada', 'yes')
  await fake.say('ada', '/approve')
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(model.requests).toHaveLength(1)
  await clock.advance(20_000)
  await vi.waitFor(() => expect(said().join()).toMatch(/rm -rf src/))
  expect(said().join()).not.toMatch(/\n\nAllow once$/)
  await vi.waitFor(() => expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
  await fake.say('ada', 'no')
  await gateway.idle()
  const results = model.requests.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool')
  expect(results[0]?.text).toMatch(/said no/)
})

test('a new request that was written before a free question was shown is a request, not the answer', async () => {
  const clarify = { calls: [{ name: 'clarify', input: { question: 'Which colour?' } }] }
  const clock = virtualClock()
  const { fake, gateway, model, outbox, said } = await stage([clarify, 'Painted.', 'Later.'], {
    plugins: ['tool-clarify'],
    config,
    clock,
  })
  fake.failSends(hiccup())
  await fake.say('ada', 'paint it')
  await vi.waitFor(() => expect(outbox.deliveries().some(({ error }) => error)).toBe(true))
  await fake.say('ada', 'and book a flight to Oslo')
  await clock.advance(5000)
  await vi.waitFor(() => expect(said().join()).toMatch(/Which colour/))
  await vi.waitFor(() => expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
  await fake.say('ada', 'blue')
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(model.requests.length).toBeGreaterThan(1)
  })
  await gateway.idle()
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(results.map(({ text }) => text).join()).toContain('blue')
  expect(results.map(({ text }) => text).join()).not.toContain('Oslo')
})

test('words that the platform dates before the receipt are no answer, however late they come in, and the person is told', async () => {
  const { fake, said, model, outbox } = await stage([asked, 'Clean.'], { plugins: ['tool-terminal', 'approvals'] })
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(outbox.deliveries({ state: 'delivered' }).length).toBe(1))
  await fake.say('ada', 'yes', { at: Date.now() - 60_000 })
  await vi.waitFor(() => expect(said().join()).toMatch(/written before the question was shown/))
  expect(model.requests).toHaveLength(1)
})

test('a question is shown only when all of its messages were taken', async () => {
  const command = `rm -rf src # ${'x'.repeat(3000)} end-of-command`
  const { fake, gateway, said, model, outbox } = await stage(
    [{ calls: [{ name: 'terminal', input: { command } }] }, 'Then not.'],
    { plugins: ['tool-terminal', 'approvals'], platform: { limits: { maxTextLength: 500, buttons: 5 } } },
  )
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(said().join('')).toMatch(/end-of-command/))
  await vi.waitFor(() => expect(outbox.deliveries({ state: 'delivered' }).length).toBeGreaterThan(5))
  expect(said().join('').match(/x/g)?.length).toBeGreaterThanOrEqual(3000)
  // What is decided stands above the buttons: they are under the last message.
  expect(fake.sent.filter(({ buttons }) => buttons?.length).map(({ messageId }) => messageId)).toEqual([
    fake.sent.at(-1)?.messageId,
  ])
  await vi.waitFor(() => expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
  await fake.say('ada', 'no')
  await gateway.idle()
  expect(model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text).toMatch(/said no/)
})
