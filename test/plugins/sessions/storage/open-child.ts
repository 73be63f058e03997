/** A process that opens a database, adds its mark, and prints what it was told meanwhile; see `open-together.test.ts`. */
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { scriptPorts } from './script-ports.ts'

const [file = ''] = process.argv.slice(2)
const storage = new SqliteStorage(scriptPorts())
const database = storage.open({
  file,
  migrations: ['CREATE TABLE marks (pid INTEGER)', 'CREATE TABLE later (id INTEGER)'],
})
database.transaction(() => database.prepare('INSERT INTO marks VALUES (?)').run(process.pid), { sync: true })
await storage.close()
