import { join } from 'node:path'
import Driver from 'better-sqlite3'
import fc from 'fast-check'
import type { Message, Session } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  delta,
  end,
  here,
  openClosed,
  record,
  sessionsFixture,
  start,
  user,
  wholeTurn,
  whyInvalid,
} from './support.ts'

describe('listing with a filter', () => {
  it('keeps to what is named, all of it together', async () => {
    const { store, clock } = sessionsFixture()
    const add = async (surface: string, cwd: string, title: string) => {
      await clock.advance(1000)
      return store.create({ surface, cwd, title }).id
    }
    const [one, two, three] = [
      await add('cli', '/a', 'Größe'),
      await add('cli', '/b', '100%'),
      await add('api', '/a', 'x'),
    ]
    const now = clock.now()
    const ids = (filter: Parameters<typeof store.list>[0]) => store.list(filter).map(({ id }) => id)
    expect(ids({ surface: 'cli' })).toEqual([two, one])
    expect(ids({ surface: 'cli', cwd: '/a' })).toEqual([one])
    expect(ids({ title: 'GRÖ' })).toEqual([one])
    expect(ids({ title: '0%' })).toEqual([two])
    expect(ids({ title: '_' })).toEqual([])
    expect(ids({ usedBefore: now })).toEqual([two, one])
    expect(ids({ usedAfter: now })).toEqual([three])
    expect(ids({ usedAfter: now - 1000, limit: 1 })).toEqual([three])
    expect(ids({ title: 'x', limit: 0 })).toEqual([])
  })
})

describe('renaming', () => {
  it('gives a session a title on one line, which stays', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    store.rename(session.id, '  the \u001b[31mred\nplan ')
    wholeTurn(session, 't1', 'hi', 'hello')
    expect(store.list()[0]?.title).toBe('the  [31mred')
    expect(() => store.rename(session.id, ' \n ')).toThrow(expect.objectContaining({ code: 'SESSION_TITLE_EMPTY' }))
    expect(() => store.rename('gone', 'x')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
  })
})

describe('removing', () => {
  it('takes all of them or none', async () => {
    const { store } = sessionsFixture()
    const [one, two] = [store.create(here), store.create(here)]
    await expect(store.remove([one.id, 'gone'])).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(store.list()).toHaveLength(2)
    expect(await store.remove([one.id, one.id])).toMatchObject({ removed: [one.id] })
    expect(store.list().map(({ id }) => id)).toEqual([two.id])
  })

  it('refuses while a turn is at work, and takes the rest of a turn that died', async () => {
    const { store, processes } = sessionsFixture()
    const [busy, idle] = [store.create(here), store.create(here)]
    record(busy, 't1', [start], [user('hi')])
    await expect(store.remove([idle.id, busy.id])).rejects.toMatchObject({ code: 'SESSION_IN_USE', status: 409 })
    expect(store.list()).toHaveLength(2)
    processes.crash()
    await store.remove([idle.id, busy.id])
    expect(store.list()).toEqual([])
  })

  it('tells anyone who still holds the session, and never lets it write into another one', async () => {
    const { store, another } = sessionsFixture()
    const held = store.create(here)
    wholeTurn(held, 't1', 'hi', 'hello')
    await another().remove([held.id])
    const next = another().create(here)
    expect(() => record(held, 't2', [start], [user('still there?')])).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    )
    expect(() => record(held, 't2', [delta('x')])).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
    expect([next.events(), next.messages()]).toEqual([[], []])
  })
})

describe('pruning', () => {
  it('never touches a session whose turn is at work, and nothing that the filter does not name', async () => {
    const kind = fc.record({ old: fc.boolean(), open: fc.boolean(), surface: fc.constantFrom('cli', 'api') })
    await fc.assert(
      fc.asyncProperty(fc.array(kind, { maxLength: 8 }), async (kinds) => {
        const { store, clock } = sessionsFixture()
        const add = ({ open, surface }: (typeof kinds)[number]) => {
          const session = store.create({ surface, cwd: '/' })
          record(session, 't1', open ? [start] : [start, end], [user('hi')])
          return session.id
        }
        const olds = kinds.filter(({ old }) => old).map((each) => ({ ...each, id: add(each) }))
        await clock.advance(1000)
        const usedBefore = clock.now()
        const others = kinds.filter(({ old }) => !old).map((each) => add(each))
        const expected = olds.filter(({ open, surface }) => !open && surface === 'cli').map(({ id }) => id)
        const filter = { usedBefore, surface: 'cli' }
        const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort()
        expect(ids((await store.prune(filter, { dryRun: true })).removed)).toEqual(expected.sort())
        expect(store.list()).toHaveLength(kinds.length)
        expect(ids((await store.prune(filter)).removed)).toEqual(expected)
        const left = [...olds.map(({ id }) => id).filter((id) => !expected.includes(id)), ...others]
        expect(ids(store.list())).toEqual(left.sort())
      }),
      { numRuns: 40 },
    )
  })
})

const call = (id: string): Message => ({ role: 'assistant', text: '', toolCalls: [{ id, name: 'look', input: {} }] })
const answer = (callId: string): Message => ({ role: 'tool', callId, text: 'seen' })

describe('branching', () => {
  const talk = (session: Session) =>
    record(
      session,
      't1',
      [start],
      [user('look twice'), call('a'), answer('a'), call('b'), answer('b'), assistant('done')],
    )

  it('begins with the same prompt and messages, and both go their own ways', async () => {
    const { store, another } = sessionsFixture()
    const parent = store.create({ ...here, title: 'plan' })
    parent.setSystemPrompt('be kind')
    talk(parent)
    const branch = store.branch(parent.id)
    expect(branch.messages()).toEqual(parent.messages())
    expect(branch.systemPrompt()).toBe('be kind')
    record(branch, 't2', [start], [user('and in the branch')])
    record(parent, 't1', [end], [user('and here')])
    expect(branch.messages().at(-1)).toEqual(user('and in the branch'))
    expect(parent.messages().at(-1)).toEqual(user('and here'))
    expect(store.list().find(({ id }) => id === branch.id)).toMatchObject({
      ...here,
      title: 'plan (branch)',
      parent: parent.id,
      messageCount: 7,
      usage: {},
    })
    await another().remove([parent.id])
    expect(another().open(branch.id).messages()).toHaveLength(7)
    expect(store.search('twice').map(({ sessionId }) => sessionId)).toEqual([branch.id])
  })

  it('may end anywhere, and leaves a conversation that a model accepts', () => {
    const { store } = sessionsFixture()
    const parent = store.create(here)
    talk(parent)
    const lengths = [0, 1, 2, 3, 4, 5, 6, 99, -1].map((upTo) => {
      const messages = store.branch(parent.id, { upTo }).messages()
      expect(whyInvalid(messages)).toBeUndefined()
      return messages.length
    })
    expect(lengths).toEqual([0, 1, 1, 3, 3, 5, 6, 6, 0])
  })

  it('says when there is nothing to branch off', () => {
    const { store } = sessionsFixture()
    expect(() => store.branch('gone')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
    expect(store.list()).toEqual([])
  })
})

describe('an export that is imported', () => {
  const anyText = fc.string({ unit: 'binary' })
  const anyTurn = fc.record({
    question: anyText,
    deltas: fc.array(anyText, { maxLength: 4 }),
    answer: anyText,
    isOpen: fc.boolean(),
    input: fc.option(fc.integer({ min: 0 }), { nil: undefined }),
  })

  it('brings back the same session, and a turn that had no end can be closed', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 5 }), anyText, (turns, prompt) => {
        const [from, to] = [sessionsFixture(), sessionsFixture()]
        to.processes.dead.add('imported')
        const session = from.store.create(here)
        session.setSystemPrompt(prompt)
        turns.forEach(({ question, deltas, answer: text, isOpen, input }, i) => {
          record(session, `t${i}`, [start, ...deltas.map(delta)], [user(question)])
          record(session, `t${i}`, [{ type: 'message.complete', text }], [assistant(text)])
          const usage = input === undefined ? {} : { input }
          if (!isOpen) record(session, `t${i}`, [{ type: 'turn.end', reason: 'completed', usage }])
        })
        const archive = from.store.export(session.id)
        to.store.import(JSON.parse(JSON.stringify(archive)))
        expect(to.store.export(session.id)).toEqual(archive)
        const opened = openClosed(to.store, session.id)
        expect(opened.messages().slice(0, turns.length * 2)).toEqual(session.messages())
        const ends = opened.events().filter(({ type }) => type === 'turn.end')
        expect(ends).toHaveLength(turns.length)
        expect(opened.systemPrompt()).toBe(prompt)
        record(opened, 'next', [start])
        expect(opened.events().filter(({ type, turnId }) => type === 'message.delta' && turnId !== 'next')).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('leaves a session alone that is there already', () => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    const archive = store.export(session.id)
    wholeTurn(session, 't1', 'hi', 'hello')
    expect(() => store.import(archive)).toThrow(expect.objectContaining({ code: 'SESSION_EXISTS' }))
    expect(store.open(session.id).messages()).toHaveLength(2)
  })

  it('is kept when the call returns, or in a moment when it is only begun', async () => {
    const { store, folder } = sessionsFixture()
    const first = store.export(store.create(here).id)
    const archive = (id: string) => ({ ...first, session: { ...first.session, id } })
    const kept = () => {
      const other = new Driver(join(folder, 'sessions.db'), { readonly: true })
      const rows = other.prepare<[], { id: string }>("SELECT id FROM sessions WHERE id LIKE 'imported-%'").all()
      other.close()
      return rows.map(({ id }) => id)
    }
    store.import(archive('imported-now'))
    expect(kept()).toEqual(['imported-now'])
    store.import(archive('imported-soon'), { soon: true })
    expect(kept()).toEqual(['imported-now'])
    await store.open('imported-soon').committed()
    expect(kept()).toEqual(['imported-now', 'imported-soon'])
  })
})

describe('the numbers', () => {
  it('count what is there, by surface', async () => {
    const { store, clock } = sessionsFixture()
    expect(store.stats()).toMatchObject({ sessions: 0, messages: 0, usage: {}, surfaces: [] })
    expect(store.count()).toBe(0)
    const first = clock.now()
    for (const surface of ['api', 'cli', 'cli']) {
      wholeTurn(store.create({ surface, cwd: '/' }), 't1', 'hi', 'hello')
      await clock.advance(1000)
    }
    const session = store.open(store.list({ surface: 'api' })[0]?.id ?? '')
    record(session, 't2', [start, { type: 'turn.end', reason: 'completed', usage: { input: 5 } }])
    expect(store.count()).toBe(3)
    expect(store.stats()).toEqual({
      sessions: 3,
      messages: 6,
      usage: { input: 5 },
      bytes: expect.any(Number),
      surfaces: [
        { surface: 'cli', sessions: 2, messages: 4 },
        { surface: 'api', sessions: 1, messages: 2 },
      ],
      oldest: first,
      newest: clock.now(),
    })
    expect(store.stats().bytes).toBeGreaterThan(10_000)
  })
})
