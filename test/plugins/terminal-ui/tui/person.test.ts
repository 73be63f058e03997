/** What tools ask of the person at the full screen. */
import type { Person } from 'svc/sdk'
import { fakeProvider } from 'svc/sdk/testing'
import { expect, it, vi } from 'vitest'
import { askingTool, callsAskPerson } from '../../../support/asking-tool.ts'
import { stage } from './stage.ts'

async function open(asks: (person: Person) => Promise<unknown>) {
  const fake = fakeProvider(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : callsAskPerson))
  const on = await stage(fake, { with: [askingTool(asks)] })
  await on.type('go', 'enter')
  const answer = () => fake.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text
  return { on, answer }
}

it('a text is edited in several lines, beginning with what is there', async () => {
  const { on, answer } = await open((person) => person.edit('The message of the commit', { text: 'Fix it\n\nBecaus' }))
  await on.seen('The message of the commit')
  expect(on.text()).toContain('Fix it')
  expect(on.text()).toContain('Enter accept · Ctrl-J new line · Esc cancel')
  await on.type('e', 'C-j')
  await on.type('it broke.')
  await on.key('up', 'up', 'up', 'C-e')
  await on.type('!')
  expect(on.text()).toContain('Fix it!')
  await on.key('enter')
  await on.settled()
  expect(answer()).toBe(JSON.stringify('Fix it!\n\nBecause\nit broke.'))
})

it('an edit is cancelled with Escape, and a pasted text keeps its lines', async () => {
  const { on, answer } = await open(async (person) => [await person.edit('One'), await person.edit('Two')])
  await on.seen('One')
  await on.key('escape')
  await on.seen('Two')
  on.screen.put({ type: 'paste', text: 'a\nb' })
  await on.key('enter')
  await on.settled()
  expect(answer()).toBe('[null,"a\\nb"]')
})

it('the time that is left counts down above the question, and at its end the question goes away', async () => {
  const { on, answer } = await open((person) => person.confirm('Push to main?', { timeoutMs: 30_000 }))
  await on.seen('Push to main?')
  expect(on.text()).toMatch(/0:30 left to answer *\n *Push to main\?/)
  await on.clock.advance(12_000)
  await on.drawn()
  expect(on.text()).toContain('0:18 left to answer')
  await on.clock.advance(18_000)
  await on.settled()
  expect(on.text()).not.toContain('left to answer')
  expect(answer()).toBe('no answer')
})

it('a choice, a line and a yes are answered with keys', async () => {
  const { on, answer } = await open(async (person) => [
    await person.choose({ title: 'Which branch?', items: ['main', 'next'] }),
    await person.ask('Your name?'),
    await person.confirm('Sure?'),
  ])
  await on.seen('Which branch?')
  await on.key('down', 'enter')
  await on.seen('Your name?')
  await on.type('Anna', 'enter')
  await on.seen('Sure?')
  await on.type('y')
  await on.settled()
  expect(answer()).toBe('["next","Anna",true]')
})

it('a secret is typed unseen', async () => {
  let got: string | undefined
  const { on } = await open(async (person) => {
    got = await person.ask('Password?', { secret: true })
    return got !== undefined
  })
  await on.seen('Password?')
  await on.type('hunter2')
  expect(on.text()).not.toContain('hunter2')
  await on.key('enter')
  await on.settled()
  expect(got).toBe('hunter2')
  expect(on.text()).not.toContain('hunter2')
})

it('a stopped turn takes its question off the screen', async () => {
  const { on } = await open((person) => person.ask('Your name?'))
  await on.seen('Your name?')
  on.conversation.stop()
  await on.settled()
  await vi.waitFor(async () => {
    await on.drawn()
    expect(on.text()).not.toContain('Enter send')
  })
})
