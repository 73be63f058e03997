/** What tools and commands ask of people in a chat. */
import type { Person, SlashCommand } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { askingTool, callsAskPerson } from '../../../support/asking-tool.ts'
import { stage } from './stage.ts'

type Place = Awaited<ReturnType<typeof stage>>

/** A chat in which the model calls a tool that asks, once for each message. */
async function open(asks: (person: Person) => Promise<unknown>, options: Parameters<typeof stage>[1] = {}) {
  const place = await stage(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : callsAskPerson), {
    ...options,
    with: [askingTool(asks)],
  } as never)
  const answer = () => place.model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text
  return { ...place, answer }
}

/** Waits until the words stand in the chat, with their receipt. */
async function shown({ said, outbox }: Pick<Place, 'said' | 'outbox'>, words: RegExp) {
  await vi.waitFor(() => expect(said().join('\n')).toMatch(words), { timeout: 10_000 })
  await vi.waitFor(() => expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
}

test('a tool asks in numbered text where a platform has no buttons', async () => {
  const place = await open(async (person) => [
    await person.confirm('Push?'),
    await person.choose({ title: 'Which branch?', items: ['main', 'next'] }),
    await person.ask('Your name?'),
    await person.edit('The message', { text: 'old\nwords' }),
    await person.edit('Another', { text: 'kept' }),
  ])
  const { fake, gateway, answer } = place
  await fake.say('ada', 'go')
  await shown(place, /Push\?\n\n1\. Yes\n2\. No/)
  await fake.say('ada', 'yes')
  await shown(place, /Which branch\?\n\n1\. main\n2\. next/)
  await fake.say('ada', '2')
  await shown(place, /Your name\?/)
  await fake.say('ada', 'Anna')
  await shown(place, /old\nwords[\s\S]*Answer with the new text\./)
  await fake.say('ada', 'new\n\nwords')
  await shown(place, /Another/)
  await fake.say('ada', '1')
  await gateway.idle()
  expect(answer()).toBe('[true,"next","Anna","new\\n\\nwords","kept"]')
})

test('buttons answer where a platform has them, and say what was chosen', async () => {
  const place = await open((person) => person.confirm('Push?'), { platform: { limits: { buttons: 3 } } })
  const { fake, gateway, answer, said } = place
  await fake.say('ada', 'go')
  await shown(place, /Push\?/)
  const [yes] = fake.sent.at(-1)?.buttons ?? []
  await fake.say('ada', 'Yes', { press: yes?.value ?? '' })
  await gateway.idle()
  expect(answer()).toBe('true')
  expect(said().join('\n')).toContain('Push?\n\nYes')
})

test('a time limit is said, and at its end the question goes away', async () => {
  const clock = virtualClock()
  const place = await open((person) => person.confirm('Push?', { timeoutMs: 120_000 }), { clock })
  const { fake, gateway, answer } = place
  await fake.say('ada', 'go')
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(place.said().join('\n')).toMatch(/Push\?\n\nAnswer within \S+/)
  })
  await clock.advance(121_000)
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(place.said().join('\n')).toContain('This question is no longer open.')
  })
  await gateway.idle()
  expect(answer()).toBe('no answer')
})

test('other words do not answer what a turn asks, and it waits longer than the question of a command', async () => {
  const clock = virtualClock()
  const config = { display: { busy_input_mode: 'queue' }, gateway: { question_seconds: 60, inactivity_seconds: 300 } }
  const place = await open((person) => person.confirm('Push?'), { clock, config })
  const { fake, gateway, answer, outbox, said } = place
  await fake.say('ada', 'go')
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(said().join('\n')).toMatch(/Push\?/)
    expect(outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true)
  })
  await fake.say('ada', 'what is this about?')
  await clock.advance(1_200_000)
  expect(said().join('\n')).not.toMatch(/so I stopped|no longer open/)
  await fake.say('ada', 'no')
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(answer()).toBe('false')
  })
  void gateway
})

test('a secret is never asked for in a chat', async () => {
  const place = await open((person) => person.ask('Password?', { secret: true }))
  const { fake, gateway, answer, said } = place
  await fake.say('ada', 'go')
  await gateway.idle()
  expect(answer()).toBe('no answer')
  expect(said().join('\n')).toContain('never in a chat')
  expect(said().join('\n')).not.toContain('Password?')
})

const deploy: SlashCommand = {
  name: 'deploy',
  description: 'Deploy',
  category: 'Test',
  run: async (_args, { person }) => `deployed: ${await person.confirm('Deploy to production?')}`,
}

test('in a chat of two people only those who may use a command answer for it', async () => {
  const settings = { allow_from: ['ada', 'ben'], group_allow_admin_from: ['ada'], group_sessions_per_user: false }
  const place = await stage(['x'], { commands: [deploy], plugins: ['access'], platform: { settings } })
  const { fake, gateway, said } = place
  const group = { chatId: 'room', chatKind: 'group', isMention: true } as const
  await fake.say('ada', '/deploy', group)
  await shown(place, /Deploy to production\?/)
  await fake.say('ben', 'yes', group)
  await shown(place, /You are not allowed to answer this\./)
  expect(said().join('\n')).not.toContain('deployed')
  await fake.say('ada', 'yes', group)
  await gateway.idle()
  expect(said().at(-1)).toBe('deployed: true')
})
