import fc from 'fast-check'
import type { Message, Session, ToolCall, TurnEventData } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import { assistant, delta, end, here, openClosed, record, sessionsFixture, start, user, whyInvalid } from './support.ts'

const call = (id: string): ToolCall => ({ id, name: 'terminal', input: { command: `run ${id}` } })
const asks = (text: string, ...ids: string[]): Message => ({ role: 'assistant', text, toolCalls: ids.map(call) })
const begins = (id: string): TurnEventData => ({
  type: 'tool.start',
  callId: id,
  name: 'terminal',
  input: call(id).input,
})
const runs = (id: string): TurnEventData => ({ type: 'tool.running', callId: id })
const ends = (id: string, text: string): TurnEventData => ({
  type: 'tool.complete',
  callId: id,
  name: 'terminal',
  ok: true,
  text,
})

/** Plays a turn, lets the process die, and opens the session in the next one. */
function afterCrash(play: (session: Session) => void): Session {
  const { store, processes } = sessionsFixture()
  const session = store.create(here)
  record(session, 't1', [start], [user('do it')])
  play(session)
  processes.crash()
  return openClosed(store, session.id)
}

const texts = (session: Session) => session.messages().map(({ role, text }) => `${role}: ${text.split('\n')[0]}`)

describe('after a crash', () => {
  it('a question without any answer stands alone', () => {
    const session = afterCrash(() => {})
    expect(session.messages()).toEqual([user('do it')])
    expect(session.events(1).map(({ type }) => type)).toEqual(['error', 'turn.end'])
  })

  it('the text that was shown is part of the conversation, marked as cut', () => {
    const session = afterCrash((turn) => {
      record(turn, 't1', [{ type: 'reasoning.delta', text: 'hm' }, delta('The answer ')])
      record(turn, 't1', [delta('is four')])
    })
    const [, answer] = session.messages()
    expect(answer).toEqual({ role: 'assistant', reasoning: 'hm', text: expect.stringContaining('The answer is four') })
    expect(answer?.text).toMatch(/\[This answer was cut off/)
    expect(session.events(4)[0]).toMatchObject({ type: 'message.complete', text: answer?.text })
  })

  it('an answer that was complete is not taken for cut, nor told twice', () => {
    const complete: TurnEventData = { type: 'message.complete', text: 'four' }
    const stored = afterCrash((turn) => record(turn, 't1', [delta('four'), complete], [assistant('four')]))
    expect(stored.messages()).toEqual([user('do it'), assistant('four')])
    const unstored = afterCrash((turn) => record(turn, 't1', [delta('four'), complete]))
    expect(unstored.messages()).toEqual([user('do it'), assistant('four')])
    expect(unstored.events(3).map(({ type }) => type)).toEqual(['error', 'turn.end'])
  })

  it('all answers that were shown and not stored are kept, complete or not', () => {
    const complete = (text: string): TurnEventData => ({ type: 'message.complete', text })
    const session = afterCrash((turn) => record(turn, 't1', [complete('One. '), complete('Two. '), delta('Thr')]))
    expect(texts(session)).toEqual(['user: do it', 'assistant: One. Two. Thr'])
  })

  it('only what came after the last stored answer is rebuilt', () => {
    const session = afterCrash((turn) => {
      record(turn, 't1', [delta('Let me look.')])
      record(turn, 't1', [{ type: 'message.complete', text: 'Let me look.' }, begins('a')], [asks('Let me look.', 'a')])
      record(turn, 't1', [ends('a', 'found')], [{ role: 'tool', callId: 'a', text: 'found' }])
      record(turn, 't1', [delta('I have')])
    })
    expect(texts(session)).toEqual(['user: do it', 'assistant: Let me look.', 'tool: found', 'assistant: I have'])
  })

  it('each call has an answer that says what is known of its effect', () => {
    const session = afterCrash((turn) => {
      record(turn, 't1', ['done', 'begun', 'waiting'].map(begins), [asks('', 'done', 'begun', 'waiting')])
      record(turn, 't1', [ends('done', 'all files copied'), runs('begun')])
    })
    expect(session.messages().slice(2)).toEqual([
      { role: 'tool', callId: 'done', text: 'all files copied' },
      { role: 'tool', callId: 'begun', text: expect.stringContaining('Whether it took effect is unknown') },
      { role: 'tool', callId: 'waiting', text: expect.stringContaining('It did not run') },
    ])
    expect(session.events(6)).toMatchObject([
      { type: 'tool.complete', callId: 'begun', ok: false },
      { type: 'tool.complete', callId: 'waiting', ok: false },
      { type: 'error', code: 'TURN_CRASHED' },
      { type: 'turn.end', reason: 'crashed' },
    ])
  })

  it('a call that had begun before its message was stored is not forgotten', () => {
    const session = afterCrash((turn) => record(turn, 't1', [delta('Deleting.'), begins('a'), runs('a')]))
    expect(session.messages().slice(1)).toEqual([
      { role: 'assistant', text: expect.stringContaining('Deleting.'), toolCalls: [call('a')] },
      { role: 'tool', callId: 'a', text: expect.stringContaining('unknown') },
    ])
  })

  it('the tokens that were counted are kept', () => {
    const session = afterCrash((turn) => {
      record(turn, 't1', [{ type: 'usage', usage: { input: 10, output: 2 } }])
      record(turn, 't1', [{ type: 'usage', usage: { input: 20 } }])
    })
    expect(session.events().at(-1)).toMatchObject({ usage: { input: 30, output: 2 } })
  })

  it('the next turn continues, and drops the deltas of the crashed one', () => {
    const session = afterCrash((turn) => record(turn, 't1', [delta('half')]))
    record(session, 't2', [start], [user('go on')])
    expect(session.events().filter(({ type }) => type === 'message.delta')).toEqual([])
    expect(session.events().find(({ type }) => type === 'message.complete')).toMatchObject({
      text: expect.stringMatching(/^half/),
    })
  })

  it('the conversation is valid for a model wherever the turn was cut, and shows all that was shown', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
    const rounds = fc.array(fc.record({ ids, text: fc.string() }), { maxLength: 3 })
    const round = (index: number, { ids, text }: { ids: string[]; text: string }) => {
      const own = ids.map((id) => `${id}${index}`)
      return [
        ...[...text].map((letter) => ({ events: [delta(letter)], messages: [] })),
        { events: [{ type: 'message.complete', text } as const, ...own.map(begins)], messages: [asks(text, ...own)] },
        ...own.map((id) => ({ events: [ends(id, `did ${id}`)], messages: [] })),
        { events: [], messages: own.map((id): Message => ({ role: 'tool', callId: id, text: `did ${id}` })) },
      ]
    }
    const last = [
      { events: [delta('so')], messages: [] },
      { events: [delta(' long')], messages: [assistant('so long')] },
    ]
    fc.assert(
      fc.property(rounds, fc.nat(), (played, cutAt) => {
        const steps = [...played.flatMap((one, index) => round(index, one)), ...last, { events: [end], messages: [] }]
        const seen = steps.slice(0, cutAt % (steps.length + 1))
        const session = afterCrash((turn) => {
          for (const { events, messages } of seen) record(turn, 't1', events, messages)
        })
        const messages = session.messages()
        expect(whyInvalid(messages)).toBeUndefined()
        const shown = seen.flatMap(({ events }) =>
          events.map((event) => (event.type === 'message.delta' ? event.text : '')),
        )
        const told = messages.map((message) => (message.role === 'assistant' ? message.text : ''))
        expect(told.join('').replace(/\n\n\[This answer was cut off[^\]]*\]$/, '')).toBe(shown.join(''))
        expect(session.events().at(-1)?.type).toBe('turn.end')
      }),
      { numRuns: 60 },
    )
  })
})
