/** A process that writes soon, and is over in the same round of the event loop; see `group.test.ts`. */
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { scriptPorts } from './script-ports.ts'

const [file = '', end = ''] = process.argv.slice(2)
const migrations = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)']
const database = new SqliteStorage(scriptPorts()).open({ file, migrations })
const add = () => database.prepare('INSERT INTO notes (text) VALUES (?)').run('milk')
database.transaction(add, { soon: true })
if (end === 'exit') process.exit(0)
else process.kill(process.pid, 'SIGKILL')
