/**
 * What any provider of the service `sessions` has to do. Each case is told how to open a store on the same, at first
 * empty data; opening it again stands for a new process. Cases share nothing and throw what is wrong.
 */
import assert from 'node:assert/strict'
import type { Message, Session, Sessions, TurnEventData } from 'svc/sdk'

export interface ContractCase {
  readonly name: string
  run(open: () => Sessions): void
}

const place = { surface: 'contract', cwd: '/contract' } as const
const start: TurnEventData = { type: 'turn.start', text: 'question', provider: 'p', model: 'm' }
const delta = (text: string): TurnEventData => ({ type: 'message.delta', text })
const complete = (text: string): TurnEventData => ({ type: 'message.complete', text })
const end = (usage = {}): TurnEventData => ({ type: 'turn.end', reason: 'completed', usage })
const question: Message = { role: 'user', text: 'question' }
const answer: Message = { role: 'assistant', text: 'answer' }
const seqs = (events: readonly { readonly seq: number }[]) => events.map((event) => event.seq)

function turn(session: Session, turnId: string): void {
  session.record({ turnId, events: [start], messages: [question], sync: true })
  session.record({ turnId, events: [delta('ans'), delta('wer')] })
  session.record({ turnId, events: [complete('answer')], messages: [answer], sync: true })
  session.record({ turnId, events: [end({ input: 3, output: 2 })], sync: true })
}

export const sessionsContract: readonly ContractCase[] = [
  {
    name: 'a new session has an id of its own and nothing in it',
    run(open) {
      const sessions = open()
      const [one, other] = [sessions.create(place), sessions.create(place)]
      assert.notEqual(one.id, other.id)
      assert.equal(one.cwd, place.cwd)
      assert.deepEqual([one.messages(), one.events(), one.systemPrompt()], [[], [], undefined])
    },
  },
  {
    name: 'events get places that start at 1 and have no gap, and come back with them',
    run(open) {
      const session = open().create(place)
      const first = session.record({ turnId: 't1', events: [start, delta('a')] })
      const second = session.record({ turnId: 't1', events: [delta('b')] })
      assert.deepEqual(seqs([...first, ...second]), [1, 2, 3])
      assert.deepEqual(first[1], { ...delta('a'), sessionId: session.id, turnId: 't1', seq: 2 })
      assert.deepEqual(session.events(), [...first, ...second])
      assert.deepEqual(session.events(2), second)
      assert.deepEqual(session.events(3), [])
    },
  },
  {
    name: 'a record of nothing changes nothing',
    run(open) {
      const session = open().create(place)
      assert.deepEqual(session.record({ turnId: 't1', events: [] }), [])
      assert.deepEqual(seqs(session.record({ turnId: 't1', events: [start] })), [1])
    },
  },
  {
    name: 'what was recorded is there when the session is opened again, and the count goes on',
    run(open) {
      const before = open().create(place)
      turn(before, 't1')
      const after = open().open(before.id)
      assert.deepEqual(after.messages(), [question, answer])
      assert.deepEqual(after.events(), before.events())
      assert.deepEqual(seqs(after.record({ turnId: 't2', events: [start] })), [6])
    },
  },
  {
    name: 'two holders of one session see what the other one records',
    run(open) {
      const one = open().create(place)
      const other = open().open(one.id)
      assert.deepEqual(one.messages(), [])
      other.record({ turnId: 't1', events: [start], messages: [question] })
      assert.deepEqual(seqs(one.record({ turnId: 't1', events: [complete('answer')], messages: [answer] })), [2])
      assert.deepEqual(other.messages(), [question, answer])
      assert.deepEqual(one.messages(), [question, answer])
      assert.deepEqual(one.events(), other.events())
    },
  },
  {
    name: 'the next turn drops the deltas of the one before, and nothing else',
    run(open) {
      const session = open().create(place)
      turn(session, 't1')
      assert.deepEqual(seqs(session.events()), [1, 2, 3, 4, 5])
      session.record({ turnId: 't2', events: [start, delta('x')] })
      assert.deepEqual(seqs(session.events()), [1, 4, 5, 6, 7])
    },
  },
  {
    name: 'text and plain data of any kind come back as they were',
    run(open) {
      const session = open().create(place)
      const text = 'nul \0, half \ud83d a pair, emoji \u{1f600}, rtl \u202e, line \u2028'
      const input = { text, list: [1, 2.5, null, true], nested: { deep: { empty: '' } } }
      const image = { mediaType: 'image/png', data: 'aGk=' }
      const messages: Message[] = [
        { role: 'user', text, images: [image] },
        { role: 'assistant', text, reasoning: text, toolCalls: [{ id: 'c1', name: 'look', input }] },
        { role: 'tool', callId: 'c1', text, images: [image] },
      ]
      session.setSystemPrompt(text)
      const events: TurnEventData[] = [
        { type: 'tool.complete', callId: 'c1', name: 'look', ok: true, text, data: input },
      ]
      const recorded = session.record({ turnId: 't1', events, messages })
      const opened = open().open(session.id)
      assert.deepEqual(opened.messages(), messages)
      assert.deepEqual(opened.events(), recorded)
      assert.equal(opened.systemPrompt(), text)
    },
  },
  {
    name: 'five million characters are nothing special',
    run(open) {
      const session = open().create(place)
      const text = 'long '.repeat(1_000_000)
      session.record({ turnId: 't1', events: [start, complete(text)], messages: [{ role: 'assistant', text }] })
      const opened = open().open(session.id)
      assert.equal(opened.messages()[0]?.text, text)
      assert.deepEqual(opened.events(1)[0], { ...complete(text), sessionId: session.id, turnId: 't1', seq: 2 })
    },
  },
  {
    name: 'the system prompt is set once',
    run(open) {
      const session = open().create(place)
      session.setSystemPrompt('be kind')
      session.setSystemPrompt('be kind')
      assert.throws(() => session.setSystemPrompt('be brief'), { code: 'SESSION_PROMPT_FIXED' })
      assert.equal(open().open(session.id).systemPrompt(), 'be kind')
    },
  },
  {
    name: 'a session that does not exist is told by its code',
    run(open) {
      assert.throws(() => open().open('20260101_000000_ffffff'), { code: 'SESSION_NOT_FOUND', status: 404 })
    },
  },
  {
    name: 'a summary says where a session was, what it is about, and what it took',
    run(open) {
      const session = open().create(place)
      turn(session, 't1')
      turn(session, 't2')
      const [summary, ...rest] = open().list()
      assert.deepEqual(rest, [])
      assert.deepEqual(
        { ...summary, createdAt: 0, updatedAt: 0 },
        {
          id: session.id,
          ...place,
          title: 'question',
          createdAt: 0,
          updatedAt: 0,
          messageCount: 4,
          usage: { input: 6, output: 4 },
        },
      )
    },
  },
  {
    name: 'the latest session is the one used last, of the surface and folder that were asked for',
    run(open) {
      const sessions = open()
      assert.equal(sessions.latest(), undefined)
      const there = sessions.create({ surface: 'other', cwd: '/there' })
      turn(there, 't1')
      const used = sessions.create(place)
      turn(used, 't1')
      sessions.create(place)
      assert.equal(sessions.latest()?.id, used.id)
      assert.equal(sessions.latest({ cwd: '/there' })?.id, there.id)
      assert.equal(sessions.latest({ surface: 'other', cwd: '/there' })?.id, there.id)
      assert.equal(sessions.latest({ surface: 'other', cwd: place.cwd }), undefined)
    },
  },
]
