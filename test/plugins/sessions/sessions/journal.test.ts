import { join } from 'node:path'
import fc from 'fast-check'
import type { Message, Session, TurnEvent, TurnEventData } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { delta, end, type Fixture, here, record, sessionsFixture, start, user } from './support.ts'

/** Any UTF-16 text, halves of surrogate pairs and NUL included. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))

/** Negative zero aside, which JSON does not know. */
const anyInput = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))

const middleEvent: fc.Arbitrary<TurnEventData> = fc.oneof(
  anyText.map((text): TurnEventData => ({ type: 'message.delta', text })),
  anyText.map((text): TurnEventData => ({ type: 'reasoning.delta', text })),
  anyText.map((text): TurnEventData => ({ type: 'tool.progress', callId: 'c', text })),
  anyText.map((text): TurnEventData => ({ type: 'message.complete', text })),
  anyInput.map((input): TurnEventData => ({ type: 'tool.start', callId: 'c', name: 'n', input })),
)

type Step =
  | { readonly do: 'record'; readonly by: number; readonly events: TurnEventData[]; readonly messages: Message[] }
  | { readonly do: 'start' | 'end' | 'reopen' | 'restart'; readonly by: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      by: fc.nat(1),
      events: fc.array(middleEvent, { maxLength: 6 }),
      messages: fc.array(anyText.map(user), { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('start' as const, 'end' as const, 'reopen' as const, 'restart' as const),
      by: fc.nat(1),
    }),
  },
)

const isDelta = ({ type }: TurnEventData) => ['message.delta', 'reasoning.delta', 'tool.progress'].includes(type)

/** Two holders of one session, and what the rules say must be in it. */
class Model {
  readonly #fixture: Fixture
  readonly #holders: Session[]
  #turns = 0
  #turn: [string, string] = ['a0', 'b0']
  readonly #states = new Map<string, 'open' | 'ended' | 'trimmed'>()
  #events: TurnEvent[] = []
  readonly #messages: Message[] = []
  #seq = 0

  constructor(fixture: Fixture) {
    this.#fixture = fixture
    const session = fixture.store.create(here)
    this.#holders = [session, fixture.another().open(session.id)]
  }

  async take(taken: Step): Promise<void> {
    const by = taken.by as 0 | 1
    if (taken.do === 'restart') return this.#fixture.storage.close()
    if (taken.do === 'reopen') return this.#reopen(by)
    if (taken.do === 'start') this.#turn[by] = `${'ab'[by]}${++this.#turns}`
    const events = taken.do === 'record' ? taken.events : [taken.do === 'start' ? start : end]
    const messages = taken.do === 'record' ? taken.messages : []
    this.#record(by, events, messages)
    if (taken.do === 'start') this.#states.set(this.#turn[by], 'open')
    if (taken.do === 'end' && this.#states.has(this.#turn[by])) this.#states.set(this.#turn[by], 'ended')
  }

  #reopen(by: 0 | 1): void {
    this.#holders[by] = this.#fixture.another().open(this.#holder(by).id)
  }

  #holder(by: 0 | 1): Session {
    return this.#holders[by] as Session
  }

  #record(by: 0 | 1, events: TurnEventData[], messages: Message[]): void {
    const turnId = this.#turn[by]
    const placed = record(this.#holder(by), turnId, events, messages)
    expect(placed.map(({ seq }) => seq)).toEqual(events.map(() => ++this.#seq))
    if (events[0]?.type === 'turn.start') this.#trim()
    this.#events.push(...placed)
    this.#messages.push(...messages)
  }

  /** Deltas of turns that have ended go when another one starts. */
  #trim(): void {
    this.#events = this.#events.filter((event) => !isDelta(event) || this.#states.get(event.turnId) !== 'ended')
    for (const [turnId, state] of this.#states) if (state === 'ended') this.#states.set(turnId, 'trimmed')
  }

  check(): void {
    for (const by of [0, 1] as const) {
      expect(this.#holder(by).events()).toEqual(this.#events)
      expect(this.#holder(by).messages()).toEqual(this.#messages)
    }
  }
}

describe('the journal', () => {
  it('counts without gaps and keeps what it was given, however two holders record, reopen and restart', async () => {
    const steps = fc.array(step, { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const model = new Model(sessionsFixture())
        for (const one of taken) await model.take(one)
        model.check()
      }),
      { numRuns: 60 },
    )
  })

  it('keeps the deltas of a turn at work when another turn of the session starts', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start, delta('slow')])
    record(session, 't2', [start, delta('fast'), end])
    record(session, 't3', [start])
    expect(session.events().map(({ turnId, type }) => `${turnId} ${type}`)).toEqual([
      't1 turn.start',
      't1 message.delta',
      't2 turn.start',
      't2 turn.end',
      't3 turn.start',
    ])
  })

  it('knows a turn by its start, wherever in a record that stands', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [{ type: 'notice', text: 'resumed' }, start, delta('a'), end])
    record(session, 't2', [{ type: 'notice', text: 'resumed' }, start])
    expect(session.events().map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6])
  })

  it('adds the usage of each turn, and leaves a count that no one reported undefined', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start, { type: 'turn.end', reason: 'completed', usage: { input: 5, output: 1 } }])
    record(session, 't2', [start, { type: 'turn.end', reason: 'failed', usage: { input: 2, reasoning: 0 } }])
    expect(store.list()[0]?.usage).toEqual({ input: 7, output: 1, reasoning: 0 })
  })

  it('makes one commit of a record, and waits for the disk only when asked to', () => {
    const { storage, folder, clock, processes } = sessionsFixture()
    const commits: (boolean | undefined)[] = []
    const counting = {
      open: (): Database => {
        const database = storage.open({ file: join(folder, 'counted.db'), migrations })
        const transaction: Database['transaction'] = (work, options) => {
          commits.push(options?.sync)
          return database.transaction(work, options)
        }
        const prepare: Database['prepare'] = (sql) => database.prepare(sql)
        const { file, close } = database
        const [synced, committed] = [() => database.synced(), () => database.committed()]
        return {
          file,
          prepare,
          exec: (sql) => database.exec(sql),
          transaction,
          hold: () => database.hold(),
          synced,
          committed,
          close,
          [Symbol.asyncDispose]: async () => close(),
        }
      },
    }
    const random = { next: () => 0, hex: () => '00000a', uuid: () => '' }
    const store = new SessionStore({ storage: () => counting, file: '', clock, processes, random, trash: '' })
    const session = store.create(here)
    record(session, 't1', [start, delta('a'), delta('b')], [user('hi'), user('ho')])
    session.record({ turnId: 't1', events: [end], sync: true })
    expect(commits).toEqual([false, true])
  })

  it('stores a burst of deltas in one row', () => {
    const { store, storage, folder } = sessionsFixture()
    const session = store.create(here)
    const burst = Array.from({ length: 1000 }, (_, i) => delta(`${i}`))
    record(session, 't1', [start, ...burst, { type: 'message.complete', text: 'done' }])
    const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
    expect(database.prepare('SELECT count(*) AS rows FROM events').get()).toEqual({ rows: 3 })
    expect(session.events(999).map(({ seq }) => seq)).toEqual([1000, 1001, 1002])
  })
})
