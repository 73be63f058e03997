/** Keeps notes in a database of this machine, whose rows other machines share. One process at a time writes a note. */
import { basename, join } from 'node:path'
import { CliCommands, definePlugin } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import { DatabaseWatchers, holdScope, SharedScopes, SharedTables } from 'svc/sdk/store'

const migrations = ['CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL)']

export default definePlugin({
  setup(ctx) {
    const file = join(ctx.dataDir, 'notes.db')
    ctx.add(SharedTables, {
      name: 'jotter',
      file,
      migrations,
      tables: [{ name: 'notes', key: ['id'], scope: "'note:' || row.id" }],
    })
    ctx.add(DatabaseWatchers, {
      name: 'jotter',
      opened: (database) => {
        ctx.log.info('works', { opened: basename(database.file) })
        return undefined
      },
    })
    ctx.add(CliCommands, {
      name: 'jot',
      description: 'Keep a note.',
      run: async () => {
        const hold = await holdScope(ctx, 'note:last')
        await using database = ctx.use(Storage).open({ file, migrations })
        database.prepare('INSERT OR REPLACE INTO notes (id, text) VALUES (?, ?)').run('last', 'milk')
        await database.synced('note:last')
        await hold?.release()
        return `milk, ${ctx.find(SharedScopes)?.isShared ? 'for all machines' : 'on this machine'}`
      },
    })
  },
})
