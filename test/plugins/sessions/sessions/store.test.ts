import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { sessionsContract } from './contract.ts'
import { delta, end, here, openClosed, record, sessionsFixture, start, user, wholeTurn } from './support.ts'

describe('the contract of a session store', () => {
  it.each(sessionsContract)('$name', ({ run }) => {
    run(sessionsFixture().another)
  })
})

describe('finding sessions', () => {
  it('lists those used last first, as many as were asked for', async () => {
    const { store, clock } = sessionsFixture()
    const [first, second, third] = [store.create(here), store.create(here), store.create(here)]
    for (const session of [third, first, second]) {
      await clock.advance(1000)
      wholeTurn(session, 't1', 'is it?', 'yes')
    }
    expect(store.list().map(({ id }) => id)).toEqual([second.id, first.id, third.id])
    expect(store.list({ limit: 1 }).map(({ id }) => id)).toEqual([second.id])
    expect(store.list()[0]).toMatchObject({ createdAt: clock.now() - 3000, updatedAt: clock.now() })
  })

  it('lists the last hundred unless told otherwise', () => {
    const { store } = sessionsFixture()
    for (let i = 0; i < 110; i++) store.create(here)
    expect(store.list()).toHaveLength(100)
    expect(store.list({ limit: 105 })).toHaveLength(105)
  })

  it('draws another id when one is taken, and gives up when all are', () => {
    const { storage, clock, processes, folder } = sessionsFixture()
    const numbers = ['000001', '000001', '000002']
    const hex = () => numbers.shift() ?? '000001'
    const file = join(folder, 'other.db')
    const random = { next: () => 0, uuid: hex, hex }
    const store = new SessionStore({ storage: () => storage, file, clock, processes, random, trash: '' })
    expect([store.create(here), store.create(here)].map(({ id }) => id.slice(-6))).toEqual(['000001', '000002'])
    expect(() => store.create(here)).toThrow(expect.objectContaining({ code: 'SESSION_ID_TAKEN' }))
  })
})

describe('the title of a session', () => {
  const titleAfter = (...texts: string[]) => {
    const { store } = sessionsFixture()
    const session = store.create(here)
    for (const text of texts) record(session, 't1', [], [user(text)])
    return store.list()[0]?.title
  }

  it('is the first line the user said, and stays', () => {
    expect(titleAfter('\n  fix the build\nit fails', 'and now this')).toBe('fix the build')
  })

  it('waits until the user says something', () => {
    expect(titleAfter()).toBeUndefined()
    expect(titleAfter(' \n ')).toBeUndefined()
    expect(titleAfter(' \n ', 'hello')).toBe('hello')
  })

  it('is the one that was given, if one was', () => {
    const { store } = sessionsFixture()
    const session = store.create({ ...here, title: 'my plan' })
    record(session, 't1', [], [user('hello')])
    expect(store.list()[0]?.title).toBe('my plan')
  })
})

describe('opening a session whose turn has not ended', () => {
  it('leaves the turn alone while its process lives', () => {
    const { store, another, processes } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start, delta('I am still')], [user('hi')])
    processes.name = 'second'
    expect(another().open(session.id).events()).toHaveLength(2)
    record(session, 't1', [delta(' writing')])
    expect(session.events()).toHaveLength(3)
  })

  it('closes the turn once its process is dead, however often it is opened', () => {
    const { store, another, processes } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start, delta('I am sti')], [user('hi')])
    processes.crash()
    const opened = openClosed(another(), session.id)
    const closing = opened.events(2)
    expect(closing.map(({ type }) => type)).toEqual(['message.complete', 'error', 'turn.end'])
    expect(closing.at(-1)).toMatchObject({ turnId: 't1', seq: 5, reason: 'crashed' })
    expect(opened.messages()).toEqual([
      user('hi'),
      { role: 'assistant', text: expect.stringMatching(/^I am sti\n\n\[/) },
    ])
    expect(openClosed(another(), session.id).events()).toEqual(opened.events())
  })

  it('closes each of several, in the order they began', () => {
    const { store, processes } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start])
    processes.crash()
    record(session, 't2', [start])
    processes.crash()
    const ends = openClosed(store, session.id).events(2)
    expect(ends.filter(({ type }) => type === 'turn.end').map(({ turnId }) => turnId)).toEqual(['t1', 't2'])
  })
})

describe('a turn whose process died', () => {
  it('is offered to one process, which may continue with it', () => {
    const { store, another, processes } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start, delta('I am sti')], [user('hi')])
    expect(session.takeOver()).toBeUndefined()
    processes.crash()
    expect(store.unfinished().map(({ id }) => id)).toEqual([session.id])
    expect(store.unfinished({ surface: 'elsewhere' })).toEqual([])
    expect(another().open(session.id).takeOver()).toMatchObject({ turnId: 't1', messages: [user('hi')] })
    expect(session.takeOver()).toBeUndefined()
    expect(store.unfinished()).toEqual([])
    record(session, 't1', [end])
    processes.crash()
    expect(store.unfinished()).toEqual([])
  })
})

describe('a session in which another process is at work', () => {
  it('refuses a second turn, and says what to do', () => {
    const { store, another, processes } = sessionsFixture()
    const session = store.create(here)
    record(session, 't1', [start], [user('hi')])
    processes.name = 'second'
    expect(() => record(another().open(session.id), 't2', [start])).toThrow(/Another svc.*sessions branch/)
    expect(session.events()).toHaveLength(1)
  })
})

describe('a store whose storage was reloaded', () => {
  it('continues with the new one, and so do the sessions that were held', async () => {
    const { store, storage } = sessionsFixture()
    const session = store.create(here)
    wholeTurn(session, 't1', 'before?', 'yes')
    await storage.close()
    expect(record(session, 't2', [start])).toMatchObject([{ seq: 5 }])
    expect(session.messages()).toHaveLength(2)
    expect(store.list()).toHaveLength(1)
  })

  it('says that a held session is gone when its file had to be replaced meanwhile', async () => {
    const { store, storage, folder } = sessionsFixture()
    const session = store.create(here)
    wholeTurn(session, 't1', 'before?', 'yes')
    await storage.close()
    writeFileSync(join(folder, 'sessions.db'), 'garbage'.repeat(1000))
    const other = store.create(here)
    expect(() => record(session, 't2', [start])).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
    expect(other.events()).toEqual([])
  })

  it('shows what the backup holds when that took the place of the file', async () => {
    const { store, storage, folder } = sessionsFixture()
    const file = join(folder, 'sessions.db')
    const session = store.create(here)
    wholeTurn(session, 't1', 'one?', 'yes')
    await storage.close()
    copyFileSync(file, `${file}.backup`)
    wholeTurn(session, 't2', 'two?', 'yes')
    expect(session.messages()).toHaveLength(4)
    await storage.close()
    writeFileSync(file, 'garbage'.repeat(1000))
    expect(session.messages()).toEqual([user('one?'), { role: 'assistant', text: 'yes' }])
  })

  it('stays closed when it was closed itself', async () => {
    const { store, another } = sessionsFixture()
    const session = store.create(here)
    await store.close()
    expect(() => record(session, 't1', [start])).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }))
    expect(another().open(session.id).events()).toEqual([])
  })
})
