import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { countingRandom } from '../storage/support.ts'
import { here, sessionsFixture, wholeTurn } from './support.ts'
import { type Ran, watched } from './watched.ts'

test('a page of the list reads no more rows than it shows, and pages together are the list', async () => {
  const { storage, store, folder, clock, processes } = sessionsFixture()
  for (let at = 0; at < 30; at++) {
    const session = store.create({ ...here, title: at % 2 ? 'odd' : 'even' })
    wholeTurn(session, 't1', 'hi', 'hello')
    await clock.advance(1000)
    if (at % 10 === 0) store.branch(session.id)
  }
  const told: Ran[] = []
  const file = join(folder, 'sessions.db')
  const ports = { storage: () => watched(storage, told), file, clock, random: countingRandom(), processes, trash: '' }
  const watchedStore = new SessionStore(ports)
  for (const filter of [{}, { branches: false as const }, { title: 'odd' }, { surface: 'cli' }]) {
    const all = store.list(filter)
    const pages = [0, 7, 14, 21, 28].flatMap((offset) => watchedStore.list({ ...filter, offset, limit: 7 }))
    expect(pages).toEqual(all)
  }
  expect(store.list()).toHaveLength(33)
  expect(store.list({ branches: false })).toHaveLength(30)
  told.length = 0
  watchedStore.list({ branches: false, offset: 10, limit: 5 })
  expect(told.map(({ rows }) => rows)).toEqual([5])
  // In the order of the index: nothing is sorted first.
  expect(told[0]?.plan).toMatch(
    /^SCAN \S+ USING INDEX sessions_by_use\nUSING ROWID SEARCH ON TABLE removals FOR IN-OPERATOR$/,
  )
})
