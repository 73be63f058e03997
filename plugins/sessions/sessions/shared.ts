/** What of `sessions.db` several machines share: all but deltas, which the next turn drops, and the index of the search. */
import type { SharedTable, SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope in which the process writes that has a turn of the session under way. */
export function getSessionScope(id: string): string {
  return `session:${id}`
}

/** The id that a session has while its rows go: elsewhere it is gone at once. */
const REMOVED = "'session:removed %'"
const references = { session: { table: 'sessions', number: 'number', key: 'id' } }
const ofSession = "(SELECT 'session:' || id FROM sessions WHERE number = row.session)"

function createTable(name: string, key: readonly string[], more: Partial<SharedTable> = {}): SharedTable {
  const { where = 'TRUE' } = more
  return { name, key, references, scope: ofSession, ...more, where: `${where} AND ${ofSession} NOT LIKE ${REMOVED}` }
}

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'sessions',
    file,
    migrations,
    tables: [
      { name: 'kept_texts', key: ['digest'], scope: "'text:' || row.digest", isOpen: true },
      {
        name: 'sessions',
        key: ['id'],
        local: ['number'],
        scope: "'session:' || row.id",
        where: `'session:' || row.id NOT LIKE ${REMOVED}`,
      },
      createTable('system_prompts', ['session']),
      createTable('turns', ['session', 'id']),
      createTable('messages', ['session', 'position'], { local: ['id'] }),
      createTable('events', ['session', 'seq'], { where: "row.kind = 'kept'" }),
      createTable('edits', ['id']),
      createTable('states', ['id']),
    ],
    // Their numbers say what came first, and are keys: each file counted from one.
    prepare(database, base) {
      database.prepare('UPDATE edits SET id = id + ?').run(base)
      database
        .prepare('UPDATE states SET id = id + ?, edit = CASE WHEN edit > 0 THEN edit + ? ELSE 0 END')
        .run(base, base)
    },
  }
}
