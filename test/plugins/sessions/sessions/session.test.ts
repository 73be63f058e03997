import { describe, expect, it } from 'vitest'
import { assistant, here, record, sessionsFixture, start, user } from './support.ts'

describe('a session', () => {
  it('hands out messages that its holder may keep: later ones do not appear in them', () => {
    const session = sessionsFixture().store.create(here)
    record(session, 't1', [start], [user('one')])
    const before = session.messages()
    record(session, 't1', [], [assistant('two')])
    expect(before).toEqual([user('one')])
    expect(session.messages()).toEqual([user('one'), assistant('two')])
  })

  it('takes events of another session without taking over their places', () => {
    const { store } = sessionsFixture()
    const [source, copy] = [store.create(here), store.create(here)]
    record(source, 't1', [start, { type: 'notice', text: 'careful' }])
    const copied = copy.record({ turnId: 'c1', events: source.events(1) })
    expect(copied).toEqual([{ type: 'notice', text: 'careful', sessionId: copy.id, turnId: 'c1', seq: 1 }])
    expect(copy.events()).toEqual(copied)
  })

  it('refuses what is not plain data, says whose fault that is, and records nothing of it', () => {
    const session = sessionsFixture().store.create(here)
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    for (const input of [circle, { count: 1n }]) {
      const events = [start, { type: 'tool.start', callId: 'c1', name: 'look', input } as const]
      const told = expect.objectContaining({
        code: 'SESSION_RECORD_INVALID',
        message: expect.stringContaining('Tools must return text and plain data'),
      })
      expect(() => session.record({ turnId: 't1', events, messages: [user('hi')] })).toThrow(told)
    }
    expect([session.events(), session.messages()]).toEqual([[], []])
    expect(record(session, 't1', [start])).toMatchObject([{ seq: 1 }])
  })

  it('opens fast with ten thousand messages, and reads them once', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    for (let i = 0; i < 10_000; i += 1000)
      record(
        session,
        't1',
        [],
        Array.from({ length: 1000 }, (_, j) => user(`message ${i + j}`)),
      )
    const opened = store.open(session.id)
    expect(opened.messages()).toHaveLength(10_000)
    expect(opened.messages().at(-1)).toBe(opened.messages().at(-1))
  })
})
