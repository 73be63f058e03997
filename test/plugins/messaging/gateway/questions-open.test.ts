/** A question that no one answers: the chat continues, and what was asked about is not done. */
import type { SlashCommand } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const menu: SlashCommand = {
  name: 'pick',
  description: 'Pick a colour',
  category: 'Test',
  run: async (_args, { conversation, signal }) => {
    const items = [
      { id: 'red', label: 'red' },
      { id: 'blue', label: 'blue' },
    ]
    const chosen = await conversation.front.choose?.({ title: 'Which colour?', items }, signal)
    return `picked ${chosen ?? 'nothing'}`
  },
}

const shown = async ({ said }: { said(): string[] }, words: RegExp) =>
  vi.waitFor(() => expect(said().join('\n')).toMatch(words), { timeout: 10_000 })

test('anyone who writes on instead of answering a question is answered, and nothing of the command is done', async () => {
  const place = await stage(['hello'], { platform: { limits: { buttons: 3 } } })
  const { fake, gateway, said, model } = place
  await fake.say('ada', '/new')
  await shown(place, /Continue\?/)
  await fake.say('ada', 'how are you?')
  await gateway.idle()
  expect(said()[0]).toMatch(/Continue\?\n\nThis question is no longer open\.$/)
  expect(said().slice(1)).toEqual(['Nothing was changed.', 'hello'])
  expect(model.requests).toHaveLength(1)
  await fake.say('ada', 'Yes', { press: fake.sent[0]?.buttons?.[0]?.value ?? '' })
  await gateway.idle()
  expect(said().at(-1)).toBe('This question is no longer open.')
})

test.for(['/status', '/whoami', '/stop', '/pick', '/new now'])('%s is answered while a menu waits', async (line) => {
  const place = await stage(['x'], { commands: [menu] })
  const { fake, gateway, said } = place
  await fake.say('ada', '/pick')
  await shown(place, /1\. red/)
  await fake.say('ada', line)
  await shown(place, /picked nothing/)
  const answer = {
    '/status': /Model: fake-1/,
    '/whoami': /ada/,
    '/stop': /Nothing is running/,
    '/new now': /New conv/,
  }
  if (line === '/pick') await fake.say('ada', '2')
  await shown(place, answer[line as keyof typeof answer] ?? /picked blue/)
  await gateway.idle()
  expect(said()).toContain('This question is no longer open.')
})

test('words that answer a menu choose from it, and a question that is let be is over after its time', async () => {
  const clock = virtualClock()
  const place = await stage(['x'], { commands: [menu], clock, config: { gateway: { question_seconds: 60 } } })
  const { fake, said, outbox } = place
  await fake.say('ada', '/pick')
  await shown(place, /1\. red/)
  await vi.waitFor(() => expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
  await fake.say('ada', 'Blue.')
  await shown(place, /picked blue/)
  await fake.say('ada', '/pick')
  await vi.waitFor(() => expect(said().filter((text) => /1\. red/.test(text))).toHaveLength(2), { timeout: 10_000 })
  await clock.advance(59_000)
  expect(said().join()).not.toMatch(/picked nothing/)
  await clock.advance(2000)
  await shown(place, /This question is no longer open[\s\S]*picked nothing/)
})

test('a command that takes long holds back neither /status nor /stop, and words wait for it', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow: SlashCommand = {
    name: 'slow',
    description: 'Take long',
    category: 'Test',
    run: async () => gate.then(() => 'slow is done'),
  }
  const place = await stage(['hello'], { commands: [slow] })
  const { fake, gateway, said } = place
  await fake.say('ada', '/slow')
  await fake.say('ada', '/status')
  await shown(place, /Model: fake-1/)
  await fake.say('ada', 'hi')
  open()
  await gateway.idle()
  expect(said().slice(1)).toEqual(['slow is done', 'hello'])
})

test('an approval that other words pass by, or that no one answers, is a refusal', async () => {
  const clock = virtualClock()
  const asked = { calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }
  const plugins = ['tool-terminal', 'approvals']
  const config = { approvals: { timeout: 30 }, display: { busy_input_mode: 'queue' } }
  const place = await stage([asked, 'Then not.', asked, 'Not again.'], { plugins, config, clock })
  const { fake, gateway, model, said } = place
  await fake.say('ada', 'clean up')
  await shown(place, /rm -rf src/)
  await fake.say('ada', 'what is the weather?')
  await fake.say('ada', '/status')
  await shown(place, /Model: fake-1/)
  await clock.advance(31_000)
  await vi.waitFor(() => expect(said().filter((text) => /rm -rf src/.test(text))).toHaveLength(2), { timeout: 10_000 })
  await clock.advance(31_000)
  await gateway.idle()
  const results = model.requests.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool')
  expect(results.length).toBeGreaterThan(1)
  for (const { text } of results) expect(text).toMatch(/no answer came/)
})
