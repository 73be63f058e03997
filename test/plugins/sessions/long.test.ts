import { join } from 'node:path'
import type { Database, SqlValue, Storage } from 'svc/sdk'
import { expect, test } from 'vitest'
import { migrations } from '../../../plugins/sessions/migrations.ts'
import { SessionStore } from '../../../plugins/sessions/store.ts'
import { countingRandom } from '../storage/support.ts'
import { assistant, end, here, record, sessionsFixture, start, user } from './support.ts'

/** A statement that was run, how many rows it gave, and how SQLite looks for them. */
interface Read {
  readonly sql: string
  readonly rows: number
  readonly plan: string
}

/** Tells of all that is read through it. */
function watched(storage: Storage, reads: Read[]): Storage {
  const watch = (database: Database): Database => ({
    file: database.file,
    exec: (sql) => database.exec(sql),
    transaction: (work, options) => database.transaction(work, options),
    committed: () => database.committed(),
    synced: () => database.synced(),
    close: () => database.close(),
    prepare: <Row>(sql: string) => {
      const statement = database.prepare<Row>(sql)
      const explained = (values: SqlValue[]) =>
        database
          .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...values)
          .map(({ detail }) => detail)
          .join('\n')
      return {
        run: (...values: SqlValue[]) => statement.run(...values),
        get: (...values: SqlValue[]) => {
          const row = statement.get(...values)
          reads.push({ sql, rows: row === undefined ? 0 : 1, plan: explained(values) })
          return row
        },
        all: (...values: SqlValue[]) => {
          const rows = statement.all(...values)
          reads.push({ sql, rows: rows.length, plan: explained(values) })
          return rows
        },
      }
    },
  })
  return { open: (options) => watch(storage.open(options)) }
}

test('a turn in a session that was compressed again and again reads what is left of it, not all that was ever said', () => {
  const { storage, store, folder, clock, processes } = sessionsFixture()
  const session = store.create(here)
  for (let turn = 0; turn < 300; turn++) {
    record(session, `t${turn}`, [start, end], [user(`question ${turn}`), assistant(`answer ${turn}`)])
    if (turn % 10 === 9)
      session.compress({ from: 1, to: session.messages().length - 2, summary: [user(`summary ${turn}`)] })
  }
  record(session, 'late', [start, end], [user('one more')])
  // Whoever parses what was compressed fails.
  const file = join(folder, 'sessions.db')
  const database = storage.open({ file, migrations })
  database.prepare('UPDATE messages SET data = ? WHERE position BETWEEN 2 AND 598').run('no JSON')
  const reads: Read[] = []
  const ports = { storage: () => watched(storage, reads), file, clock, random: countingRandom(), processes }
  const opened = new SessionStore(ports).open(session.id)
  const texts = opened.messages().map(({ text }) => text)
  expect(texts).toEqual(['question 0', 'summary 299', 'question 299', 'answer 299', 'one more'])
  const ofMessages = reads.filter(({ sql }) => sql.includes('FROM messages'))
  expect(ofMessages.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(10)
  for (const { plan } of ofMessages)
    expect(plan).toMatch(/SEARCH messages USING INDEX \S+ \(session=\? AND position>\?/)
  const ofEdits = reads.filter(({ sql }) => sql.includes('FROM edits') && sql.includes('data'))
  expect(ofEdits.map(({ rows }) => rows)).toEqual([1])

  // The next turn of the same object reads the new messages only.
  reads.length = 0
  record(session, 'last', [start, end], [user('and more')])
  expect(opened.messages().map(({ text }) => text)).toEqual([...texts, 'and more'])
  expect(reads.length).toBeLessThan(4)
})
