import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../plugins/sessions/migrations.ts'
import { SessionStore } from '../../../plugins/sessions/store.ts'
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
  // Whoever parses what was compressed fails.
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
    expect(plan).toMatch(/SEARCH messages USING INDEX \S+ \(session=\? AND position>\?/)
  const ofEdits = reads.filter(({ sql }) => sql.includes('FROM edits') && sql.includes('data'))
  expect(ofEdits.map(({ rows }) => rows)).toEqual([1])

  // The next turn of the same object reads the new messages only.
  reads.length = 0
  record(session, 'last', [start, end], [user('and more')])
  expect(opened.messages().map(({ text }) => text)).toEqual([...texts, 'and more'])
  expect(reads.length).toBeLessThan(4)
})
