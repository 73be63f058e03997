import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { countingRandom } from '../storage/support.ts'
import { assistant, end, here, record, sessionsFixture, start, user } from './support.ts'
import { type Ran, watched } from './watched.ts'

test('a turn in a session that was compressed again and again reads what is left of it, not all that was ever said', () => {
  const { storage, store, folder, clock, processes } = sessionsFixture()
  const session = store.create(here)
  for (let turn = 0; turn < 300; turn++) {
    record(session, `t${turn}`, [start, end], [user(`question ${turn}`), assistant(`answer ${turn}`)])
    if (turn % 10 === 9)
      session.compress({ from: 1, to: session.messages().length - 2, summary: [user(`summary ${turn}`)] })
  }
  record(session, 'late', [start, end], [user('one more')])
  // Anyone who parses what was compressed fails.
  const file = join(folder, 'sessions.db')
  const database = storage.open({ file, migrations })
  database.prepare('UPDATE messages SET data = ? WHERE position BETWEEN 2 AND 598').run('no JSON')
  const reads: Ran[] = []
  const ports = { storage: () => watched(storage, reads), file, clock, random: countingRandom(), processes, trash: '' }
  const opened = new SessionStore(ports).open(session.id)
  const texts = opened.messages().map(({ text }) => text)
  expect(texts).toEqual(['question 0', 'summary 299', 'question 299', 'answer 299', 'one more'])
  const ofMessages = reads.filter(({ sql }) => sql.includes('FROM messages'))
  expect(ofMessages.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(10)
  for (const { plan } of ofMessages)
    expect(plan).toMatch(/SEARCH messages USING INDEX \S+ \(session=\? AND position[>=]\?/)
  const ofEdits = reads.filter(({ sql }) => sql.includes('FROM edits') && sql.includes('data'))
  expect(ofEdits.map(({ rows }) => rows)).toEqual([1])

  // The next turn of the same object reads the new messages only.
  reads.length = 0
  record(session, 'last', [start, end], [user('and more')])
  expect(opened.messages().map(({ text }) => text)).toEqual([...texts, 'and more'])
  expect(reads.length).toBeLessThan(6)
})

test('anyone who opens a long session next reads only what was recorded since', () => {
  const { storage, folder, clock, processes } = sessionsFixture()
  const file = join(folder, 'sessions.db')
  const ports = { storage: () => storage, file, clock, random: countingRandom(), processes, trash: '' }
  const store = new SessionStore(ports)
  const session = store.create(here)
  for (let turn = 0; turn < 50; turn++)
    record(session, `t${turn}`, [start, end], [user(`question ${turn}`), assistant(`answer ${turn}`)])
  const whole = session.messages()
  record(session, 'late', [start, end], [user('one more')])
  // Anyone who parses what was read before fails.
  storage.open({ file, migrations }).prepare('UPDATE messages SET data = ? WHERE position < 100').run('no JSON')
  expect(store.open(session.id).messages()).toEqual([...whole, user('one more')])
})

test('a long session that takes turns with others is not read again each time, and too much of it is not kept', () => {
  const { storage, folder, clock, processes } = sessionsFixture()
  const file = join(folder, 'sessions.db')
  const reads: Ran[] = []
  const ports = { storage: () => watched(storage, reads), file, clock, random: countingRandom(), processes, trash: '' }
  const store = new SessionStore(ports)
  const long = store.create(here)
  record(long, 't1', [start, end], [...Array.from({ length: 3000 }, (_, at) => user(`question ${at}`))])
  const others = ['one', 'two'].map((text) => {
    const session = store.create(here)
    record(session, 't1', [start, end], [user(text)])
    return session
  })
  const parsed = (session: { readonly id: string }) => {
    reads.length = 0
    const messages = store.open(session.id).messages()
    const read = reads.filter(({ sql }) => sql.includes('group_concat'))
    const lengths = read.map(({ row }) => (row as { readonly data: string }).data.length)
    return { count: messages.length, bytes: lengths.reduce((sum, each) => sum + each, 0) }
  }
  expect(parsed(long).bytes).toBeGreaterThan(60_000)
  for (const session of others) expect(parsed(session).count).toBe(1)
  expect(parsed(long)).toEqual({ count: 3000, bytes: 2 })

  const huge = store.create(here)
  record(huge, 't1', [start, end], [user('x'.repeat(9_000_000))])
  expect(parsed(huge).bytes).toBeGreaterThan(9_000_000)
  expect(parsed(huge).bytes).toBe(2)
  expect(parsed(long).bytes).toBeGreaterThan(60_000)
})

test('what is remembered of a session is not taken for another one in its place', async () => {
  const { store, storage, folder } = sessionsFixture()
  const session = store.create(here)
  record(session, 't1', [start, end], [user('one'), assistant('two')])
  const archive = store.export(session.id)
  record(session, 't2', [start, end], [user('three'), assistant('four')])
  expect(session.messages()).toHaveLength(4)
  await store.remove([session.id])
  store.import(archive)
  expect(
    store
      .open(session.id)
      .messages()
      .map(({ text }) => text),
  ).toEqual(['one', 'two'])

  // A commit that failed took a message away, and another one got its number.
  const again = store.open(session.id)
  record(again, 't3', [start, end], [user('lost')])
  expect(again.messages()).toHaveLength(3)
  const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
  database.prepare('UPDATE messages SET at = at + 1, data = ? WHERE position = 3').run(JSON.stringify(user('said')))
  record(again, 't4', [start, end], [user('kept')])
  expect(
    store
      .open(session.id)
      .messages()
      .map(({ text }) => text),
  ).toEqual(['one', 'two', 'said', 'kept'])
})
