import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { sessionsFixture } from './support.ts'

const call: Message = { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', input: {} }] }
const messages: readonly Message[] = [
  { role: 'user', text: ' first\n\n question ' },
  call,
  { role: 'tool', callId: 'c1', text: 'seen "role":"tool"' },
  { role: 'assistant', text: 'answer' },
]

test('figures count what was recorded, and begin as the conversation is read', () => {
  const { store } = sessionsFixture()
  const [full, empty] = [store.create({ surface: 'test', cwd: '/' }), store.create({ surface: 'test', cwd: '/' })]
  full.record({ turnId: 't1', events: [], messages })
  expect(store.figures([full.id, empty.id, 'none'])).toEqual(
    new Map([
      [full.id, { answers: 2, toolCalls: 1, begins: 'first question' }],
      [empty.id, { answers: 0, toolCalls: 0 }],
    ]),
  )
  full.compress({ from: 0, to: 3, summary: [{ role: 'user', text: 'summary' }] })
  expect(store.figures([full.id]).get(full.id)).toEqual({ answers: 2, toolCalls: 1, begins: 'summary' })
  expect(store.figures([]).size).toBe(0)
})

test('roles are found in imported messages whose fields have another order', () => {
  const { store } = sessionsFixture()
  const session = store.create({ surface: 'test', cwd: '/' })
  const odd = [
    { text: 'deep', role: 'user' },
    { text: '{"role":"tool"}', role: 'assistant' },
  ] as const
  session.record({ turnId: 't1', events: [], messages: odd })
  expect(store.figures([session.id]).get(session.id)).toEqual({ answers: 1, toolCalls: 0, begins: 'deep' })
})

test('entries are the messages with the times at which they were recorded, also behind a summary', async () => {
  const { store, clock } = sessionsFixture()
  const session = store.create({ surface: 'test', cwd: '/' })
  const times: number[] = []
  for (const message of messages) {
    times.push(clock.now())
    session.record({ turnId: 't1', events: [], messages: [message] })
    await clock.advance(1000)
  }
  expect(session.entries()).toEqual(messages.map((message, index) => ({ message, at: times[index] })))
  const summary: Message = { role: 'user', text: 'summary' }
  const at = clock.now()
  session.compress({ from: 0, to: 3, summary: [summary] })
  expect(session.entries()).toEqual([
    { message: summary, at },
    { message: messages[3], at: times[3] },
  ])
})

test('a branch can be given an id, unless there is one of it', () => {
  const { store } = sessionsFixture()
  const session = store.create({ surface: 'test', cwd: '/' })
  session.record({ turnId: 't1', events: [], messages })
  expect(store.branch(session.id, { as: 'mine' }).messages()).toEqual(messages)
  expect(() => store.branch(session.id, { as: 'mine' })).toThrow(/There is a session "mine" already/)
  expect(store.branch(session.id).id).not.toBe('mine')
})
